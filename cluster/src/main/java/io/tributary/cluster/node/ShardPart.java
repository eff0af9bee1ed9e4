package io.tributary.cluster.node;

import io.tributary.cluster.link.NodeId;
import java.util.List;

/**
 * A process's part in sharing out the shards, as its record in the node table says it.
 *
 * @param isWilling whether it takes shards
 * @param isSteady whether it was not {@link KnownNodes#isSuspected suspected} of late; one that was gets shards only
 *     where no other node takes any
 * @param released the newest {@link Assignment#version} that took shards from it of which it has let go
 * @param suspects the processes that it takes for gone; at most {@value #MOST_SUSPECTS}
 */
public record ShardPart(boolean isWilling, boolean isSteady, long released, List<NodeId> suspects) {
    /** How many processes one may suspect. */
    public static final int MOST_SUSPECTS = 1000;

    /** Of a process that has not said anything yet. */
    static final ShardPart NONE = new ShardPart(false, true, 0, List.of());

    public ShardPart {
        if (released < 0 || suspects.size() > MOST_SUSPECTS) {
            throw new IllegalArgumentException("released " + released + ", " + suspects.size() + " suspects");
        }
        suspects = List.copyOf(suspects);
    }
}
