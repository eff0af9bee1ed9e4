package io.tributary.broker.delivery;

import io.tributary.common.thread.RoomQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Told what becomes of a message that is handed to another node. Any thread; must not block. */
@FunctionalInterface
public interface HandoverCallback {
    /**
     * Called once: the node has taken the message, or that is given up because there is no link, no room, or no answer
     * in time, which is counted.
     */
    void onTaken();

    /**
     * Told what the publisher is to wait for before it publishes more, once for each client of the other node that
     * cannot keep up: before {@link #onTaken} where the message is acknowledged to its publisher, later for QoS 0. It
     * may be kept for longer than the message, and so must not refer to it. Null where the publisher never waits.
     */
    default @Nullable Consumer<RoomQueue> publisher() {
        return null;
    }
}
