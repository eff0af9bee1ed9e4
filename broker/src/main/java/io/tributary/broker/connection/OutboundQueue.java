package io.tributary.broker.connection;

import io.tributary.broker.connection.OutboundLimits.Overflow;
import io.tributary.common.event.QueueEntry.Queued;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Messages that wait in memory to be sent to one client, those of a higher priority first, at most so many and so
 * large; beyond that the oldest or the newest of the lowest priority is dropped, and counted. Confined to the event
 * loop.
 */
final class OutboundQueue {
    /** What waiting takes beside the message itself. */
    private static final int ENTRY_BYTES = 64;

    private static final int KEPT_MESSAGES = 256;

    /** Nothing is ever added to it. */
    private static final ArrayDeque<Queued> NONE = new ArrayDeque<>(0);

    private final OutboundLimits limits;
    private final ClientRecorder recorder;
    private final @Nullable PublisherHold hold;
    /** Those of priority 0. */
    private ArrayDeque<Queued> messages = NONE;
    /** Those of the priorities above, from 1 up to the highest that came. */
    private List<ArrayDeque<Queued>> higher = List.of();

    private int count;
    /** The most that waited since the queue was empty. */
    private int most;

    private long bytes;

    OutboundQueue(OutboundLimits limits, ClientRecorder recorder, @Nullable PublisherHold hold) {
        this.limits = limits;
        this.recorder = recorder;
        this.hold = hold;
    }

    /** Whether a message that can be sent at once need not be added first: it would be the next, and is not counted. */
    boolean letsPass() {
        return count == 0 && hold == null;
    }

    /** Adds a message, for which others may be dropped; or drops it when there would be no room without them either. */
    void add(Queued message) {
        long size = size(message);
        int priority = message.message().priority();
        if (isFull(size)
                && !hasRoomWithout(limits.overflow() == Overflow.DROP_OLDEST ? priority : priority - 1, size)) {
            recorder.dropped(DropReason.QUEUE_FULL);
            return;
        }
        while (count > 0 && isFull(size)) {
            recorder.dropped(DropReason.QUEUE_FULL);
            drop();
        }
        line(priority).add(message);
        if (hold != null) {
            hold.add(size);
        }
        count++;
        most = Math.max(most, count);
        bytes += size;
    }

    /**
     * Whether so many more bytes have room once messages of up to that priority are gone, as many as it takes. Looks at
     * no more of them than that.
     */
    private boolean hasRoomWithout(int mostPriority, long more) {
        int countLeft = count;
        long bytesLeft = bytes;
        for (int priority = 0; priority <= Math.min(mostPriority, higher.size()); priority++) {
            for (Queued each : priority == 0 ? messages : higher.get(priority - 1)) {
                countLeft--;
                bytesLeft -= size(each);
                if (hasRoom(countLeft, bytesLeft, more)) {
                    return true;
                }
            }
        }
        return countLeft == 0;
    }

    /** Drops a message of the lowest priority. */
    private void drop() {
        ArrayDeque<Queued> lowest = lowest();
        long size = left(limits.overflow() == Overflow.DROP_OLDEST ? lowest.remove() : lowest.removeLast());
        if (hold != null) {
            hold.dropped(size);
        }
    }

    /** Takes the message of the highest priority that waits longest, or null when none does. */
    @Nullable
    Queued poll() {
        Queued message = highest().poll();
        if (message != null) {
            long size = left(message);
            if (hold != null) {
                hold.taken(size);
            }
        }
        return message;
    }

    /** Gives what the message took, in bytes. */
    private long left(Queued message) {
        long size = size(message);
        bytes -= size;
        count--;
        if (count == 0) {
            shrink();
        }
        return size;
    }

    /** A deque keeps the room that it once needed. */
    private void shrink() {
        if (most > KEPT_MESSAGES) {
            messages = NONE;
            higher = List.of();
        }
        most = 0;
    }

    @SuppressWarnings("ReferenceEquality") // another deque that is empty may be added to
    private ArrayDeque<Queued> line(int priority) {
        if (priority == 0) {
            if (messages == NONE) {
                messages = new ArrayDeque<>(0);
            }
            return messages;
        }
        if (higher.isEmpty()) {
            higher = new ArrayList<>(1);
        }
        while (higher.size() < priority) {
            higher.add(new ArrayDeque<>(0));
        }
        return higher.get(priority - 1);
    }

    private ArrayDeque<Queued> highest() {
        for (int i = higher.size() - 1; i >= 0; i--) {
            if (!higher.get(i).isEmpty()) {
                return higher.get(i);
            }
        }
        return messages;
    }

    private ArrayDeque<Queued> lowest() {
        for (int i = 0; messages.isEmpty() && i < higher.size(); i++) {
            if (!higher.get(i).isEmpty()) {
                return higher.get(i);
            }
        }
        return messages;
    }

    /** What a message takes while it waits, in bytes. */
    static long size(Queued message) {
        return message.memoryBytes() + ENTRY_BYTES;
    }

    boolean isEmpty() {
        return count == 0;
    }

    private boolean isFull(long more) {
        return !hasRoom(count, bytes, more);
    }

    private boolean hasRoom(int messagesBefore, long bytesBefore, long more) {
        return messagesBefore < limits.queueMessages() && bytesBefore + more <= limits.queueBytes();
    }
}
