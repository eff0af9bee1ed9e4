package io.tributary.broker.connection;

import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Acknowledgements that are owed to a client. They are written in the order in which its packets came, whatever the
 * order in which they become due [MQTT-4.6.0-2, MQTT-4.6.0-3, MQTT-4.6.0-4]. Confined to the event loop.
 */
final class AckQueue {
    private final ArrayDeque<Slot> owed = new ArrayDeque<>();
    private final Writer writer;

    /** Writes an acknowledgement whose turn has come. */
    interface Writer {
        void write(Slot slot, ReasonCode reason);
    }

    AckQueue(Writer writer) {
        this.writer = writer;
    }

    /** The place of an acknowledgement, taken when the packet comes. */
    final class Slot {
        private final int packetId;
        private final QoS qos;
        private final long sinceNanos;
        private final boolean isOfRepetition;
        private @Nullable ReasonCode reason;
        private @Nullable String words;

        private Slot(int packetId, QoS qos, long sinceNanos, boolean isOfRepetition) {
            this.packetId = packetId;
            this.qos = qos;
            this.sinceNanos = sinceNanos;
            this.isOfRepetition = isOfRepetition;
        }

        int packetId() {
            return packetId;
        }

        QoS qos() {
            return qos;
        }

        /** When the packet came, if that is to be known; else 0. */
        long sinceNanos() {
            return sinceNanos;
        }

        /** Whether the packet repeats one that was answered. */
        boolean isOfRepetition() {
            return isOfRepetition;
        }

        @Nullable
        String words() {
            return words;
        }

        /** The acknowledgement is due; it goes out when all before it have. */
        void fill(ReasonCode filled, @Nullable String filledWords) {
            reason = filled;
            words = filledWords;
            writeDue();
        }
    }

    /** Takes the next place. */
    Slot reserve(int packetId, QoS qos) {
        return reserve(packetId, qos, 0);
    }

    /** Takes the next place, for a packet that came then. */
    Slot reserve(int packetId, QoS qos, long sinceNanos) {
        return add(new Slot(packetId, qos, sinceNanos, false));
    }

    /** Takes the next place, for a PUBLISH that came before under the same packet identifier. */
    Slot reserveForRepetition(int packetId) {
        return add(new Slot(packetId, QoS.EXACTLY_ONCE, 0, true));
    }

    private Slot add(Slot slot) {
        owed.add(slot);
        return slot;
    }

    /** How many acknowledgements are owed. */
    int size() {
        return owed.size();
    }

    private void writeDue() {
        for (Slot slot = owed.peek(); slot != null; slot = owed.peek()) {
            ReasonCode due = slot.reason;
            if (due == null) {
                return;
            }
            owed.remove();
            writer.write(slot, due);
        }
    }
}
