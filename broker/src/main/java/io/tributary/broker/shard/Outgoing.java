package io.tributary.broker.shard;

import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.shard.fold.SessionState;
import io.tributary.broker.shard.fold.TopicProgress;
import io.tributary.common.collection.SequenceMap;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.ShardEvent.ClientSettled;
import io.tributary.common.event.ShardEvent.TopicPosition;
import io.tributary.common.mqtt.QoS;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The window of one persistent session's connection: what was handed to it and is not settled yet. Confined to the
 * thread of the driver.
 */
final class Outgoing {
    final SessionState client;
    final OwnerTarget target;
    final long connection;
    final long epoch;
    private final int windowMessages;
    private final int windowBytes;
    private final DeliveryMemory.Part memory;
    /** Entries that are settled though the queue still has them. */
    final Set<Long> withheld;
    /** Entries whose PUBREC is on its way into the log, so that their size is settled. */
    private final Set<Long> received;
    /** Messages up to this sequence number may have been sent on connections before and carry DUP. */
    private final long dupUpTo;
    /**
     * Messages up to this sequence number may be in flight, though this owner has not handed them to the connection.
     */
    private final long maybeSentBefore;

    /** The lowest sequence number that was not looked at yet. */
    long next;

    /** Whether a page of the queue is being read from the store. */
    boolean isReading;

    /** Reads an application's topic; null for a device, whose queue is the shard's. */
    final @Nullable TopicReading reading;

    /** The value of {@link #doneUpTo} that the log has. */
    private long loggedUpTo;

    private final SequenceMap<Handed> handed = new SequenceMap<>();

    private long handedBytes;

    /** Whether the window was full, and a quarter of it is not free yet. */
    private boolean filled;

    private List<Delivery> batch = new ArrayList<>();

    /** Set once the connection is gone, while acknowledgements of it may be on their way from its node. */
    private @Nullable Runnable whenLeft;

    /**
     * An entry in the window.
     *
     * @param size what it takes of the window, in bytes
     * @param awaitsPubrec whether it is a message of QoS 2 that no connection is known to have a PUBREC for
     */
    private record Handed(int size, boolean awaitsPubrec) {}

    Outgoing(
            SessionState client,
            OwnerTarget target,
            ShardConfig config,
            DeliveryMemory.Part memory,
            @Nullable Unlogged unlogged,
            long dupUpTo,
            long maybeSentBefore,
            long next,
            @Nullable TopicReading reading) {
        this.client = client;
        this.target = target;
        connection = client.connection();
        epoch = client.epoch();
        windowMessages = config.windowMessages();
        windowBytes = config.windowBytes();
        this.memory = memory;
        withheld = unlogged == null ? new HashSet<>() : unlogged.settled();
        received = unlogged == null ? new HashSet<>() : unlogged.received();
        this.dupUpTo = dupUpTo;
        this.maybeSentBefore = maybeSentBefore;
        this.reading = reading;
        this.next = next;
        TopicProgress topic = client.topic();
        if (topic != null) {
            loggedUpTo = topic.upTo();
            withheld.addAll(topic.settled());
        }
    }

    /** The lowest sequence number of a session that a connection may have to be handed. */
    static long first(SessionState client) {
        TopicProgress topic = client.topic();
        if (topic != null) {
            return topic.upTo() + 1;
        }
        return client.queuedMessages() == 0 ? client.lastSequence() + 1 : client.leftUpTo() + 1;
    }

    /** Whether something was handed to the connection that is not settled. */
    boolean hasUnsettled() {
        return !handed.isEmpty();
    }

    /**
     * The connection is gone: it is handed nothing more, but some of what it has acknowledged may be on its way.
     *
     * @param then what is to be done next, in place of what was to be done before
     */
    void leave(Runnable then) {
        whenLeft = then;
    }

    /** Whether acknowledgements of a connection that is gone are waited for. */
    boolean isLeaving() {
        return whenLeft != null;
    }

    /** The connection's acknowledgements are here, or are not waited for any longer. */
    void left() {
        Runnable then = whenLeft;
        if (then != null) {
            whenLeft = null;
            then.run();
        }
    }

    /** Whether there may be entries that were not looked at yet. */
    boolean mayHaveMore() {
        return reading != null || next <= client.lastSequence();
    }

    /**
     * Whether there is room, and so much of it since the window was full that it is worth the while to read another
     * page.
     */
    boolean hasRoomForPage() {
        return hasRoom() && !filled;
    }

    private boolean isAQuarterFree() {
        return handed.size() <= windowMessages - (windowMessages + 3) / 4 && handedBytes <= windowBytes / 4 * 3L;
    }

    /** The size of what is in the window. */
    long handedBytes() {
        return handedBytes;
    }

    /** Everything up to this sequence number is settled, was another session's, or is no message. */
    long doneUpTo() {
        return handed.isEmpty() ? next - 1 : handed.firstSequence() - 1;
    }

