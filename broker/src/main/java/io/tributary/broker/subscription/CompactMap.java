package io.tributary.broker.subscription;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Maps of which there are very many and which mostly have one entry: such a map is a single small object, and only a
 * second entry makes it a {@link ConcurrentHashMap}. One thread at a time changes a map and publishes what it gets
 * back; any number read meanwhile.
 */
final class CompactMap {

    private CompactMap() {}

    /** The map with the entry put or replaced: the same map, changed, or another one in its place. */
    static <K, V> Map<K, V> with(Map<K, V> map, K key, V value) {
        if (map instanceof ConcurrentMap) {
            map.put(key, value);
            return map;
        }
        if (map.isEmpty() || map.containsKey(key)) {
            return Map.of(key, value);
        }
        Map<K, V> grown = new ConcurrentHashMap<>(map);
        grown.put(key, value);
        return grown;
    }

    /** The map without the entry: the same map, changed, or another one in its place. */
    static <K, V> Map<K, V> without(Map<K, V> map, K key) {
        if (map instanceof ConcurrentMap) {
            map.remove(key);
            return map.size() > 1 ? map : Map.copyOf(map);
        }
        return map.containsKey(key) ? Map.of() : map;
    }
}
