package io.tributary.broker.connection;

import io.tributary.broker.delivery.MemberReply;
import io.tributary.common.collection.SequenceMap;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.mqtt.QoS;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The messages that were sent to a client and are not acknowledged to the end, in the order of their sequence numbers:
 * one of a higher priority may have been sent before others. Confined to the event loop.
 */
final class InFlightWindow {

    /** What a message waits for. */
    enum Phase {
        /** PUBACK or PUBREC. */
        SENT,
        /** The log: PUBREC came and is not logged yet. */
        RECEIVED,
        /** PUBCOMP: PUBREL was sent. */
        RELEASED
    }

    /** One message in flight. */
    static final class Entry {
        private final long sequence;
        private final QoS qos;
        private final @Nullable Queued shared;
        private final long keptBytes;
        private Phase phase;

        private Entry(long sequence, QoS qos, @Nullable Queued shared, Phase phase) {
            this.sequence = sequence;
            this.qos = qos;
            this.shared = shared;
            keptBytes = shared == null ? 0 : shared.memoryBytes();
            this.phase = phase;
        }

        long sequence() {
            return sequence;
        }

        QoS qos() {
            return qos;
        }

        /**
         * The message itself, kept for another member of its shared subscription in case this client leaves; otherwise
         * null.
         */
        @Nullable
        Queued shared() {
            return shared;
        }

        Phase phase() {
            return phase;
        }

        void advance(Phase next) {
            phase = next;
        }
    }

    private static final int FURTHEST_LENT = 32_000;

    private final int capacity;
    private final long capacityBytes;
    private final ConnectionContext context;
    /**
     * Messages with a sequence number; between the first and the last lie fewer than there are packet identifiers.
     */
    private final SequenceMap<Entry> bySequence = new SequenceMap<>();

    /**
     * The waiter for the acknowledgement of a message without a sequence number, by the packet identifier it was lent.
     */
    private final Map<Integer, MemberReply> lent = new LinkedHashMap<>(0);

    /** The size of the messages that are kept. */
    private long keptBytes;

    /** How far behind the latest sequence number the last lent identifier was taken. */
    private int lends;

    /**
     * Creates an empty window.
     *
     * @param capacity how many messages it takes
     * @param capacityBytes how large messages of shared subscriptions, which are kept, may be together; the last one
     *     may exceed it
     */
    InFlightWindow(int capacity, long capacityBytes, ConnectionContext context) {
        this.capacity =
                Math.min(capacity, PacketIds.COUNT - 1); // or lend() might find no identifier, and search for ever
        this.capacityBytes = capacityBytes;
        this.context = context;
    }

    /** Whether the message with that sequence number may be sent [MQTT-3.3.4-9]. */
    boolean admits(long sequence) {
        if (!hasRoom() || isLent(PacketIds.of(sequence))) {
            return false;
        }
        return bySequence.isEmpty()
                || (sequence - bySequence.firstSequence() < PacketIds.COUNT
                        && bySequence.lastSequence() - sequence < PacketIds.COUNT);
    }

    /** Whether another message may be sent [MQTT-3.3.4-9]. */
    boolean hasRoom() {
        return bySequence.size() + lent.size() < capacity && keptBytes < capacityBytes;
    }

    /**
     * Takes a packet identifier for a message without a sequence number, as long as there {@link #hasRoom}.
     *
     * @param lastSequence the sequence number before those that are still to be sent: numbered messages need the
     *     identifiers just before it last
     * @param reply waits for the acknowledgement
     */
    int lend(long lastSequence, MemberReply reply) {
        int furthest = bySequence.size() + lent.size() < FURTHEST_LENT ? FURTHEST_LENT : PacketIds.COUNT - 1;
        int packetId;
        do {
            lends = lends % furthest + 1;
            packetId = PacketIds.of(lastSequence + PacketIds.COUNT - lends);
        } while (get(packetId) != null || isLent(packetId));
        lent.put(packetId, reply);
        count(1);
        return packetId;
    }

    /** Whether a message without a sequence number has the packet identifier. */
    boolean isLent(int packetId) {
        return !lent.isEmpty() && lent.containsKey(packetId);
    }

    /** Ends the use of a packet identifier that was lent; null when it was not. */
    @Nullable
    MemberReply takeBack(int packetId) {
        MemberReply reply = lent.isEmpty() ? null : lent.remove(packetId);
        if (reply != null) {
            count(-1);
        }
        return reply;
    }

    /** Notes that a message was sent. */
    void add(long sequence, Queued message) {
        Queued shared = message.group() != null && message.qos() == QoS.AT_LEAST_ONCE
                ? message
                : null; // a message of QoS 2 stays with its member [MQTT-4.8.2-4, MQTT-4.8.2-5]
        add(new Entry(sequence, message.qos(), shared, Phase.SENT));
    }

    /** Notes that PUBREL was sent for a message of which only the PUBREL is left. */
    void addReleased(long sequence) {
        add(new Entry(sequence, QoS.EXACTLY_ONCE, null, Phase.RELEASED));
    }

    private void add(Entry entry) {
        bySequence.put(entry.sequence, entry);
        keptBytes += entry.keptBytes;
        count(1);
    }

    /** The message with that packet identifier, or null when there is none. */
    @Nullable
    Entry get(int packetId) {
        return bySequence.isEmpty()
                ? null
                : bySequence.get(PacketIds.sequenceFrom(bySequence.firstSequence(), packetId));
    }

    /** The message with that sequence number, or null when it is not in flight. */
    @Nullable
    Entry find(long sequence) {
        return bySequence.get(sequence);
    }

    /** The message is acknowledged to the end. */
    void remove(Entry entry) {
        bySequence.remove(entry.sequence);
        keptBytes -= entry.keptBytes;
        count(-1);
    }

    /** All messages in flight, oldest first. */
    Collection<Entry> entries() {
        return bySequence.values();
    }

    /** The waiters for acknowledgements of messages without a sequence number, oldest first. */
    Collection<MemberReply> lent() {
        return lent.values();
    }

    /** Forgets all messages. */
    void clear() {
        count(-bySequence.size() - lent.size());
        bySequence.clear();
        lent.clear();
        keptBytes = 0;
    }

    private void count(int difference) {
        long left = difference < 0 ? -difference : 0;
        context.flow().setRelease((context.flow().getPlain() + difference + (left << Integer.SIZE)) & Long.MAX_VALUE);
        context.services().recorder().inFlightChanged(difference);
    }
}
