package io.tributary.broker.guard;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A table with a limited number of entries: where there is no room, that goes which was longest not looked for. */
final class BoundedTable<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1L;
    private static final float LOAD = 0.75f;

    private final int most;

    BoundedTable(int most) {
        super(16, LOAD, true);
        this.most = most;
    }

    @Override
    protected boolean removeEldestEntry(Map.@Nullable Entry<K, V> eldest) {
        return size() > most;
    }
}
