package io.tributary.broker.subscription;

import static io.tributary.common.setting.InvalidSettingException.checkAtLeast;
import static io.tributary.common.setting.InvalidSettingException.checkWithin;

import io.tributary.common.event.TenantNames;
import io.tributary.common.setting.InvalidSettingException;
import io.tributary.common.topic.TopicFilter;
import io.tributary.common.topic.TopicLevels;

/**
 * How many subscriptions there may be and of what size, of a client and of all, and how much memory speeds up matching.
 *
 * @param perClient the most subscriptions of one client; more are answered with "quota exceeded" (0x97)
 * @param sharedPerClient the most of them that are shared ones; more are answered so, too. A client that is the only
 *     member of each gets a copy of a message for each.
 * @param sizePerClient the most bytes of all topic filters of one client together, 1 KiB to 64 MiB; what is beyond is
 *     answered so, too. Each change of a persistent session's subscriptions writes all of them. A filter with a
 *     wildcard counts 32 bytes more for each of its levels, which all nodes have in memory.
 * @param filterBytes the longest topic filter in UTF-8 as clients write it, {@code $share/NAME/} included, 16 to
 *     65,535; a longer one is answered with "quota exceeded". What waits for a member of a shared subscription has it
 *     with each message.
 * @param totalBytes the most memory that all subscriptions may take which a node knows, about, 1 KiB at least; new ones
 *     beyond it are answered with "quota exceeded". Every node knows those of all persistent sessions.
 * @param cachedTopics how many topics the match cache has room for, rounded up to a power of two; 0 switches it off
 */
public record SubscriptionLimits(
        int perClient, int sharedPerClient, int sizePerClient, int filterBytes, long totalBytes, int cachedTopics) {

    private static final int MOST_CACHED_TOPICS = 1 << 22;

    /** For each of its levels a filter with a wildcard may have an object of its own at all nodes. */
    private static final int LEVEL_BYTES = 32;

    private static final int PART_OF_HEAP = 4;

    /** Checks the limits. */
    public SubscriptionLimits {
        checkAtLeast("max-per-client", perClient, 1);
        checkAtLeast("max-shared-per-client", sharedPerClient, 0);
        checkWithin("max-size-per-client", sizePerClient, 1024, 64 << 20);
        checkWithin("max-filter-size", filterBytes, 16, 65_535);
        checkAtLeast("max-size", totalBytes, 1024);
        checkWithin("cached-topics", cachedTopics, 0, MOST_CACHED_TOPICS);
    }

    /**
     * 1,000 subscriptions a client, 100 of them shared, filters of 1 KiB, 256 KiB together; a quarter of the heap for
     * all subscriptions; 16,384 cached topics.
     */
    public static SubscriptionLimits defaults() {
        return new SubscriptionLimits(1_000, 100, 256 << 10, 1024, partOfHeap(), 16_384);
    }

    /** A quarter of the heap. */
    private static long partOfHeap() {
        return Runtime.getRuntime().maxMemory() / PART_OF_HEAP;
    }

    /** Whether a client without other subscriptions may have one with a topic filter. */
    public boolean admits(TopicFilter filter) {
        return !exceededBy(filter) && cost(filter) <= sizePerClient && !(filter.isShared() && sharedPerClient == 0);
    }

    /** Whether a topic filter is too long. */
    boolean exceededBy(TopicFilter filter) {
        return size(filter) > filterBytes;
    }

    /** The bytes of a topic filter that count: those that its client wrote. */
    private static int size(TopicFilter filter) {
        return TenantNames.visible(filter).sizeBytes();
    }

    /** What a topic filter takes of {@link #sizePerClient}. */
    static int cost(TopicFilter filter) {
        return size(filter) + (filter.hasWildcard() ? LEVEL_BYTES * TopicLevels.count(filter.filter()) : 0);
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
        private int maxPerClient;
        private int maxSharedPerClient;
        private int maxSizePerClient;
        private int maxFilterSize;
        private long maxSize;
        private int cachedTopics;

        private Builder(SubscriptionLimits from) {
            maxPerClient = from.perClient;
            maxSharedPerClient = from.sharedPerClient;
            maxSizePerClient = from.sizePerClient;
            maxFilterSize = from.filterBytes;
            maxSize = from.totalBytes;
            cachedTopics = from.cachedTopics;
        }

        /** The most subscriptions of one client. */
        public Builder maxPerClient(int value) {
            maxPerClient = value;
            return this;
        }

        /** The most shared subscriptions of one client. */
        public Builder maxSharedPerClient(int value) {
            maxSharedPerClient = value;
            return this;
        }

        /** The most bytes of all topic filters of one client together, 1 KiB to 64 MiB. */
        public Builder maxSizePerClient(int value) {
            maxSizePerClient = value;
            return this;
        }

        /** The longest topic filter in UTF-8, in bytes, 16 to 65,535. */
        public Builder maxFilterSize(int value) {
            maxFilterSize = value;
            return this;
        }

        /** The most memory that all subscriptions may take, in bytes; 0 for a quarter of the heap. */
        public Builder maxSize(long value) {
            maxSize = value;
            return this;
        }

        /** For how many topics the matching subscriptions are remembered; 0 for none. */
        public Builder cachedTopics(int value) {
            cachedTopics = value;
            return this;
        }

        /**
         * The whole.
         *
         * @throws InvalidSettingException when a value is not allowed, with the name of its setting
         */
        public SubscriptionLimits build() {
            return new SubscriptionLimits(
                    maxPerClient,
                    maxSharedPerClient,
                    maxSizePerClient,
                    maxFilterSize,
                    maxSize == 0 ? partOfHeap() : maxSize,
                    cachedTopics);
        }
    }
}