    /** How far an application has come since that was logged; null when it is where it was, and for a device. */
    @Nullable
    TopicPosition takePosition() {
        long upTo = doneUpTo();
        if (reading == null || upTo <= loggedUpTo) {
            return null;
        }
        loggedUpTo = upTo;
        withheld.removeIf(sequence -> sequence <= upTo);
        return new TopicPosition(client.clientId(), client.session(), epoch, upTo, maybeSentUpTo(), reading.pass(upTo));
    }

    boolean hasRoom() {
        return !isLeaving()
                && handed.size() < windowMessages
                && handedBytes < windowBytes
                && (handedBytes == 0 || !memory.isFull()); // one message at a time, whatever else takes memory
    }

    /** How many more entries fit, at least one. */
    int roomForMessages() {
        return Math.max(1, windowMessages - handed.size());
    }

    /** Whether an entry that is not handed yet may be in flight all the same. */
    boolean mayHaveBegun(long sequence) {
        return sequence <= maybeSentBefore;
    }

    /** The highest sequence number that a connection may have seen, as far as this owner knows. */
    long maybeSentUpTo() {
        return Math.max(next - 1, maybeSentBefore);
    }

    /** The highest sequence number that a connection may have seen, or may be handed with what is being read. */
    long readingUpTo() {
        return isReading ? Math.max(maybeSentUpTo(), next + roomForMessages() - 1) : maybeSentUpTo();
    }

    void hand(long sequence, QueueEntry entry) {
        Handed now = handed(sequence, entry);
        handed.put(sequence, now);
        handedBytes += now.size;
        memory.take(now.size);
        filled |= !hasRoom();
        batch.add(new Delivery(sequence, entry, sequence <= dupUpTo));
    }

    private Handed handed(long sequence, QueueEntry entry) {
        return entry instanceof QueueEntry.Queued queued && !received.contains(sequence)
                ? new Handed(queued.sizeBytes(), queued.qos() == QoS.EXACTLY_ONCE)
                : new Handed(0, false);
    }

    /** Whether an entry is in the window. */
    boolean hasHanded(long sequence) {
        return handed.containsKey(sequence);
    }

    /** Whether an entry in the window is a message of QoS 2 for which no PUBREC came from any connection. */
    boolean awaitsPubrec(long sequence) {
        Handed known = handed.get(sequence);
        return known != null && known.awaitsPubrec;
    }

    /** Whether nobody can read a message any more that a connection has: its client is still to be sent PUBREL. */
    boolean isOfLostTopic(long sequence) {
        return reading != null && reading.isOfAnother(sequence);
    }

    /** Takes an entry out of the window; null when it is not there. */
    @Nullable
    Integer settle(long sequence) {
        return takenOut(handed.remove(sequence));
    }

    /**
     * Notes that only PUBREL is owed for an entry any more; returns the size of its message, null when it is not there.
     */
    @Nullable
    Integer receive(long sequence) {
        return takenOut(handed.containsKey(sequence) ? handed.put(sequence, new Handed(0, false)) : null);
    }

    private @Nullable Integer takenOut(@Nullable Handed known) {
        if (known == null) {
            return null;
        }
        handedBytes -= known.size;
        memory.take(-known.size);
        filled &= !isAQuarterFree();
        return known.size;
    }

    /** An entry that was not handed left the queue. */
    void passOver(long sequence) {
        if (sequence == next && !isReading) {
            next++;
        } else {
            withheld.add(sequence);
        }
    }

    /** The window is used no more. */
    void close() {
        memory.take(-handedBytes);
        handedBytes = 0;
        if (reading != null) {
            reading.cancel();
        }
    }

    /** The queue shows what these entries have become: there is no need to know it here. A topic does not show it. */
    void logged(ClientSettled client) {
        if (reading == null) {
            forget(withheld, client.settled());
        } else {
            reading.released(client.received());
        }
        forget(received, client.received());
    }

    /** The log has a position that this owner wrote. */
    void logged(TopicPosition position) {
        if (reading != null) {
            reading.logged(position.upTo());
        }
    }

    private static void forget(Set<Long> known, long[] sequences) {
        for (int i = 0; i < sequences.length && !known.isEmpty(); i++) {
            known.remove(sequences[i]);
        }
    }

    /** Gives the connection what was handed since the last call. */
    void flush() {
        if (!batch.isEmpty()) {
            List<Delivery> taken = batch;
            batch = new ArrayList<>();
            target.deliver(connection, taken);
        }
    }

    /**
     * Whether the sequence numbers are in the order that {@link SessionDelivery} says.
     *
     * @param lastSequence the highest sequence number of the queue
     */
    boolean isOrdered(long leftUpTo, long lastSequence) {
        return leftUpTo <= doneUpTo()
                && loggedUpTo <= doneUpTo()
                && doneUpTo() <= next - 1
                && next - 1 <= lastSequence
                && dupUpTo <= maybeSentBefore
                && maybeSentBefore <= lastSequence;
    }

    @Override
    public String toString() {
        return "loggedUpTo " + loggedUpTo + ", doneUpTo " + doneUpTo() + ", next " + next + ", dupUpTo " + dupUpTo
                + ", maybeSentBefore " + maybeSentBefore;
    }
}
