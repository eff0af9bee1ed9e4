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
    private final OutboundLimits limits;
    private final ClientRecorder recorder;
    private final ArrayDeque<Queued> messages = new ArrayDeque<>(0);
    private long bytes;

    OutboundQueue(OutboundLimits limits, ClientRecorder recorder) {
        this.limits = limits;
        this.recorder = recorder;
    }

    /** Adds a message, or drops one. */
    void add(Queued message) {
        long size = message.sizeBytes();
        while (!messages.isEmpty() && isFull(size)) {
            recorder.dropped(DropReason.QUEUE_FULL);
            if (limits.overflow() == Overflow.DROP_NEWEST) {
                return;
            }
            poll();
        }
        messages.add(message);
        bytes += size;
    }

    /** Takes the message that waits longest, or null when none does. */
    @Nullable
    Queued poll() {
        Queued message = messages.poll();
        if (message != null) {
            bytes -= message.sizeBytes();
        }
        return message;
    }

    boolean isEmpty() {
        return messages.isEmpty();
    }

    private boolean isFull(long more) {
        return messages.size() >= limits.queueMessages() || bytes + more > limits.queueBytes();
    }
}
