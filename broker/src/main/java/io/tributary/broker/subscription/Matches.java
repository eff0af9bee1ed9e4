package io.tributary.broker.subscription;

import java.util.List;

/**
 * All that subscribes to a topic.
 *
 * @param receivers the sessions with subscriptions of their own, each once
 * @param groups the shared subscriptions, each of which chooses one member for a message [MQTT-4.8.2-4]
 */
public record Matches(List<Receiver> receivers, List<SharedGroup> groups) {

    /** Nobody subscribes. */
    static final Matches NONE = new Matches(List.of(), List.of());

    /** How many sessions and groups these are. */
    int size() {
        return receivers.size() + groups.size();
    }
}
