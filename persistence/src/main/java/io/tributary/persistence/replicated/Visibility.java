package io.tributary.persistence.replicated;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Knows how far the followers of a map are on all nodes. A position counts the writes of a map: a follower at a
 * position has seen all those before it, whichever were replaced by later ones aside. Positions only grow.
 */
public interface Visibility {

    /** The visibility of a single node, which waits for no other. */
    Visibility ALONE = new Visibility() {
        @Override
        public CompletionStage<@Nullable Void> everywhere(String map, long position) {
            return CompletableFuture.completedStage(null);
        }

        @Override
        public void reached(String map, long position) {}
    };

    /**
     * Completes when the follower of every live node has reached the position, of this one too. Must not block. A node
     * that does not get there in time is for the implementation to leave out; a stage that fails makes the write fail.
     */
    CompletionStage<@Nullable Void> everywhere(String map, long position);

    /** This node's follower has reached the position. Called on the map's thread, once a batch: it must not block. */
    void reached(String map, long position);
}
