package io.tributary.broker.retained;

import static io.tributary.common.setting.InvalidSettingException.checkAtLeast;

import io.tributary.common.setting.InvalidSettingException;

/**
 * How many retained messages the broker keeps. At a limit, messages on topics that have none yet are refused, and those
 * that are larger than the one that they replace; to remove what is there is always possible.
 *
 * @param maxMessages the most retained messages
 * @param maxBytes the most bytes that they take together in the heap, about
 */
public record RetainedLimits(long maxMessages, long maxBytes) {

    /** Checks the limits. */
    public RetainedLimits {
        checkAtLeast("max-messages", maxMessages, 0);
        checkAtLeast("max-size", maxBytes, 0);
    }

    /** A million messages and 256 MiB. */
    public static RetainedLimits defaults() {
        return new RetainedLimits(1_000_000, 256L << 20);
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
        private long maxMessages;
        private long maxSize;

        private Builder(RetainedLimits from) {
            maxMessages = from.maxMessages;
            maxSize = from.maxBytes;
        }

        /** The most retained messages; 0 to keep none. */
        public Builder maxMessages(long value) {
            maxMessages = value;
            return this;
        }

        /** How many bytes they may take together in the heap, about. */
        public Builder maxSize(long value) {
            maxSize = value;
            return this;
        }

        /**
         * The whole.
         *
         * @throws InvalidSettingException when a value is not allowed, with the name of its setting
         */
        public RetainedLimits build() {
            return new RetainedLimits(maxMessages, maxSize);
        }
    }
}
