package io.tributary.broker.subscription;

import java.util.List;

/**
 * All that subscribes to a topic.
 *
 * @param receivers the sessions with subscriptions of their own, each once: persistent ones, and transient ones of this
 *     node
 * @param groups the shared subscriptions, each of which chooses one member for a message [MQTT-4.8.2-4]
 * @param nodes the other nodes that have transient sessions with subscriptions of their own, each once
 */
public record Matches(List<Receiver> receivers, List<SharedGroup> groups, List<String> nodes) {

    /** No session subscribes to the topic. */
    static final Matches NONE = new Matches(List.of(), List.of(), List.of());

    /** How many subscription identifiers the sessions have for it, also those for messages of their own. */
    int identifiers() {
        int count = 0;
        for (Receiver receiver : receivers) {
            Grant own = receiver.ownGrant();
            count += receiver.grant().subscriptionIds().size();
            count += own == null || own.equals(receiver.grant())
                    ? 0
                    : own.subscriptionIds().size();
        }
        return count;
    }

    /** How many sessions, groups and nodes these are. */
    int size() {
        return receivers.size() + groups.size() + nodes.size();
    }
}
