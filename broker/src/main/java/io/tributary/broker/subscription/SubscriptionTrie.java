package io.tributary.broker.subscription;

import io.tributary.common.topic.TopicLevels;
import io.tributary.common.topic.TopicName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Topic filters and the values under each, one tree node a level. Reading takes no lock and sees each value that was
 * put before it began; changes take a short one. Branches that lead nowhere any more are given back.
 */
final class SubscriptionTrie<K, V> {
    private final TrieNode<K, V> root = new TrieNode<>();
    private final LongAdder levels = new LongAdder();

    /** Puts a value under a filter, or replaces the one with the same key there; tells whether it is new. */
    synchronized boolean put(String filter, K key, V value) {
        TrieNode<K, V> node = root;
        for (String level : TopicLevels.split(filter)) {
            node = node.childOrNew(level);
            if (node.isEmpty()) { // only a new one is
                levels.increment();
            }
        }
        return node.put(key, value);
    }

    /** Removes a value, and tells whether there was one. */
    synchronized boolean remove(String filter, K key) {
        String[] split = TopicLevels.split(filter);
        List<TrieNode<K, V>> path = new ArrayList<>(split.length + 1);
        path.add(root);
        for (int i = 0; i < split.length; i++) {
            TrieNode<K, V> child = path.get(i).child(split[i]);
            if (child == null) {
                return false;
            }
            path.add(child);
        }
        boolean existed = path.getLast().remove(key);
        for (int i = split.length; i > 0 && path.get(i).isEmpty(); i--) {
            path.get(i - 1).removeChild(split[i - 1]);
            levels.decrement();
        }
        return existed;
    }

    /**
     * The values of all filters that match a topic, one map for each filter. Works level by level, without recursion:
     * the number of levels is the client's choice.
     */
    List<Map<K, V>> match(String topic) {
        List<Map<K, V>> hits = new ArrayList<>(4);
        List<TrieNode<K, V>> nodes = List.of(root);
        int start = 0;
        while (true) {
            int end = TopicLevels.levelEnd(topic, start);
            List<TrieNode<K, V>> below = new ArrayList<>(4);
            boolean wildcards = TopicName.isOpenToWildcards(topic, start); // [MQTT-4.7.2-1]
            descend(nodes, topic.substring(start, end), wildcards, below, hits);
            if (end == topic.length()) {
                finish(below, hits);
                return hits;
            }
            if (below.isEmpty()) {
                return hits;
            }
            nodes = below;
            start = end + 1;
        }
    }

    private static <K, V> void descend(
            List<TrieNode<K, V>> nodes,
            String level,
            boolean wildcards,
            List<TrieNode<K, V>> below,
            List<Map<K, V>> hits) {
        for (int i = 0; i < nodes.size(); i++) {
            TrieNode<K, V> node = nodes.get(i);
            addTo(below, node.literal(level));
            if (wildcards) {
                addTo(below, node.single());
                hit(node.multi(), hits);
            }
        }
    }

    /** The last level: filters that end here, and those whose {@code #} matches its parent, too [MQTT-4.7.1-2]. */
    private static <K, V> void finish(List<TrieNode<K, V>> nodes, List<Map<K, V>> hits) {
        for (int i = 0; i < nodes.size(); i++) {
            TrieNode<K, V> node = nodes.get(i);
            hit(node, hits);
            hit(node.multi(), hits);
        }
    }

    private static <T> void addTo(List<T> list, @Nullable T element) {
        if (element != null) {
            list.add(element);
        }
    }

    private static <K, V> void hit(@Nullable TrieNode<K, V> node, List<Map<K, V>> hits) {
        if (node != null && !node.values().isEmpty()) {
            hits.add(node.values());
        }
    }

    /** How many levels all filters have, those counted once that several begin with. */
    long levels() {
        return levels.sum();
    }

    /** Whether there is nothing in it, not even an empty branch. */
    boolean isEmpty() {
        return root.isEmpty();
    }
}
