package io.tributary.broker.subscription;

import io.tributary.common.topic.TopicLevels;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One level of the filters in a {@link SubscriptionTrie}. Changed under the trie's lock, read by anybody at any time.
 */
final class TrieNode<K, V> {
    private volatile Map<String, TrieNode<K, V>> children = Map.of();
    private volatile @Nullable TrieNode<K, V> single;
    private volatile @Nullable TrieNode<K, V> multi;
    private volatile Map<K, V> values = Map.of();

    /** The node below for a level of a topic. */
    @Nullable
    TrieNode<K, V> literal(String level) {
        return children.get(level);
    }

    /** The node below for the level {@code +}. */
    @Nullable
    TrieNode<K, V> single() {
        return single;
    }

    /** The node below for the level {@code #}. */
    @Nullable
    TrieNode<K, V> multi() {
        return multi;
    }

    /** What filters that end here lead to; may change while it is read. */
    Map<K, V> values() {
        return values;
    }

    boolean isEmpty() {
        return values.isEmpty() && children.isEmpty() && single == null && multi == null;
    }

    /** The node below for a level of a filter. */
    @Nullable
    TrieNode<K, V> child(String level) {
        return switch (level) {
            case TopicLevels.SINGLE_LEVEL_WILDCARD -> single;
            case TopicLevels.MULTI_LEVEL_WILDCARD -> multi;
            default -> children.get(level);
        };
    }

    TrieNode<K, V> childOrNew(String level) {
        TrieNode<K, V> existing = child(level);
        if (existing != null) {
            return existing;
        }
        TrieNode<K, V> created = new TrieNode<>();
        switch (level) {
            case TopicLevels.SINGLE_LEVEL_WILDCARD -> single = created;
            case TopicLevels.MULTI_LEVEL_WILDCARD -> multi = created;
            default -> children = CompactMap.with(children, level, created);
        }
        return created;
    }

    void removeChild(String level) {
        switch (level) {
            case TopicLevels.SINGLE_LEVEL_WILDCARD -> single = null;
            case TopicLevels.MULTI_LEVEL_WILDCARD -> multi = null;
            default -> children = CompactMap.without(children, level);
        }
    }

    /** Puts or replaces a value, and tells whether it is new. */
    boolean put(K key, V value) {
        boolean isNew = !values.containsKey(key);
        values = CompactMap.with(values, key, value);
        return isNew;
    }

    /** Removes a value, and tells whether there was one. */
    boolean remove(K key) {
        boolean existed = values.containsKey(key);
        values = CompactMap.without(values, key);
        return existed;
    }
}
