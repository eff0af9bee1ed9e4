package io.tributary.cluster.node;

import io.tributary.cluster.link.NodeId;
import io.tributary.persistence.replicated.ReplicatedMap;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What this node writes into the node table of others: that they are dead, and who is the newest of their name. */
final class Verdicts {
    private static final Logger LOG = LoggerFactory.getLogger(Verdicts.class);

    private final KnownNodes known;
    private final ReplicatedMap map;
    private final Duration silence;
    /** Which incarnations this node has declared dead and not yet seen dead. */
    private final Map<String, Long> condemned = new ConcurrentHashMap<>();

    /** @param silence how long those were silent that are declared dead */
    Verdicts(KnownNodes known, ReplicatedMap map, Duration silence) {
        this.known = known;
        this.map = map;
        this.silence = silence;
    }

    /** The process of a name is over, as the table says. */
    void over(String name) {
        condemned.remove(name);
    }

    /** Declares the process of a name dead, once. */
    void declareDead(String name) {
        NodeRecord node = known.get(name);
        if (node == null || Objects.equals(condemned.put(name, node.incarnation()), node.incarnation())) {
            return;
        }
        LOG.warn("{}#{} is declared dead: it was silent for {} s", name, node.incarnation(), silence.toSeconds());
        map.put(name, NodeRecordCodec.encode(node.in(NodeState.DEAD))).whenComplete((_, failure) -> {
            if (failure != null) {
                condemned.remove(name, node.incarnation()); // tried again with the next heartbeat
            }
        });
    }

    /** A late record of an old process has replaced a newer one, for those that read the table from its beginning. */
    void repair(NodeId id, NodeRecord late, NodeRecord newer) {
        boolean saysTheSame = late.state().isFinal() && late.incarnation() == newer.incarnation();
        if (!saysTheSame && !late.equals(newer)) {
            map.put(id.name(), NodeRecordCodec.encode(newer)).whenComplete((_, failure) -> {
                if (failure != null) {
                    LOG.warn("the late record of {} was not repaired: {}", id, String.valueOf(failure));
                }
            });
        }
    }
}
