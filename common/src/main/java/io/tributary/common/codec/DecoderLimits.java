package io.tributary.common.codec;

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

    /** Limits that suit most brokers: packets up to 1 MiB, topics up to 128 levels. */
    public static final DecoderLimits DEFAULT =
            new DecoderLimits(64 * 1024, 1024 * 1024, new TopicLimits(65_535, 128), 64 * 1024, 100, 1_000);

    /** Checks that no limit is negative. */
    public DecoderLimits {
        if (maxConnectBytes < 0 || maxPacketBytes < 0) {
            throw new IllegalArgumentException("maxConnectBytes and maxPacketBytes must not be negative");
        }
        if (maxPropertyBytes < 0 || maxUserProperties < 0 || maxFilters < 0) {
            throw new IllegalArgumentException("maxPropertyBytes, maxUserProperties, maxFilters must not be negative");
        }
    }
}
