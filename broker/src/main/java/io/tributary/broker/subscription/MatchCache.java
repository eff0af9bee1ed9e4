package io.tributary.broker.subscription;

import io.tributary.common.topic.TopicLevels;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The matches of recent topics, valid as long as the branches of the trie that they go through have not changed.
 *
 * <p>Each branch, that is each beginning of up to three levels, has a version; branches share a fixed number of them,
 * which only makes a valid entry look stale now and then. A change of a filter raises the version of the literal levels
 * that it begins with, and an entry is valid while the versions of all beginnings of its topic are as they were before
 * it was computed. While no filter changes at all, one look at the number of all changes says as much. The memory is
 * bounded: a fixed number of slots, one topic each, and neither long topics nor long results.
 */
final class MatchCache {
    private static final int LONGEST_TOPIC = 256;
    private static final int MOST_RECEIVERS = 64;
    /** Of the receivers of a topic together: overlapping subscriptions bring lists that each entry has for itself. */
    private static final int MOST_IDENTIFIERS = 256;

    private static final int VERSIONED_LEVELS = 3;
    private static final int VERSIONS = 4096;
    /**
     * A topic seldom drives out another: where there are far more of them than slots, some stay long enough to be of
     * use.
     */
    private static final int REPLACE_ONE_IN = 8;

    private final AtomicReferenceArray<@Nullable Entry> slots;
    private final AtomicLongArray versions = new AtomicLongArray(VERSIONS);
    private final AtomicLong changes = new AtomicLong();
    private final int slotMask;

    /** Creates one with the given number of slots, rounded up to a power of two; 0 caches nothing. */
    MatchCache(int slotCount) {
        int size = slotCount == 0 ? 0 : Integer.highestOneBit(slotCount * 2 - 1);
        slots = new AtomicReferenceArray<>(size);
        slotMask = size - 1;
    }

    /** The matches of a topic, from memory or computed. */
    Matches get(String topic, Function<String, Matches> compute) {
        if (slots.length() == 0 || topic.length() > LONGEST_TOPIC) {
            return compute.apply(topic);
        }
        int slot = spread(topic.hashCode()) & slotMask;
        Entry entry = slots.get(slot);
        long change = changes.get(); // before the versions are read
        if (entry != null && entry.isFor(topic)) {
            if (entry.validAt == change) {
                return entry.matches;
            }
            if (entry.version == version(entry.branches)) {
                entry.validAt = change;
                return entry.matches;
            }
        } else if (entry != null && ThreadLocalRandom.current().nextInt(REPLACE_ONE_IN) != 0) {
            return compute.apply(topic);
        }
        int[] branches = branchesOf(topic);
        long version = version(branches); // before the trie is read: a change meanwhile makes the entry stale
        Matches matches = compute.apply(topic);
        if (matches.size() <= MOST_RECEIVERS && matches.identifiers() <= MOST_IDENTIFIERS) {
            slots.set(slot, new Entry(topic, branches, version, matches, change));
        }
        return matches;
    }

    /** Makes stale whatever the filter matches. To be called after the trie was changed. */
    void invalidate(String filter) {
        int[] branches = branchesOf(literalPrefix(filter));
        versions.incrementAndGet(branches[branches.length - 1]);
        changes.incrementAndGet();
    }

    /** Versions only grow, so their sum is the same only if each of them is. */
    private long version(int[] branches) {
        long sum = 0;
        for (int branch : branches) {
            sum += versions.get(branch);
        }
        return sum;
    }

    /** The versions that count for a topic: of no level, and of its first, first two and first three levels. */
    private static int[] branchesOf(@Nullable String topic) {
        int[] branches = new int[VERSIONED_LEVELS + 1];
        int count = 1;
        int hash = 1;
        int start = 0;
        while (topic != null && count <= VERSIONED_LEVELS && start <= topic.length()) {
            int end = TopicLevels.levelEnd(topic, start);
            for (int i = start; i < end; i++) {
                hash = 31 * hash + topic.charAt(i);
            }
            hash = 31 * hash + TopicLevels.SEPARATOR;
            branches[count++] = spread(hash) & (VERSIONS - 1);
            start = end + 1;
        }
        return Arrays.copyOf(branches, count);
    }

    /** The levels of a filter before its first wildcard, or null when it begins with one. */
    private static @Nullable String literalPrefix(String filter) {
        int end = 0;
        while (end < filter.length() && filter.charAt(end) != '+' && filter.charAt(end) != '#') {
            end++;
        }
        if (end == filter.length()) {
            return filter;
        }
        return end == 0 ? null : filter.substring(0, end - 1);
    }

    private static int spread(int hash) {
        int mixed = hash * 0x9E3779B9;
        return mixed ^ (mixed >>> 16);
    }

    /** A topic, the branches it goes through, the sum of their versions, and what it matched then. */
    private static final class Entry {
        final String topic;
        final int hash;
        final int[] branches;
        final long version;
        final Matches matches;
        /** How many changes there had been when it was valid the last time. */
        volatile long validAt;

        Entry(String topic, int[] branches, long version, Matches matches, long validAt) {
            this.topic = topic;
            this.hash = topic.hashCode();
            this.branches = branches;
            this.version = version;
            this.matches = matches;
            this.validAt = validAt;
        }

        boolean isFor(String other) {
            return hash == other.hashCode() && topic.equals(other);
        }
    }
}
