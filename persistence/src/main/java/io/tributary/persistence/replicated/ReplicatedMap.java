package io.tributary.persistence.replicated;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A durable map from strings to bytes that every node has a whole copy of and follows.
 *
 * <p>Writes of one key by one node are applied in their order. A write's stage completes after it is durable and after
 * the follower of every live node has seen it; it fails at once, without effect, when too much waits already. No method
 * blocks.
 */
public interface ReplicatedMap extends AutoCloseable {

    /**
     * Hands every entry to the follower, and from then on every change, in order, on one thread of the map, but for
     * {@link Follower#takesKeysSideBySide}. The stage completes when the follower has seen all that was in the map at
     * the time of the call. Called once.
     */
    CompletionStage<@Nullable Void> follow(Follower follower);

    /**
     * Completes when the follower has seen everything that was durable in the map at the time of the call, from any
     * writer. Called after {@link #follow}; fails when the map is closed before.
     */
    CompletionStage<@Nullable Void> caughtUp();

    /** Puts an entry, or replaces it. The value is not to be written to afterwards. */
    CompletionStage<@Nullable Void> put(String key, byte[] value);

    /** Removes an entry; does nothing when there is none. */
    CompletionStage<@Nullable Void> remove(String key);

    /** Stops; writes that were accepted are completed first. Blocks until done. */
    @Override
    void close();

    /** Sees the changes of a map. It must not block. */
    @FunctionalInterface
    interface Follower {
        /**
         * An entry was put or removed.
         *
         * @param value the new value, or null when it was removed
         */
        void onChange(String key, byte @Nullable [] value);

        /**
         * The entries that the follower sees next were written at this time, by the clock of the map's store, where
         * other nodes write the map too.
         *
         * @param timeMillis milliseconds since the epoch
         */
        default void onTime(long timeMillis) {}

        /**
         * Whether changes of different keys may come from several threads at once, where there are many, as at a start.
         * Those of one key come in order all the same, and all of them before anything that is written later.
         */
        default boolean takesKeysSideBySide() {
            return false;
        }
    }
}
