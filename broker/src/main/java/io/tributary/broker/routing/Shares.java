package io.tributary.broker.routing;

import io.tributary.common.event.NodeShare;
import io.tributary.common.event.Recipient;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects each node's share of one message. One thread; costs nothing as long as nothing is added. */
final class Shares {
    private Map<String, List<Recipient>> members = Map.of();

    /** Names a member on a node. */
    void add(String node, Recipient member) {
        if (members.isEmpty()) {
            members = new LinkedHashMap<>();
        }
        members.computeIfAbsent(node, _ -> new ArrayList<>(1)).add(member);
    }

    /**
     * One share for each node.
     *
     * @param matching the nodes that match the message themselves, each once
     */
    List<NodeShare> of(List<String> matching) {
        if (members.isEmpty() && matching.isEmpty()) {
            return List.of();
        }
        List<NodeShare> shares = new ArrayList<>(matching.size() + members.size());
        for (String node : matching) {
            shares.add(new NodeShare(node, members.getOrDefault(node, List.of()), true));
        }
        members.forEach((node, named) -> {
            if (!matching.contains(node)) {
                shares.add(new NodeShare(node, named, false));
            }
        });
        return shares;
    }
}
