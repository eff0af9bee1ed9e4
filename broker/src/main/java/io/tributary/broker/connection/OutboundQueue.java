package io.tributary.broker.connection;

import io.tributary.broker.connection.OutboundLimits.Overflow;
import io.tributary.common.event.QueueEntry.Queued;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Messages that wait in memory to be sent to one client, at most so many and so large; beyond that the oldest or the
 * newest is dropped, and counted. Confined to the event loop.
 */
final class OutboundQueue {
    /** What waiting takes beside the message itself. */
    private static final int ENTRY_BYTES = 64;

    private static final int KEPT_MESSAGES = 256;

    private final OutboundLimits limits;
    private final ClientRecorder recorder;
    private final @Nullable PublisherHold hold;
    private ArrayDeque<Queued> messages = new ArrayDeque<>(0);
    /** The most that waited since the queue was empty. */
    private int most;

    private long bytes;

    OutboundQueue(OutboundLimits limits, ClientRecorder recorder, @Nullable PublisherHold hold) {
        this.limits = limits;
        this.recorder = recorder;
        this.hold = hold;
    }

    /** Adds a message, or drops one. */
    void add(Queued message) {
        long size = size(message);
        while (!messages.isEmpty() && isFull(size)) {
            recorder.dropped(DropReason.QUEUE_FULL);
            if (limits.overflow() != Overflow.DROP_OLDEST) {
                return;
            }
            poll();
        }
        messages.add(message);
        if (hold != null) {
            hold.add(size);
        }
        most = Math.max(most, messages.size());
        bytes += size;
    }

    /** Takes the message that waits longest, or null when none does. */
    @Nullable
    Queued poll() {
        Queued message = messages.poll();
        if (message != null) {
            bytes -= size(message);
            if (hold != null) {
                hold.taken(size(message));
            }
            if (messages.isEmpty()) {
                shrink();
            }
        }
        return message;
    }

    /** A deque keeps the room that it once needed. */
    private void shrink() {
        if (most > KEPT_MESSAGES) {
            messages = new ArrayDeque<>(0);
        }
        most = 0;
    }

    /** What a message takes while it waits, in bytes. */
    static long size(Queued message) {
        return (long) message.sizeBytes() + ENTRY_BYTES;
    }

    boolean isEmpty() {
        return messages.isEmpty();
    }

    private boolean isFull(long more) {
        return messages.size() >= limits.queueMessages() || bytes + more > limits.queueBytes();
    }
}
