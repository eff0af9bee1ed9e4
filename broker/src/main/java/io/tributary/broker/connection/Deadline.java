package io.tributary.broker.connection;

import io.netty.util.concurrent.ScheduledFuture;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.ReasonCode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The one thing that is to happen on a connection's event loop unless something else does in time. */
final class Deadline {
    private static final Duration CHECK_AFTER = Duration.ofSeconds(1);

    private final ConnectionContext context;
    private @Nullable ScheduledFuture<?> due;

    Deadline(ConnectionContext context) {
        this.context = context;
    }

    /** Does the action after that time, unless this is called again or cancelled before. */
    void set(Duration time, Runnable action) {
        cancel();
        due = context.schedule(time.toNanos(), action);
    }

    /** Refuses the client after that time. */
    void expect(Duration limit) {
        set(limit, () -> {
            throw new MqttException(ReasonCode.SERVER_UNAVAILABLE, "the handshake takes too long");
        });
    }

    /**
     * Refuses the client after that time.
     *
     * @param check refuses a client that waits in vain; run once before, so that it need not wait to the end
     */
    void expectAnswer(Duration limit, Runnable check) {
        long end = context.nanoTime() + limit.toNanos();
        Duration soon = limit.compareTo(CHECK_AFTER) < 0 ? limit : CHECK_AFTER;
        set(soon, () -> {
            check.run();
            expect(Duration.ofNanos(Math.max(0, end - context.nanoTime())));
        });
    }

    /** Nothing is to happen any more. */
    void cancel() {
        if (due != null) {
            due.cancel(false);
            due = null;
        }
    }
}
