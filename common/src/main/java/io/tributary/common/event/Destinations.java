package io.tributary.common.event;

import java.util.List;

/**
 * Where a matched message goes: what the router found, and what a relay record lists.
 *
 * @param devices persistent device sessions, in any shard
 * @param nodes the nodes whose connections get it past the logs, each once
 */
public record Destinations(List<Recipient> devices, List<NodeShare> nodes) {

    /** No destination at all. */
    public static final Destinations NONE = new Destinations(List.of(), List.of());

    public Destinations {
        devices = List.copyOf(devices);
        nodes = List.copyOf(nodes);
    }

    /** Whether nobody gets the message. */
    public boolean isEmpty() {
        return devices.isEmpty() && nodes.isEmpty();
    }
}
