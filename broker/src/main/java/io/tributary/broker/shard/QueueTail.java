package io.tributary.broker.shard;

import io.tributary.common.event.QueueEntry;
import org.jspecify.annotations.Nullable;

/**
 * The end of one session's queue in memory: the size of each message from some sequence number on, and the messages
 * themselves from the same or a later one on. Those that left the queue otherwise than at its front are marked as gone.
 * Confined to the thread of the driver.
 */
final class QueueTail {
    /** Stands for the size of a message that is not in the queue any more. */
    private static final int GONE = -1;
    /** A size takes 29 bits, for no packet is larger than 256 MiB; the priority is in the two above them. */
    private static final int PRIORITY_SHIFT = 29;

    private static final int SIZE_MASK = (1 << PRIORITY_SHIFT) - 1;

    /** About what one takes that has nothing. */
    static final int LEAST_BYTES = 400;

    private static final QueueEntry.@Nullable Queued[] NOTHING = {};
    private static final int LEAST_ROOM = 16;
    /** Some times what a queue may have; it is more only where the newest are dropped, which leave their places. */
    private static final int MOST_ROOM = 1 << 18;

    private static final int SIZE_BYTES = 4;
    /** About what an entry takes besides its message. */
    private static final int ENTRY_BYTES = 200;

    private final DeliveryMemory.Part memory;

    // Rings; the place of a sequence number is that modulo the length, which is a power of two.
    private int[] sizes = new int[LEAST_ROOM];
    private QueueEntry.@Nullable Queued[] entries = NOTHING;

    /** {@code from <= keptFrom <= end}: sizes are known from the first on, messages from the second on. */
    private long from;

    private long keptFrom;
    private long end;
    private long keptBytes;

    /** @param first the sequence number of the first message that is added */
    QueueTail(DeliveryMemory.Part memory, long first) {
        this.memory = memory;
        from = first;
        keptFrom = first;
        end = first;
        takeRoom(1);
    }

    /**
     * Adds the next message of the queue, and keeps the message itself if there is memory for it. False when there is
     * none for its size either, or too many were dropped behind what nobody takes: then nothing is known of it here,
     * and the tail is of no use any more.
     */
    boolean add(QueueEntry.Queued entry, boolean keeps) {
        if (end - from == sizes.length && !grow(keeps)) {
            return false;
        }
        sizes[at(sizes.length, end)] = Math.min(entry.sizeBytes(), SIZE_MASK) | entry.priority() << PRIORITY_SHIFT;
        end++;
        if (!keeps || !mayKeep(memoryOf(entry))) {
            letGo();
            return true;
        }
        if (end - keptFrom > entries.length) {
            entries = grown(entries);
        }
        entries[at(entries.length, end - 1)] = entry;
        take(memoryOf(entry));
        return true;
    }

    /** What was kept first is given up first, for that is the most likely to be in the store. */
    private boolean mayKeep(long bytes) {
        while (!memory.mayKeep(bytes, keptBytes)) {
            if (keptFrom >= end - 1) {
                return false;
            }
            giveUpFirst();
        }
        return true;
    }

    private void giveUpFirst() {
        forgetMessage(keptFrom);
        keptFrom++;
    }

    private void forgetMessage(long sequence) {
        int place = at(entries.length, sequence);
        QueueEntry.Queued gone = entries[place];
        if (gone != null) {
            entries[place] = null;
            take(-memoryOf(gone));
        }
    }

    /** Lets the messages go, and knows no more than their sizes. */
    void letGo() {
        take(-keptBytes);
        keptFrom = end;
        entries = NOTHING;
    }

    /** A message left the queue. */
    void gone(long sequence) {
        if (knows(sequence)) {
            sizes[at(sizes.length, sequence)] = GONE;
            if (keeps(sequence)) {
                forgetMessage(sequence);
            }
        }
    }

    /** Forgets all up to a sequence number. */
    void forgetUpTo(long sequence) {
        long first = Math.min(sequence + 1, end);
        while (keptFrom < first) {
            giveUpFirst();
        }
        from = Math.max(from, first);
    }

    /** Whether the size of this message is known. */
    boolean knows(long sequence) {
        return sequence >= from && sequence < end;
    }

    /** Whether this message is here, unless it is gone. */
    boolean keeps(long sequence) {
        return sequence >= keptFrom && sequence < end;
    }

    /** Whether a message that is known is not in the queue any more. */
    boolean isGone(long sequence) {
        return sizes[at(sizes.length, sequence)] == GONE;
    }

    /** The size of a message that is known and not gone, in bytes. */
    int sizeOf(long sequence) {
        return sizes[at(sizes.length, sequence)] & SIZE_MASK;
    }

    /** The priority of a message that is known and not gone. */
    int priorityOf(long sequence) {
        return sizes[at(sizes.length, sequence)] >>> PRIORITY_SHIFT;
    }

    /** The first sequence number that is known. */
    long begin() {
        return from;
    }

    /** The first message that is not gone; the end when all are. */
    long firstLeft() {
        long first = from;
        while (first < end && isGone(first)) {
            first++;
        }
        return first;
    }

    /** A message that is kept; null when it is gone. */
    QueueEntry.@Nullable Queued get(long sequence) {
        return entries[at(entries.length, sequence)];
    }

    boolean isEmpty() {
        return from == end;
    }

    /** The sequence number behind the last one. */
    long end() {
        return end;
    }

    /** Gives its memory back; it is used no more. */
    void close() {
        letGo();
        takeRoom(-1);
    }

    private void take(long bytes) {
        keptBytes += bytes;
        memory.take(bytes);
    }

    private void takeRoom(int sign) {
        memory.take(sign * roomBytes());
    }

    private long roomBytes() {
        return LEAST_BYTES + (long) sizes.length * SIZE_BYTES;
    }

    /** How much memory it takes. */
    long bytes() {
        return keptBytes + roomBytes();
    }

    private boolean grow(boolean isConnected) {
        if (sizes.length == MOST_ROOM || !memory.mayKnow((long) sizes.length * SIZE_BYTES, isConnected)) {
            return false;
        }
        int[] grown = new int[sizes.length * 2];
        for (long sequence = from; sequence < end; sequence++) {
            grown[at(grown.length, sequence)] = sizes[at(sizes.length, sequence)];
        }
        takeRoom(-1);
        sizes = grown;
        takeRoom(1);
        return true;
    }

    private QueueEntry.@Nullable Queued[] grown(QueueEntry.@Nullable Queued[] before) {
        QueueEntry.@Nullable Queued[] grown = new QueueEntry.@Nullable Queued[Math.max(LEAST_ROOM, before.length * 2)];
        for (long sequence = keptFrom; sequence < end - 1; sequence++) {
            grown[at(grown.length, sequence)] = before[at(before.length, sequence)];
        }
        return grown;
    }

    private static long memoryOf(QueueEntry.Queued entry) {
        return entry.memoryBytes() + ENTRY_BYTES;
    }

    private static int at(int length, long sequence) {
        return (int) (sequence & (length - 1));
    }
}
