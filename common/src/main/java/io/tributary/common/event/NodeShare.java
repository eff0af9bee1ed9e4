package io.tributary.common.event;

import java.util.List;

/**
 * The share of one node's connections in a message that goes past the logs.
 *
 * @param node the node and its incarnation, {@code name#number}
 * @param members who is named: transient members of shared subscriptions, by the numbers of their connections on that
 *     node; and persistent sessions that get it with QoS 0, by their identities
 * @param matching whether it is also for every transient session that it matches there
 */
public record NodeShare(String node, List<Recipient> members, boolean matching) {
    public NodeShare {
        members = List.copyOf(members);
    }
}
