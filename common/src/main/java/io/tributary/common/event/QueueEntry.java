package io.tributary.common.event;

import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a session's queue under a sequence number.
 *
 * <p>Decided in docs/decisions/0002-one-queue.md.
 */
public sealed interface QueueEntry {

    /** What the byte limits of queues count for the entry: everything that is as large as a client likes. */
    int sizeBytes();

    /** About how many bytes the entry takes in the heap; what limits of memory count. */
    default long memoryBytes() {
        return sizeBytes() + objectsBytes();
    }

    /** How much of {@link #memoryBytes} is for objects, and not in {@link #sizeBytes}. */
    long objectsBytes();

    /** Which of a queue's entries goes first: the message's; the highest where only the PUBREL of a message is owed. */
    int priority();

    /** A message that the client has not acknowledged; the fields are those of {@link Recipient}. */
    record Queued(
            Message message,
            QoS qos,
            boolean retain,
            List<Integer> subscriptionIds,
            @Nullable String group) implements QueueEntry {

        /** An object for each subscription identifier. */
        private static final int ID_BYTES = 16;

        @Override
        public int sizeBytes() {
            int named = subscriptionIds.size() * Integer.BYTES + (group == null ? 0 : group.length());
            return message.sizeBytes() + named;
        }

        @Override
        public long objectsBytes() {
            return message.objectsBytes() + (long) subscriptionIds.size() * ID_BYTES;
        }

        @Override
        public int priority() {
            return message.priority();
        }
    }

    /** A QoS 2 message whose PUBREC came: only PUBREL is sent for it, until PUBCOMP. */
    record Released() implements QueueEntry {

        @Override
        public int sizeBytes() {
            return 0;
        }

        @Override
        public long objectsBytes() {
            return 0;
        }

        @Override
        public int priority() {
            return Message.HIGHEST_PRIORITY;
        }
    }
}
