package io.tributary.broker.retained;

import io.tributary.broker.security.store.TenantLimits.Limit;
import io.tributary.common.mqtt.Message;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts retained messages, and the bytes that they take in the heap, against limits: all of them, or those of one
 * tenant. Any thread.
 */
final class RetainedBudget {
    /** About what a topic takes besides its name and its message, and the objects that this consists of. */
    static final int TOPIC_BYTES = 250;

    private final @Nullable RetainedBudget whole;
    private final LongSupplier mostMessages;
    private final LongSupplier mostBytes;
    private final Consumer<Limit> onRefusal;
    private long messages;
    private long bytes;

    /** One for all messages. */
    RetainedBudget(RetainedLimits limits) {
        this(null, limits::maxMessages, limits::maxBytes, _ -> {});
    }

    /**
     * One for some messages.
     *
     * @param whole where these count, too
     * @param onRefusal told which of the limits there was no room for a message under
     */
    RetainedBudget(
            @Nullable RetainedBudget whole,
            LongSupplier mostMessages,
            LongSupplier mostBytes,
            Consumer<Limit> onRefusal) {
        this.whole = whole;
        this.mostMessages = mostMessages;
        this.mostBytes = mostBytes;
        this.onRefusal = onRefusal;
    }

    /** Counts a topic's new message in the place of the one before, or tells that there is no room for it. */
    synchronized boolean admit(@Nullable Message before, Message message) {
        long growth = sizeOf(message) - sizeOf(before);
        boolean oneTooMany = before == null && messages >= mostMessages.getAsLong();
        if (oneTooMany || (growth > 0 && bytes + growth > mostBytes.getAsLong())) {
            onRefusal.accept(oneTooMany ? Limit.RETAINED_MESSAGES : Limit.RETAINED_BYTES);
            return false;
        }
        if (whole != null && !whole.admit(before, message)) {
            return false;
        }
        count(before, message);
        return true;
    }

    /** Counts that a topic's message changed, whatever the limits say. */
    synchronized void replace(@Nullable Message before, @Nullable Message after) {
        if (whole != null) {
            whole.replace(before, after);
        }
        count(before, after);
    }

    private void count(@Nullable Message before, @Nullable Message after) {
        messages += (after == null ? 0 : 1) - (before == null ? 0 : 1);
        bytes += sizeOf(after) - sizeOf(before);
    }

    synchronized long messages() {
        return messages;
    }

    synchronized long bytes() {
        return bytes;
    }

    /** The name of the topic is there twice: the message has it, too. */
    static long sizeOf(@Nullable Message message) {
        return message == null ? 0 : TOPIC_BYTES + message.topic().length() + message.memoryBytes();
    }
}
