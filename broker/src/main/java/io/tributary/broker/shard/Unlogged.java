package io.tributary.broker.shard;

import io.tributary.common.event.ShardEvent.ClientSettled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;

/**
 * What the owner knows of one session's queue and the log does not yet: entries that are settled, received or about to
 * be moved to another session. Confined to the thread of the driver.
 */
final class Unlogged {
    /**
     * How much of a record's room one part takes at most, in bytes: a sequence number takes ten, and those of its
     * message as many.
     */
    private static final int PART_OF_ROOM = 128;

    private final String clientId;
    private final long session;
    private final int mostInPart;
    /** Parts that are complete, and are to be logged before what follows. */
    private List<ClientSettled> complete = new ArrayList<>();

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

    /** @param roomBytes how many bytes a record may have besides a packet */
    Unlogged(String clientId, long session, int roomBytes) {
        this.clientId = clientId;
        this.session = session;
        mostInPart = roomBytes / PART_OF_ROOM;
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
        completeIfLarge();
    }

    void receive(long sequence, long size) {
        received.add(sequence);
        settledBytes += size;
        bytes += size;
        completeIfLarge();
    }

    void move(long sequence, long size) {
        moving.add(sequence);
        messages++;
        bytes += size;
    }

    private void completeIfLarge() {
        if (settled.size() + received.size() >= mostInPart) {
            complete();
        }
    }

    private void complete() {
        complete.add(new ClientSettled(clientId, session, settled.toArray(), settledBytes, received.toArray()));
        settled = new LongList();
        settledBytes = 0;
        received = new LongList();
    }

    /**
     * Takes what is to be logged, in parts that fit into a record each; they are to be logged in their order.
     *
     * @param upTo what is at or below this sequence number need not be named, for the log is told of it as a whole; 0
     *     for a device
     */
    List<ClientSettled> take(long upTo) {
        if (!settled.isEmpty() || !received.isEmpty()) {
            complete();
        }
        List<ClientSettled> taken = complete;
        complete = new ArrayList<>();
        inLog.addAll(taken);
        if (upTo > 0) {
            taken.replaceAll(part -> above(upTo, part));
        }
        return taken;
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
        return inLog.isEmpty() && moving.isEmpty() && complete.isEmpty() && settled.isEmpty() && received.isEmpty();
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
        complete.forEach(part -> addTo(all, part.settled()));
        inLog.forEach(logged -> addTo(all, logged.settled()));
        return all;
    }

    /** All sequence numbers whose PUBREC is not logged yet. */
    Set<Long> received() {
        Set<Long> all = new HashSet<>();
        addTo(all, received.toArray());
        complete.forEach(part -> addTo(all, part.received()));
        inLog.forEach(logged -> addTo(all, logged.received()));
        return all;
    }

    private static void addTo(Collection<Long> all, long[] sequences) {
        for (long sequence : sequences) {
            all.add(sequence);
        }
    }
}
