package io.tributary.broker.shard;

import java.time.Duration;

/**
 * How much a session's queue holds, and what happens beyond.
 *
 * @param maxMessages 1 to 65,535 messages
 * @param maxBytes the total size of the messages, in bytes
 * @param overflow what happens to a message beyond the limits
 * @param maxAge how long a message may wait before it expires, whatever its publisher wishes; zero for no limit. What
 *     was sent to the client does not expire.
 */
public record QueueLimits(int maxMessages, long maxBytes, Overflow overflow, Duration maxAge) {

    /** What happens when a queue is full. Both are counted. */
    public enum Overflow {
        /** The oldest messages that were not sent yet make room. */
        DROP_OLDEST,
        /** The new message is not queued. */
        DROP_NEWEST
    }

    public QueueLimits {
        if (maxMessages < 1 || maxMessages > 65_535) {
            throw new IllegalArgumentException("max-messages: " + maxMessages + " is not within 1 to 65535");
        }
        if (maxAge.isNegative()) {
            throw new IllegalArgumentException("max-age: " + maxAge + " is negative");
        }
        if (maxBytes < 1024) {
            throw new IllegalArgumentException("max-bytes: " + maxBytes + " is less than 1024");
        }
    }

    /** Limits without one of age. */
    public QueueLimits(int maxMessages, long maxBytes, Overflow overflow) {
        this(maxMessages, maxBytes, overflow, Duration.ZERO);
    }

    /** 10,000 messages and 64 MiB; the oldest are dropped. */
    public static QueueLimits defaults() {
        return new QueueLimits(10_000, 64L << 20, Overflow.DROP_OLDEST);
    }
}
