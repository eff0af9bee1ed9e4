package io.tributary.broker.shard;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** Cuts what is to be logged into parts that fit into a record each. */
final class RecordParts {
    private RecordParts() {}

    /**
     * The parts, in order, each as long as it may be; they depend on nothing but the arguments, so that cutting again
     * gives the same ones. None is empty, unless all is; one that is larger than allowed has a single element.
     *
     * @param size the largest size of an element in a record, in bytes
     * @param mostBytes the size of a part
     * @param mostElements how many elements a part may have
     */
    static <T> List<List<T>> of(List<T> all, ToLongFunction<T> size, long mostBytes, int mostElements) {
        List<List<T>> parts = List.of();
        int from = 0;
        long bytes = 0;
        for (int i = 0; i < all.size(); i++) {
            long next = size.applyAsLong(all.get(i));
            if (i > from && (i - from == mostElements || bytes + next > mostBytes)) {
                parts = parts.isEmpty() ? new ArrayList<>() : parts;
                parts.add(all.subList(from, i));
                from = i;
                bytes = 0;
            }
            bytes += next;
        }
        if (from == 0) {
            return List.of(all);
        }
        parts.add(all.subList(from, all.size()));
        return parts;
    }

    /** The same with any number of elements in a part. */
    static <T> List<List<T>> of(List<T> all, ToLongFunction<T> size, long mostBytes) {
        return of(all, size, mostBytes, Integer.MAX_VALUE);
    }
}
