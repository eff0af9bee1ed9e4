package io.tributary.broker.routing;

import io.tributary.common.thread.RoomQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Told once the outcome of a message, on any thread, perhaps before the call that routes it returns; must not block.
 */
@FunctionalInterface
public interface RouteCallback {
    /** The message is done with. */
    void onRouted(RouteOutcome outcome);

    /**
     * Told what the publisher is to wait for before it publishes more, on any thread, once for each client that cannot
     * keep up: before {@link #onRouted}, but where the client is at another node and the message has QoS 0, a moment
     * later. It may be kept for longer than the message, and so must not refer to it. Null where the publisher never
     * waits.
     */
    default @Nullable Consumer<RoomQueue> publisher() {
        return null;
    }

    /** Whether anybody still waits for the outcome; once it is false it stays so. Any thread. */
    default boolean isAwaited() {
        return true;
    }
}
