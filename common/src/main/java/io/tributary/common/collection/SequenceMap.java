package io.tributary.common.collection;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Values by their sequence numbers, in ascending order. Made for numbers that come one behind the other and leave about
 * in that order, as those of a queue do: then nothing is searched for or boxed, and hardly anything moved or allocated.
 * Any other order works, too: a value is found in logarithmic time, and one that comes out of order moves those before
 * it, or those behind it if they are fewer.
 *
 * <p>Takes memory for twice the most values that it had lately, 24 bytes for each of those, however far apart the
 * numbers are, and some hundred bytes at most when it is empty. Not thread-safe.
 *
 * @param <V> the values, never null
 */
public final class SequenceMap<V> {
    private static final long[] NO_SEQUENCES = {};
    private static final Object[] NO_VALUES = {};
    private static final int LEAST_ROOM = 8;
    private static final int MOST_ROOM_WHEN_EMPTY = 32;

    /** In ascending order from {@link #begin} to {@link #end}, those that were removed from among others included. */
    private long[] sequences = NO_SEQUENCES;
    /** Null where a value was removed, but never the first or the last one. */
    private @Nullable Object[] values = NO_VALUES;

    private int begin;
    private int end;
    private int size;

    /** A look at one value. */
    @FunctionalInterface
    public interface Visitor<V> {
        /**
         * Looks at a value.
         *
         * @return whether to go on to the next
         */
        boolean visit(long sequence, V value);
    }

    /** Creates an empty one. */
    public SequenceMap() {}

    /** How many values there are. */
    public int size() {
        return size;
    }

    /** Whether there are none. */
    public boolean isEmpty() {
        return size == 0;
    }

    /**
     * The lowest sequence number.
     *
     * @throws IllegalStateException when there is none
     */
    public long firstSequence() {
        if (isEmpty()) {
            throw new IllegalStateException("empty");
        }
        return sequences[begin];
    }

    /**
     * The highest sequence number.
     *
     * @throws IllegalStateException when there is none
     */
    public long lastSequence() {
        if (isEmpty()) {
            throw new IllegalStateException("empty");
        }
        return sequences[end - 1];
    }

    /** The value with a sequence number, or null. */
    public @Nullable V get(long sequence) {
        int index = indexOf(sequence);
        return index < 0 ? null : valueAt(index);
    }

    /** Whether there is a value with a sequence number. */
    public boolean containsKey(long sequence) {
        return get(sequence) != null;
    }

    /** Sets a value; returns the one that was there before, or null. */
    public @Nullable V put(long sequence, V value) {
        if (isEmpty() || sequence > sequences[end - 1]) {
            insert(sequence, value, true);
            return null;
        }
        int index = indexOf(sequence);
        if (index < 0) {
            insert(sequence, value, false);
            return null;
        }
        V before = valueAt(index);
        values[index] = value;
        size += before == null ? 1 : 0;
        return before;
    }

    /** Takes a value out; returns it, or null when there is none. */
    public @Nullable V remove(long sequence) {
        int index = indexOf(sequence);
        V gone = index < 0 ? null : valueAt(index);
        if (gone != null) {
            values[index] = null;
            size--;
            trim();
        }
        return gone;
    }

    /** Takes all values out. */
    public void clear() {
        Arrays.fill(values, begin, end, null);
        size = 0;
        trim();
    }

    /** Visits the values from a sequence number on in ascending order, until the visitor has had enough. */
    public void visitFrom(long sequence, Visitor<? super V> visitor) {
        int index = indexOf(sequence);
        for (int i = index < 0 ? -index - 1 : index; i < end; i++) {
            V value = valueAt(i);
            if (value != null && !visitor.visit(sequences[i], value)) {
                return;
            }
        }
    }

    /** A copy of the values in ascending order of their sequence numbers. */
    public List<V> values() {
        List<V> all = new ArrayList<>(size);
        visitFrom(Long.MIN_VALUE, (sequence, value) -> all.add(value));
        return all;
    }

    /** Where a sequence number is, or was; otherwise less than 0: -1 less the place that it would have. */
    private int indexOf(long sequence) {
        if (begin < end) {
            long distance = sequence - sequences[begin];
            if (distance >= 0 && distance < end - begin && sequences[begin + (int) distance] == sequence) {
                return begin + (int) distance; // where it is as long as no number was left out
            }
        }
        return Arrays.binarySearch(sequences, begin, end, sequence);
    }

    private void insert(long sequence, V value, boolean isLast) {
        if (end == sequences.length) {
            makeRoom();
        }
        int index = isLast ? end : -indexOf(sequence) - 1;
        if (begin > 0 && index - begin < end - index) {
            index--;
            move(begin, begin - 1, index - begin + 1);
            begin--;
        } else {
            move(index, index + 1, end - index);
            end++;
        }
        sequences[index] = sequence;
        values[index] = value;
        size++;
    }

    private void move(int from, int to, int count) {
        System.arraycopy(sequences, from, sequences, to, count);
        System.arraycopy(values, from, values, to, count);
    }

    /** How many values fit in without a new array. */
    int room() {
        return sequences.length;
    }

    /** Leaves out what was removed, and has as much room again as what is left takes, or some more. */
    private void makeRoom() {
        int room = Math.max(LEAST_ROOM, size * 2);
        boolean isNew = room > sequences.length || room < sequences.length / 4;
        long[] newSequences = isNew ? new long[room] : sequences;
        @Nullable Object[] newValues = isNew ? new @Nullable Object[room] : values;
        int count = 0;
        for (int i = begin; i < end; i++) {
            Object value = values[i];
            if (value != null) {
                newSequences[count] = sequences[i];
                newValues[count] = value;
                count++;
            }
        }
        if (!isNew) {
            Arrays.fill(values, count, end, null);
        }
        sequences = newSequences;
        values = newValues;
        begin = 0;
        end = count;
    }

    private void trim() {
        if (size == 0) {
            begin = 0;
            end = 0;
            if (sequences.length > MOST_ROOM_WHEN_EMPTY) {
                sequences = NO_SEQUENCES;
                values = NO_VALUES;
            }
            return;
        }
        while (values[begin] == null) {
            begin++;
        }
        while (values[end - 1] == null) {
            end--;
        }
    }

    @SuppressWarnings("unchecked") // only values are put there
    private @Nullable V valueAt(int index) {
        return (V) values[index];
    }
}
