package io.tributary.cluster.node;

import io.tributary.cluster.link.NodeId;
import java.util.List;
import java.util.Set;

/**
 * A process's part in sharing out the shards, as its record in the node table says it.
 *
 * @param isWilling whether it takes shards
 * @param isSteady whether it was not {@link KnownNodes#isSuspected suspected} of late; one that was gets shards only
 *     where no other node takes any
 * @param seen the newest {@link Assignment#version} known to it that gave it shards or took some from it
 * @param keeps the shards that are another process's by then, and that it has not let go of
 * @param prepares the shards that are its own by then, and for which it is not prepared yet
 * @param suspects the processes that it takes for gone; at most {@value #MOST_SUSPECTS}
 */
public record ShardPart(
        boolean isWilling,
        boolean isSteady,
        long seen,
        Set<Integer> keeps,
        Set<Integer> prepares,
        List<NodeId> suspects) {
    /** How many processes one may suspect. */
    public static final int MOST_SUSPECTS = 1000;

    /** Of a process that has not said anything yet. */
    static final ShardPart NONE = new ShardPart(false, true, 0, Set.of(), Set.of(), List.of());

    public ShardPart {
        if (seen < 0 || suspects.size() > MOST_SUSPECTS) {
            throw new IllegalArgumentException("seen " + seen + ", " + suspects.size() + " suspects");
        }
        keeps = Set.copyOf(keeps);
        prepares = Set.copyOf(prepares);
        suspects = List.copyOf(suspects);
    }
}
