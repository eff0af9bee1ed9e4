package io.tributary.broker.shard;

import io.tributary.common.event.ShardEvent.ClientSettled;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the owner knows of one session's queue and the log does not yet: entries that are settled, received or about to be
 * moved to another session. Confined to the thread of the driver.
 */
final class Unlogged {
    final long session;
    private LongList settled = new LongList();
    private long settledBytes;
    private LongList received = new LongList();
    private final Queue<ClientSettled> inLog = new ArrayDeque<>();
    private final Set<Long> moving = new HashSet<>();

    /** No higher sequence number is settled. */
    private long highestSettled;

    /** How many entries are gone from the queue, as far as the owner knows. */
    private long messages;

    /** And their size. */
    private long bytes;

    Unlogged(long session) {
        this.session = session;
    }

    long messages() {
        return messages;
    }

    long bytes() {
        return bytes;
    }

    void settle(long sequence, long size) {
        settled.add(sequence);
        highestSettled = Math.max(highestSettled, sequence);
        settledBytes += size;
        messages++;
        bytes += size;
    }

    void receive(long sequence, long size) {
        received.add(sequence);
        settledBytes += size;
        bytes += size;
    }

    void move(long sequence, long size) {
        moving.add(sequence);
        messages++;
        bytes += size;
    }

    /**
     * Takes what is to be logged; null when there is nothing.
     *
     * @param upTo what is at or below this sequence number need not be named, for the log is told of it as a whole; 0 for a
     *     device
     */
    @Nullable
    ClientSettled take(String clientId, long upTo) {
        if (settled.isEmpty() && received.isEmpty()) {
            return null;
        }
        ClientSettled taken = new ClientSettled(clientId, session, settled.toArray(), settledBytes, received.toArray());
        settled = new LongList();
        settledBytes = 0;
        received = new LongList();
        inLog.add(taken);
        return upTo == 0 ? taken : above(upTo, taken);
    }

    private static ClientSettled above(long upTo, ClientSettled all) {
        return new ClientSettled(
                all.clientId(),
                all.session(),
                above(upTo, all.settled()),
                all.settledBytes(),
                above(upTo, all.received()));
    }

    private static long[] above(long upTo, long[] sequences) {
        return Arrays.stream(sequences).filter(sequence -> sequence > upTo).toArray();
    }

    /** The log has what was taken first. */
    void logged() {
        ClientSettled logged = inLog.remove();
        messages -= logged.settled().length;
        bytes -= logged.settledBytes();
    }

    /** The log has a move. */
    void moved(long sequence, long size) {
        if (moving.remove(sequence)) {
            messages--;
            bytes -= size;
        }
    }

    boolean isMoving() {
        return !moving.isEmpty();
    }

    boolean isEmpty() {
        return inLog.isEmpty() && moving.isEmpty() && settled.isEmpty() && received.isEmpty();
    }

    /** Whether a sequence number from this one on may be settled or about to move. */
    boolean withholdsFrom(long sequence) {
        return !moving.isEmpty() || sequence <= highestSettled;
    }

    /** All sequence numbers that are settled or about to move. */
    Set<Long> withheld() {
        Set<Long> all = settled();
        all.addAll(moving);
        return all;
    }

    /** All sequence numbers that are settled. */
    Set<Long> settled() {
        Set<Long> all = new HashSet<>();
        addTo(all, settled.toArray());
        inLog.forEach(logged -> addTo(all, logged.settled()));
        return all;
    }

    /** All sequence numbers whose PUBREC is not logged yet. */
    Set<Long> received() {
        Set<Long> all = new HashSet<>();
        addTo(all, received.toArray());
        inLog.forEach(logged -> addTo(all, logged.received()));
        return all;
    }

    private static void addTo(Collection<Long> all, long[] sequences) {
        for (long sequence : sequences) {
            all.add(sequence);
        }
    }
}
