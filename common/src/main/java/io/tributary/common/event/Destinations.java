package io.tributary.common.event;

import java.util.List;

/**
 * Where a matched message goes: what the router found, and what a relay record lists.
 *
 * @param recipients persistent sessions, in any shard
 * @param nodes the nodes whose connections get it past the logs, each once
 * @param areMatchedLater whether there are too many to be named in a record: the owner that forwards the message
 *     matches it then
 */
public record Destinations(List<Recipient> recipients, List<NodeShare> nodes, boolean areMatchedLater) {

    /** No destination at all. */
    public static final Destinations NONE = new Destinations(List.of(), List.of());

    /** More destinations than a record names. */
    public static final Destinations MATCHED_LATER = new Destinations(List.of(), List.of(), true);

    /** Creates destinations of named recipients. */
    public Destinations(List<Recipient> recipients, List<NodeShare> nodes) {
        this(recipients, nodes, false);
    }

    public Destinations {
        recipients = List.copyOf(recipients);
        nodes = List.copyOf(nodes);
    }

    /** Whether no session gets the message. */
    public boolean isEmpty() {
        return recipients.isEmpty() && nodes.isEmpty() && !areMatchedLater;
    }
}
