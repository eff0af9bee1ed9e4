package io.tributary.broker.routing;

import io.tributary.common.thread.RoomQueue;

/**
 * Told once the outcome of a message, on any thread, perhaps before the call that routes it returns; must not block.
 */
@FunctionalInterface
public interface RouteCallback {
    /** The message is done with. */
    void onRouted(RouteOutcome outcome);

    /**
     * The publisher is to wait for room before it publishes more; comes before {@link #onRouted}, once for each client
     * that cannot keep up.
     */
    default void hold(RoomQueue room) {}
}
