package io.tributary.broker.relocation;

import io.tributary.broker.relocation.Drain.Phase;
import org.jspecify.annotations.Nullable;

/**
 * How far a drain is.
 *
 * @param node the name of the node
 * @param order what was asked for; null while nobody has
 * @param seconds for how long the node has been drained
 * @param clients clients that are still connected
 * @param shards shards that the node still owns
 * @param waitsFor what it waits for, in words
 * @param givenUp why the node gave its last drain up by itself, in words; null where it did not
 */
public record DrainStatus(
        String node,
        Phase phase,
        @Nullable DrainOrder order,
        long seconds,
        int clients,
        int shards,
        String waitsFor,
        @Nullable String givenUp) {

    /** Whether the node is on its way out, or has nothing left. */
    public boolean isDraining() {
        return phase != Phase.SERVING;
    }
}
