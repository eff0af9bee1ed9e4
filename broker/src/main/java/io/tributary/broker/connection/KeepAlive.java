package io.tributary.broker.connection;

import io.netty.util.concurrent.ScheduledFuture;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.ReasonCode;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends a connection whose client sends nothing for one and a half times its keep alive [MQTT-3.1.2-22]. Confined to the
 * event loop. A packet costs a look at the clock; the one timer compares times only when the keep alive would be over.
 * While the broker itself does not read, the client is not to blame; but one that takes nothing of what waits for it
 * counts as gone.
 */
final class KeepAlive {
    private final ConnectionContext context;
    private final long limitNanos;
    private long lastNanos;
    private @Nullable ScheduledFuture<?> timer;

    KeepAlive(ConnectionContext context, int seconds) {
        this.context = context;
        limitNanos = TimeUnit.MILLISECONDS.toNanos(seconds * 1_500L);
        lastNanos = context.nanoTime();
        if (seconds > 0) {
            arm(limitNanos);
        }
    }

    /** The client sent bytes, or is read again. */
    void touch() {
        lastNanos = context.nanoTime();
    }

    /** Checks no more. */
    void stop() {
        if (timer != null) {
            timer.cancel(false);
        }
    }

    private void arm(long nanos) {
        timer = context.schedule(nanos, this::check);
    }

    private void check() {
        if (!context.gate().isOpen() || context.sink().wasHeldBack()) {
            touch();
        }
        long left = lastNanos + limitNanos - context.nanoTime();
        if (left > 0) {
            arm(left);
            return;
        }
        context.services().recorder().keepAliveTimeout();
        throw new MqttException(ReasonCode.KEEP_ALIVE_TIMEOUT, "nothing came for 1.5 times the keep alive");
    }
}
