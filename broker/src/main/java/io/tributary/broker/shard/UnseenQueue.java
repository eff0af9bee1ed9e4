package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.SessionState;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.mqtt.Message;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the owner knows of the part of one session's queue that no connection was handed: its end, while the session is
 * behind or its queue long ({@link QueueTail}), and what is dropped of it ({@link TrimmedRange}). So the store need not
 * be asked for the next messages of a connection that was served all along, nor for the size of what is dropped.
 * Confined to the thread of the driver.
 *
 * <p>Decided in docs/decisions/0017-the-end-of-a-queue-is-kept.md.
 */
final class UnseenQueue {
    /** The part of its limit at which a queue without a connection is long. */
    private static final int LONG_PART = 16;

    private final DeliveryMemory.Part memory;

    /** Lives until all of it is handed, or dropped. */
    private @Nullable QueueTail tail;

    /** Lives until the client goes, and then until it comes and goes again. */
    private @Nullable TrimmedRange trimmed;

    /** Whether a connection was handed something of the tail since that was asked last. */
    private boolean isTaken;

    UnseenQueue(DeliveryMemory.Part memory) {
        this.memory = memory;
    }

    /** Takes a message out of the queue, for good. */
    @FunctionalInterface
    interface Dropper {
        /** Drops one. */
        void drop(long sequence, long size);
    }

    /** Whether so long a queue is remembered though nobody is connected. */
    static boolean isLong(SessionState client, QueueLimits limits) {
        return client.queuedMessages() > limits.maxMessages() / LONG_PART
                || client.queuedBytes() > limits.maxBytes() / LONG_PART;
    }

    boolean isIdle() {
        return tail == null && trimmed == null;
    }

    /**
     * A message entered the queue.
     *
     * @param isUnseen whether it is to be remembered where none before it is
     * @param keeps whether the message itself is to be kept
     */
    void queued(long sequence, QueueEntry.Queued entry, boolean isUnseen, boolean keeps) {
        if (tail != null && tail.end() != sequence) {
            forgetTail(); // those between were handed or dropped as they came, and so were all before them
        }
        QueueTail known = tail;
        if (known == null) {
            if (!isUnseen || !memory.mayKnow(QueueTail.LEAST_BYTES, keeps)) {
                return;
            }
            known = new QueueTail(memory, sequence);
            tail = known;
        }
        if (!known.add(entry, keeps)) {
            forgetTail();
        }
    }

    /** A message left the queue. */
    void gone(long sequence) {
        if (tail != null) {
            tail.gone(sequence);
        }
    }

    /** Everything up to a sequence number was handed to a connection, or dropped. */
    void seenUpTo(long sequence) {
        QueueTail known = tail;
        if (known != null) {
            known.forgetUpTo(sequence);
            if (known.isEmpty()) {
                forgetTail();
            }
        }
    }

    /** Messages of the queue are about to leave it in other ways than at its front. */
    void forgetTail() {
        if (tail != null) {
            tail.close();
            tail = null;
        }
    }

    /** The connection is gone: what it was handed and not sent is looked at again. */
    void disconnected() {
        trimmed = null;
        if (tail != null) {
            tail.letGo();
        }
    }

    /** The session is over. */
    void ended() {
        trimmed = null;
        forgetTail();
    }

    /** Lets messages go that nobody took any of since the last call. */
    void letGoIfStuck() {
        if (tail != null && !isTaken) {
            tail.letGo();
        }
        isTaken = false;
    }

    /** Whether the message with this sequence number is here, or known to be gone. */
    boolean keeps(long sequence) {
        return tail != null && tail.keeps(sequence);
    }

    /** A message that is here; null when it is gone. */
    QueueEntry.@Nullable Queued take(long sequence) {
        isTaken = true;
        return tail == null ? null : tail.get(sequence);
    }

    /** How much memory this takes, in bytes. */
    long bytes() {
        return tail == null ? 0 : tail.bytes();
    }

    // What is dropped.

    /** Up to where messages of a priority were looked at, for what is too much of the queue, since its client went. */
    long trimmedUpTo(int priority) {
        return trimmed == null ? 0 : trimmed.upTo(priority);
    }

    /** Whether no more was looked at than the queue has. */
    boolean isOrdered(long lastSequence) {
        for (int priority = 0; trimmed != null && priority <= Message.HIGHEST_PRIORITY; priority++) {
            if (trimmed.upTo(priority) > lastSequence) {
                return false;
            }
        }
        return true;
    }

    /** The part of the queue that is dropped. */
    TrimmedRange trimmed() {
        TrimmedRange known = trimmed;
        if (known == null) {
            known = new TrimmedRange();
            trimmed = known;
        }
        return known;
    }

    /** The first sequence number from the given one on that was not dropped; to read the others takes long. */
    long firstKept(long sequence) {
        return trimmed == null ? sequence : trimmed.firstKept(sequence);
    }

    /**
     * Drops the oldest messages of a priority, if their sizes are known.
     *
     * @param firstUnseen no connection was handed this one, or what follows it of that priority
     * @param hasPriorities whether messages of other priorities may lie between
     * @param isAnyFine whether the oldest that is known is dropped though an older one may not be known
     * @param isTooMuch whether more is to be dropped
     */
    void dropOldest(
            int priority,
            long firstUnseen,
            boolean hasPriorities,
            boolean isAnyFine,
            BooleanSupplier isTooMuch,
            Dropper dropper) {
        QueueTail known = tail;
        long next = Math.max(firstUnseen, trimmedUpTo(priority) + 1);
        if (known != null && isAnyFine) {
            next = Math.max(next, known.begin());
        }
        if (known == null || !known.knows(next)) {
            return;
        }
        TrimmedRange range = trimmed();
        range.looksFrom(priority, next);
        long end = known.end(); // the tail may be forgotten with what is dropped last
        while (next < end && isTooMuch.getAsBoolean()) {
            boolean isGone = known.isGone(next);
            boolean isMeant = !isGone && known.priorityOf(next) == priority;
            if (isMeant) {
                dropper.drop(next, known.sizeOf(next));
            }
            range.looked(priority, next, isGone || isMeant);
            next++;
        }
        if (hasPriorities) {
            range.gone(known.begin(), known.firstLeft() - 1);
            seenUpTo(known.firstLeft() - 1);
        } else {
            seenUpTo(range.upTo(0));
        }
    }

    @Override
    public String toString() {
        return "trimmedUpTo " + trimmedUpTo(0);
    }
}
