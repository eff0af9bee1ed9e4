package io.tributary.broker.shard;

import static io.tributary.common.setting.InvalidSettingException.checkAtLeast;
import static io.tributary.common.setting.InvalidSettingException.checkWithin;

import io.tributary.common.setting.InvalidSettingException;
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

    /** What happens when a queue is full: always to a message of the lowest priority there is. Both are counted. */
    public enum Overflow {
        /** The oldest messages that were not sent yet make room. */
        DROP_OLDEST,
        /** The new message is not queued. */
        DROP_NEWEST
    }

    public QueueLimits {
        checkWithin("max-messages", maxMessages, 1, 65_535);
        checkAtLeast("max-age", maxAge, Duration.ZERO);
        checkAtLeast("max-size", maxBytes, 1024);
    }

    /** Limits without one of age. */
    public QueueLimits(int maxMessages, long maxBytes, Overflow overflow) {
        this(maxMessages, maxBytes, overflow, Duration.ZERO);
    }

    /** 10,000 messages and 64 MiB; the oldest are dropped. */
    public static QueueLimits defaults() {
        return new QueueLimits(10_000, 64L << 20, Overflow.DROP_OLDEST);
    }

    /** The defaults, to be changed. */
    public static Builder builder() {
        return new Builder(defaults());
    }

    /** These values, to be changed. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Collects values under the names of the settings. Not thread-safe. */
    public static final class Builder {
        private int maxMessages;
        private long maxSize;
        private Overflow overflow;
        private Duration maxAge;

        private Builder(QueueLimits from) {
            maxMessages = from.maxMessages;
            maxSize = from.maxBytes;
            overflow = from.overflow;
            maxAge = from.maxAge;
        }

        /** The most messages, 1 to 65,535. */
        public Builder maxMessages(int value) {
            maxMessages = value;
            return this;
        }

        /** How large they may be together, in bytes. */
        public Builder maxSize(long value) {
            maxSize = value;
            return this;
        }

        /** What happens to a message beyond that. */
        public Builder overflow(Overflow value) {
            overflow = value;
            return this;
        }

        /** How long a message may wait before it expires; zero for no limit. */
        public Builder maxAge(Duration value) {
            maxAge = value;
            return this;
        }

        /**
         * The whole.
         *
         * @throws InvalidSettingException when a value is not allowed, with the name of its setting
         */
        public QueueLimits build() {
            return new QueueLimits(maxMessages, maxSize, overflow, maxAge);
        }
    }
}
