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

    /** Counts a topic's new message in the place of the one before, or tells that there is no room for it. */
    synchronized boolean admit(@Nullable Message before, Message message) {
        long growth = message.sizeBytes() - sizeOf(before);
        boolean oneTooMany = before == null && messages >= limits.maxMessages();
        if (oneTooMany || (growth > 0 && bytes + growth > limits.maxBytes())) {
            return false;
        }
        replace(before, message);
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
