package io.tributary.server.settings;

import io.tributary.broker.shard.QueueLimits;
import io.tributary.server.settings.check.Allowed;
import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The queue of each persistent session, which keeps its messages while the client is away or cannot keep up.
 *
 * @param maxMessages The most messages.
 * @param maxSize How large they may be together.
 * @param overflow What happens to a message beyond that. {@code drop-oldest}: the oldest ones that were not sent yet
 *     make room. {@code drop-newest}: it is not queued. With priorities, what is dropped is always of the lowest one
 *     (docs/priorities.md).
 * @param maxAge How long a message may wait before it expires, if its publisher did not ask for less; 0 for no limit.
 *     Of such a message, an MQTT 5 subscriber is told what is left of this time as its Message Expiry Interval.
 */
public record QueueSettings(
        @DefaultValue("10000") @Allowed(min = "1", max = "65535")
        int maxMessages,

        @DefaultValue("64MB") @Allowed(min = "1KB") DataSize maxSize,
        @DefaultValue("drop-oldest") QueueLimits.Overflow overflow,
        @DefaultValue("0s") @Allowed(min = "0s") Duration maxAge) {

    void change(QueueLimits.Builder to) {
        to.maxMessages(maxMessages)
                .maxSize(maxSize.toBytes())
                .overflow(overflow)
                .maxAge(maxAge);
    }
}
