package io.tributary.broker.connection;

import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Waits until everything is read that a client has sent on a connection that another connection of the client follows:
 * a DISCONNECT in the socket counts before that [MQTT-3.14.4-3]. Confined to the connection's event loop.
 *
 * <p>A turn of the event loop reads what is there; the end is a turn that brings nothing. Of a client that may not be
 * read in all that time, a DISCONNECT counts that is here already.
 */
final class ReadOut {
    /** One more turn than needed, for TLS and what is on its way. */
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final ConnectionContext context;
    private final BooleanSupplier isConnected;
    /** How many reads have brought something. */
    private int reads;

    /** @param isConnected whether the connection is CONNECTED; one that is not has nothing to wait for */
    ReadOut(ConnectionContext context, BooleanSupplier isConnected) {
        this.context = context;
        this.isConnected = isConnected;
    }

    /** A read brought something. */
    void touch() {
        reads++;
    }

    /**
     * Waits.
     *
     * @param longestNanos after which time the wait ends, also for a client that sends without an end
     * @param then run once
     */
    void await(long longestNanos, Runnable then) {
        readOn(reads - 1, context.nanoTime() + longestNanos, then);
    }

    private void readOn(int before, long untilNanos, Runnable then) {
        boolean mayCome = reads != before || isPaused();
        if (isConnected.getAsBoolean() && mayCome && context.nanoTime() - untilNanos < 0) {
            int now = reads;
            ScheduledFuture<?> _ = context.schedule(TURN_NANOS, () -> readOn(now, untilNanos, then));
        } else {
            if (isConnected.getAsBoolean() && isPaused()) {
                context.sink().heedDisconnect();
            }
            then.run();
        }
    }

    private boolean isPaused() {
        return !context.gate().isOpen() || context.sink().isUnread();
    }
}
