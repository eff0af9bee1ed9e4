package io.tributary.broker.connection;

import io.tributary.broker.loop.TokenBucket;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.ReasonCode;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one client within its message rate: pauses reading, or disconnects the client, as configured. Confined to the
 * event loop.
 */
final class PublishRate {
    private final ConnectionContext context;
    private final boolean disconnects;
    private final @Nullable TokenBucket bucket;

    PublishRate(ConnectionContext context, MessageRate rate) {
        this.context = context;
        disconnects = rate.disconnects();
        bucket = rate.isLimited() ? new TokenBucket(rate.perSecond(), rate.burst(), context.nanoTime()) : null;
    }

    /**
     * Counts a message.
     *
     * @throws MqttException when the rate is exceeded and such clients are disconnected
     */
    void count() {
        if (bucket == null) {
            return;
        }
        long waitNanos = bucket.take(context.nanoTime());
        if (waitNanos == 0) {
            return;
        }
        if (disconnects) {
            throw new MqttException(ReasonCode.MESSAGE_RATE_TOO_HIGH, "messages come too fast");
        }
        if (context.gate().close(PauseReason.RATE_LIMIT)) {
            var _ = context.schedule(waitNanos, () -> context.gate().open(PauseReason.RATE_LIMIT));
        }
    }
}
