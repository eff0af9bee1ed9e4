package io.tributary.broker.subscription;

import io.tributary.common.topic.TopicFilter;
import io.tributary.common.topic.TopicLimits;

/**
 * How many subscriptions there may be and of what size, and how much memory speeds up matching.
 *
 * @param perClient the most subscriptions of one client; more are answered with "quota exceeded" (0x97)
 * @param filterBytes the longest topic filter in UTF-8, {@code $share/NAME/} included, 16 to 65,535; a longer one is
 *     answered with "quota exceeded". What waits for a member of a shared subscription has it with each message.
 * @param cachedTopics how many topics the match cache has room for, rounded up to a power of two; 0 switches it off
 */
public record SubscriptionLimits(int perClient, int filterBytes, int cachedTopics) {
    private static final int MOST_CACHED_TOPICS = 1 << 22;

    /** Checks the limits. */
    public SubscriptionLimits {
        if (perClient < 1) {
            throw new IllegalArgumentException("perClient " + perClient + ": must be at least 1");
        }
        if (filterBytes < 16 || filterBytes > 65_535) {
            throw new IllegalArgumentException("filterBytes " + filterBytes + ": must be 16 to 65535");
        }
        if (cachedTopics < 0 || cachedTopics > MOST_CACHED_TOPICS) {
            throw new IllegalArgumentException(
                    "cachedTopics " + cachedTopics + ": must be 0 (no cache) to " + MOST_CACHED_TOPICS);
        }
    }

    /** 1,000 subscriptions a client, topic filters of 1 KiB and 16,384 cached topics. */
    public static SubscriptionLimits defaults() {
        return new SubscriptionLimits(1_000, 1024, 16_384);
    }

    /** Whether a topic filter is too long. */
    boolean exceededBy(TopicFilter filter) {
        return new TopicLimits(filterBytes, Integer.MAX_VALUE).exceededBy(filter.toString());
    }
}
