package io.tributary.broker.retained;

import io.tributary.common.mqtt.Message;
import org.jspecify.annotations.Nullable;

/** Counts retained messages and their bytes against the limits. Any thread. */
final class RetainedBudget {
    private final RetainedLimits limits;
    private long messages;
    private long bytes;

    RetainedBudget(RetainedLimits limits) {
        this.limits = limits;
    }

    /** Counts a message on a topic that had none, or tells that there is no room for it. */
    synchronized boolean admit(Message message) {
        int size = message.sizeBytes();
        if (messages >= limits.maxMessages() || bytes + size > limits.maxBytes()) {
            return false;
        }
        messages++;
        bytes += size;
        return true;
    }

    /** Counts that a topic's message changed, whatever the limits say. */
    synchronized void replace(@Nullable Message before, @Nullable Message after) {
        messages += (after == null ? 0 : 1) - (before == null ? 0 : 1);
        bytes += sizeOf(after) - sizeOf(before);
    }

    synchronized long messages() {
        return messages;
    }

    synchronized long bytes() {
        return bytes;
    }

    private static long sizeOf(@Nullable Message message) {
        return message == null ? 0 : message.sizeBytes();
    }
}
