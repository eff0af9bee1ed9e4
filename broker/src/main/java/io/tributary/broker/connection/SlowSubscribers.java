package io.tributary.broker.connection;

import io.tributary.common.thread.RoomQueue;
import java.util.HashMap;
import java.util.Map;

/**
 * The clients that one publisher waits for: it is read again when each of them has room. Confined to the event loop.
 *
 * <p>A client that owes acknowledgements is read all the same: others may wait for these, and it for them. The
 * publisher is read in a turn of its own: who has room, or sends, may be in the middle of what another client of the
 * event loop is sent.
 */
final class SlowSubscribers {
    private final ConnectionContext context;
    /** What gives up waiting for each. */
    private final Map<RoomQueue, Runnable> waits = new HashMap<>();

    SlowSubscribers(ConnectionContext context) {
        this.context = context;
    }

    /** Has the publisher wait for room. */
    void await(RoomQueue room) {
        if (!owesAcknowledgements() && !waits.containsKey(room)) {
            context.gate().close(PauseReason.SLOW_SUBSCRIBER);
            waits.put(room, room.await(() -> context.post(() -> released(room))));
        }
    }

    private void released(RoomQueue room) {
        if (waits.remove(room) != null && waits.isEmpty()) {
            context.gate().open(PauseReason.SLOW_SUBSCRIBER);
        }
    }

    /** Messages were sent to the publisher: if it is to acknowledge some, it waits no longer. */
    void sent() {
        if (!waits.isEmpty() && owesAcknowledgements()) {
            stop();
            context.post(() -> {
                if (waits.isEmpty()) {
                    context.gate().open(PauseReason.SLOW_SUBSCRIBER);
                }
            });
        }
    }

    /** Waits no longer. */
    void stop() {
        waits.values().forEach(Runnable::run);
        waits.clear();
    }

    private boolean owesAcknowledgements() {
        return (int) context.flow().get() > 0;
    }
}
