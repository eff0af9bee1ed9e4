package io.tributary.cluster.kafka.layout;

import io.tributary.cluster.kafka.layout.LayoutEvent.Abandoned;
import io.tributary.cluster.kafka.layout.LayoutEvent.Begun;
import io.tributary.cluster.kafka.layout.LayoutEvent.Switched;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The fold of all {@link LayoutEvent}s of a cluster: which generation of shards counts, and whether another one is
 * being made. All who have read the same records agree about it. Confined to one thread.
 */
public final class LayoutHistory {
    private final TreeMap<Integer, Integer> shardsOf = new TreeMap<>();
    private @Nullable ShardLayout switched;
    private @Nullable Pending pending;

    /**
     * A generation that is being made, or whose making was broken off.
     *
     * @param begun what was to be
     */
    public record Pending(int generation, Begun begun) {}

    /** Folds the record at an offset. */
    void fold(long offset, LayoutEvent event) {
        switch (event) {
            case Begun begun -> {
                pending = new Pending(Math.toIntExact(offset + 1), begun);
                shardsOf.putIfAbsent(0, begun.fromShards());
                shardsOf.put(pending.generation(), begun.shards());
            }
            case Switched(int generation, long base) -> {
                if (isPending(generation)) {
                    switched = new ShardLayout(generation, shardsOf.getOrDefault(generation, 0), base);
                    pending = null;
                }
            }
            case Abandoned(int generation) -> {
                if (isPending(generation)) {
                    pending = null;
                }
            }
        }
    }

    /** Whether nobody ever began to change the shards. */
    public boolean isEmpty() {
        return shardsOf.isEmpty();
    }

    /** Whether this generation was begun last, and neither switched to nor given up. */
    public boolean isPending(int generation) {
        return pending != null && pending.generation() == generation;
    }

    /** What is being made, or null. */
    public @Nullable Pending pending() {
        return pending;
    }

    /**
     * The generation that counts.
     *
     * @param configured how many shards the configuration says; believed while nobody ever began to change them
     */
    public ShardLayout current(int configured) {
        return switched == null ? ShardLayout.first(shardsOf.getOrDefault(0, configured)) : switched;
    }

    /** How many shards each generation has of which something may be left, though it does not count. */
    public SortedMap<Integer, Integer> others() {
        TreeMap<Integer, Integer> others = new TreeMap<>(shardsOf);
        others.remove(switched == null ? 0 : switched.generation());
        return others;
    }
}
