package io.tributary.persistence.rocksdb;

import io.tributary.common.event.ByteReader;
import io.tributary.common.event.ByteWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which messages of a group nobody needs any more: all below {@code next}, except those that are open. What is open is
 * with a consumer, waits to be taken again, or is given up and on its way to the dead letters. So it takes memory only for
 * what consumers have asked for and not acknowledged. Not safe for several threads.
 *
 * <p>Of each open message it counts how often it was taken. After a restart all that was with a consumer waits again.
 */
final class GroupState {
    private static final int FORMAT = 1;

    private final int deliveryLimit;
    private final Map<Long, Open> taken = new HashMap<>();
    private final SortedMap<Long, Integer> waiting = new TreeMap<>();
    private final List<Open> givenUp = new ArrayList<>();
    private long next;

    /**
     * A message that is neither settled nor untouched.
     *
     * @param position where it is in the log
     * @param deliveries how often it was taken
     */
    record Open(long position, int deliveries) {}

    /** Begins with a log of which nothing was taken. */
    GroupState(int deliveryLimit) {
        this.deliveryLimit = deliveryLimit;
    }

    /** Reads back what {@link #encode} wrote. */
    static GroupState decode(byte[] bytes, int deliveryLimit) {
        ByteReader reader = new ByteReader(bytes);
        reader.expectFormat(FORMAT);
        GroupState state = new GroupState(deliveryLimit);
        state.next = reader.readNumber();
        long[] positions = reader.readNumbers();
        for (long position : positions) {
            state.putBack(new Open(position, reader.readInt()));
        }
        reader.expectEnd();
        return state;
    }

    /** All of it, as if the given messages were settled, and with what consumers have as if it waited. */
    byte[] encode(Collection<Open> settled) {
        TreeMap<Long, Integer> open = new TreeMap<>(waiting);
        taken.values().forEach(each -> open.put(each.position(), each.deliveries()));
        givenUp.forEach(each -> open.put(each.position(), each.deliveries()));
        settled.forEach(each -> open.remove(each.position()));
        ByteWriter writer = new ByteWriter(16 + 4 * open.size());
        writer.writeByte(FORMAT);
        writer.writeNumber(next);
        writer.writeNumbers(open.keySet().stream().mapToLong(Long::longValue).toArray());
        open.values().forEach(writer::writeNumber);
        return writer.toBytes();
    }

    /** Behind all that was ever taken. */
    long next() {
        return next;
    }

    /** Nothing below it is needed. */
    long floor() {
        long floor = waiting.isEmpty() ? next : waiting.firstKey();
        for (Open open : taken.values()) {
            floor = Math.min(floor, open.position());
        }
        for (Open open : givenUp) {
            floor = Math.min(floor, open.position());
        }
        return floor;
    }

    boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    /** The lowest positions that wait to be taken again, at most so many. */
    List<Long> waiting(int limit) {
        return waiting.keySet().stream().limit(limit).toList();
    }

    /**
     * Gives a message to a consumer: one that waits, or the next one or one behind it, when what is between is not there.
     *
     * @param id what {@link #answered} will know it by
     * @return how often it was taken, with this time
     */
    int take(long id, long position) {
        Integer before = waiting.remove(position);
        if (before == null) {
            next = position + 1;
        }
        int deliveries = before == null ? 1 : before + 1;
        taken.put(id, new Open(position, deliveries));
        return deliveries;
    }

    /** A consumer is done with a message, which is settled unless it is put back; null when it does not have it. */
    @Nullable
    Open answered(long id) {
        return taken.remove(id);
    }

    /** Lets a message be taken again, unless it was as often as is allowed: then it is given up, and the answer false. */
    boolean putBack(Open open) {
        if (open.deliveries() >= deliveryLimit) {
            givenUp.add(open);
            return false;
        }
        waiting.put(open.position(), open.deliveries());
        return true;
    }

    /** Gives a message up that was answered. */
    void giveUp(Open open) {
        givenUp.add(open);
    }

    /** Puts back all that consumers have. */
    int putBackAll() {
        int count = taken.size();
        for (Iterator<Open> each = taken.values().iterator(); each.hasNext(); ) {
            putBack(each.next());
            each.remove();
        }
        return count;
    }

    /** A message that waits is no more in the log. */
    void lost(long position) {
        waiting.remove(position);
    }

    /** The first messages that are given up, at most so many. */
    List<Open> givenUp(int limit) {
        return List.copyOf(givenUp.subList(0, Math.min(limit, givenUp.size())));
    }

    /** What was given up is among the dead letters. */
    void buried(List<Open> dead) {
        givenUp.removeAll(dead);
    }

    boolean hasGivenUp() {
        return !givenUp.isEmpty();
    }
}
