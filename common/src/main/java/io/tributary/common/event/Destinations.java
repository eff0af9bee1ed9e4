package io.tributary.common.event;

import java.util.List;

/**
 * Where a matched message goes: what the router found, and what a relay record lists.
 *
 * @param devices persistent device sessions, in any shard
 * @param transients members of shared subscriptions that have transient sessions on the nodes of {@code nodes}
 * @param nodes the names of the nodes that have transient sessions for the message, which match it locally
 */
public record Destinations(List<Recipient> devices, List<Recipient> transients, List<String> nodes) {

    /** No destination at all. */
    public static final Destinations NONE = new Destinations(List.of(), List.of(), List.of());

    public Destinations {
        devices = List.copyOf(devices);
        transients = List.copyOf(transients);
        nodes = List.copyOf(nodes);
    }

    /** Whether nobody gets the message. */
    public boolean isEmpty() {
        return devices.isEmpty() && transients.isEmpty() && nodes.isEmpty();
    }
}
