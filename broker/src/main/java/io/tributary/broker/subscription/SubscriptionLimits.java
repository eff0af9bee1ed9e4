package io.tributary.broker.subscription;

/**
 * How many subscriptions there may be, and how much memory speeds up matching.
 *
 * @param perClient the most subscriptions of one client; more are answered with "quota exceeded" (0x97)
 * @param cachedTopics how many topics the match cache has room for, rounded up to a power of two; 0 switches it off
 */
public record SubscriptionLimits(int perClient, int cachedTopics) {
    private static final int MOST_CACHED_TOPICS = 1 << 22;

    /** Checks the limits. */
    public SubscriptionLimits {
        if (perClient < 1) {
            throw new IllegalArgumentException("perClient " + perClient + ": must be at least 1");
        }
        if (cachedTopics < 0 || cachedTopics > MOST_CACHED_TOPICS) {
            throw new IllegalArgumentException(
                    "cachedTopics " + cachedTopics + ": must be 0 (no cache) to " + MOST_CACHED_TOPICS);
        }
    }

    /** 1,000 subscriptions a client and 16,384 cached topics. */
    public static SubscriptionLimits defaults() {
        return new SubscriptionLimits(1_000, 16_384);
    }
}
