package io.tributary.common.codec;

import static io.tributary.common.setting.InvalidSettingException.checkAtLeast;

import io.tributary.common.setting.InvalidSettingException;
import io.tributary.common.topic.TopicLimits;

/**
 * What a decoder accepts at most from the other side; each limit is checked before memory is taken for what it limits.
 *
 * @param maxConnectBytes the size of a whole CONNECT, fixed header included; applies until one is decoded
 * @param maxPacketBytes the size of any whole packet, fixed header included
 * @param topics the limits of topic names; whether a topic filter is within them is for its receiver to check
 * @param maxPropertyBytes the size of one property section of a packet
 * @param maxUserProperties the number of user properties in one property section
 * @param maxFilters the number of topic filters in one SUBSCRIBE or UNSUBSCRIBE
 */
public record DecoderLimits(
        int maxConnectBytes,
        int maxPacketBytes,
        TopicLimits topics,
        int maxPropertyBytes,
        int maxUserProperties,
        int maxFilters) {

    /** Limits that suit most brokers: packets up to 2 MiB, topics up to 128 levels. */
    public static final DecoderLimits DEFAULT =
            new DecoderLimits(64 * 1024, 2 * 1024 * 1024, new TopicLimits(65_535, 128), 64 * 1024, 100, 1_000);

    /** Checks that no limit is negative. */
    public DecoderLimits {
        checkAtLeast("max-connect-size", maxConnectBytes, 0);
        checkAtLeast("max-size", maxPacketBytes, 0);
        checkAtLeast("max-properties-size", maxPropertyBytes, 0);
        checkAtLeast("max-user-properties", maxUserProperties, 0);
        checkAtLeast("max-filters", maxFilters, 0);
    }

    /** The defaults, to be changed. */
    public static Builder builder() {
        return new Builder(DEFAULT);
    }

    /** These values, to be changed. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Collects values under the names of the settings. Not thread-safe. */
    public static final class Builder {
        private int maxSize;
        private int maxConnectSize;
        private int maxTopicSize;
        private int maxTopicLevels;
        private int maxPropertiesSize;
        private int maxUserProperties;
        private int maxFilters;

        private Builder(DecoderLimits from) {
            maxSize = from.maxPacketBytes;
            maxConnectSize = from.maxConnectBytes;
            maxTopicSize = from.topics.maxBytes();
            maxTopicLevels = from.topics.maxLevels();
            maxPropertiesSize = from.maxPropertyBytes;
            maxUserProperties = from.maxUserProperties;
            maxFilters = from.maxFilters;
        }

        /** The size of any packet, in bytes. */
        public Builder maxSize(int value) {
            maxSize = value;
            return this;
        }

        /** The size of a CONNECT, in bytes. */
        public Builder maxConnectSize(int value) {
            maxConnectSize = value;
            return this;
        }

        /** The size of a topic name or filter, in bytes, 1 to 65,535. */
        public Builder maxTopicSize(int value) {
            maxTopicSize = value;
            return this;
        }

        /** The levels of a topic name or filter. */
        public Builder maxTopicLevels(int value) {
            maxTopicLevels = value;
            return this;
        }

        /** The size of the MQTT 5 properties of a packet, in bytes. */
        public Builder maxPropertiesSize(int value) {
            maxPropertiesSize = value;
            return this;
        }

        /** The user properties of a packet. */
        public Builder maxUserProperties(int value) {
            maxUserProperties = value;
            return this;
        }

        /** The topic filters in one SUBSCRIBE or UNSUBSCRIBE. */
        public Builder maxFilters(int value) {
            maxFilters = value;
            return this;
        }

        /**
         * The whole.
         *
         * @throws InvalidSettingException when a value is not allowed, with the name of its setting
         */
        public DecoderLimits build() {
            return new DecoderLimits(
                    maxConnectSize,
                    maxSize,
                    new TopicLimits(maxTopicSize, maxTopicLevels),
                    maxPropertiesSize,
                    maxUserProperties,
                    maxFilters);
        }
    }
}
