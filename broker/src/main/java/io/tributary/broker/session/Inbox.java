package io.tributary.broker.session;

import io.tributary.common.mqtt.Message;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Room for the messages that other threads have handed to a session and its event loop has not taken yet. It is counted
 * where messages are handed over, so that an event loop that falls behind does not pile up memory. Any thread.
 */
final class Inbox {
    /** What a letter takes besides its message. */
    private static final int LETTER_BYTES = 96;

    private final long maxBytes;
    private final AtomicLong bytes = new AtomicLong();

    Inbox(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Takes room for a message if there is some; an empty inbox takes every message. */
    boolean enter(Message message) {
        long size = sizeOf(message);
        long before = bytes.getAndAdd(size);
        if (before > 0 && before + size > maxBytes) {
            bytes.addAndGet(-size);
            return false;
        }
        return true;
    }

    /** Gives the room of a message back that {@link #enter} let in. */
    void leave(Message message) {
        bytes.addAndGet(-sizeOf(message));
    }

    private static long sizeOf(Message message) {
        return (long) message.sizeBytes() + LETTER_BYTES;
    }
}
