package io.tributary.broker.shard;

import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.shard.fold.SessionState;
import io.tributary.broker.shard.fold.TopicProgress;
import io.tributary.common.collection.SequenceMap;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.SentUpTo;
import io.tributary.common.event.ShardEvent.ClientSettled;
import io.tributary.common.event.ShardEvent.TopicPosition;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The window of one persistent session's connection: what was handed to it and is not settled yet. Confined to the
 * thread of the driver.
 */
final class Outgoing {
    /**
     * How many sequence numbers lie between the first and the last message in flight at most: packet identifiers follow
     * from them, and two messages in flight must not have the same.
     */
    private static final int MOST_APART = 65_535;

    /** There is nothing to be looked at, or no room for it. */
    static final int NO_LANE = -1;

    /**
     * Stands for the priority of an entry of which only the PUBREL is owed: these take nothing of the window of a lane.
     * A connection may have as many in flight as it likes, and wait for what is behind them.
     */
    private static final int RELEASED = Message.HIGHEST_PRIORITY + 1;

    final SessionState client;
    final OwnerTarget target;
    final long connection;
    final long epoch;
    private final ShardConfig config;
    private final DeliveryMemory.Part memory;
    /** Entries that are settled though the queue still has them. */
    final Set<Long> withheld;
    /** Entries whose PUBREC is on its way into the log, so that their size is settled. */
    private final Set<Long> received;
    /** What may have been sent on connections before and carries DUP. */
    private final SentUpTo dupUpTo;
    /** What may be in flight, though this owner has not handed it to the connection. */
    private final SentUpTo maybeSentBefore;

    /** How far the connection has come with the queue. */
    private final Lanes lanes;

    /** Whether a page of the queue is being read from the store. */
    boolean isReading;

    /** Reads an application's topic; null for a device, whose queue is the shard's. */
    final @Nullable TopicReading reading;

    /** The value of {@link #doneUpTo} that the log has. */
    private long loggedUpTo;

    private final SequenceMap<Handed> handed = new SequenceMap<>();

    private final LaneWindow window;

    /** What of {@link #handed} each lane has; null as long as there was one lane. */
    private LaneWindow @Nullable [] windows;

    private List<Delivery> batch = new ArrayList<>();

    /** Set once the connection is gone, while acknowledgements of it may be on their way from its node. */
    private @Nullable Runnable whenLeft;

    /**
     * An entry in the window.
     *
     * @param size the size of its message in the queue, in bytes
     * @param memory what it takes of the window, in bytes
     * @param awaitsPubrec whether it is a message of QoS 2 that no connection is known to have a PUBREC for
     * @param lane its priority, or {@link #RELEASED}
     */
    private record Handed(int size, int memory, boolean awaitsPubrec, byte lane) {}

    Outgoing(
            SessionState client,
            OwnerTarget target,
            ShardConfig config,
            DeliveryMemory.Part memory,
            @Nullable Unlogged unlogged,
            SentUpTo dupUpTo,
            SentUpTo maybeSentBefore,
            long next,
            @Nullable TopicReading reading) {
        this.client = client;
        this.target = target;
        connection = client.connection();
        epoch = client.epoch();
        this.config = config;
        this.memory = memory;
        window = reading == null ? LaneWindow.ofQueue(config, memory) : LaneWindow.ofTopic(config, memory);
        withheld = unlogged == null ? new HashSet<>() : unlogged.settled();
        received = unlogged == null ? new HashSet<>() : unlogged.received();
        this.dupUpTo = dupUpTo;
        this.maybeSentBefore = maybeSentBefore;
        this.reading = reading;
        lanes = new Lanes(next, client.priorityUpTo());
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
        return reading != null || next() <= client.lastSequence();
    }

    /** The memory that is taken by what is in the window. */
    long handedBytes() {
        return window.bytes();
    }

    /** Everything up to this sequence number is settled, was another session's, or is no message. */
    long doneUpTo() {
        return handed.isEmpty() ? next() - 1 : Math.min(handed.firstSequence(), next()) - 1;
    }

    // How far it has come with the queue.

    /** The lowest sequence number that was not looked at yet. */
    long next() {
        return lanes.next();
    }

    /** The lowest sequence number that was not looked at yet in the lane of a priority. */
    long next(int lane) {
        return lanes.next(lane);
    }

    /** The lane to go on with, the highest one that may have messages and has room; {@link #NO_LANE} if none has. */
    int lane() {
        for (int lane = hasLanes() ? Message.HIGHEST_PRIORITY : 0; lane >= 0 && !isLeaving(); lane--) {
            if (mayHaveMore(lane) && window(lane).hasRoomForPage()) {
                return lane;
            }
        }
        return NO_LANE;
    }

    private boolean mayHaveMore(int lane) {
        return reading == null ? isBegun(lane) && next(lane) < end(lane) : next() < reach();
    }

    private boolean isBegun(int lane) {
        return lanes.mayHaveMore(lane, client.lastSequence(), client.priorityUpTo());
    }

    /**
     * Where a lane has to wait for those of lower priorities, and for those of higher ones: no message is handed before
     * an earlier one of a higher priority. So what a connection has of a queue are the first messages of each lane, as
     * far as they are not settled.
     */
    private long end(int lane) {
        long end = lane == 0 || reading != null ? Long.MAX_VALUE : reach();
        for (int higher = lane + 1; hasLanes() && higher <= Message.HIGHEST_PRIORITY; higher++) {
            end = isBegun(higher) ? Math.min(end, next(higher)) : end;
        }
        return end;
    }

    /**
     * Messages from here on wait for those that are not settled, for packet identifiers must not meet. Those of a
     * topic, too: what is settled behind a message that is not is kept in memory and in each save point, and a member
     * of a group may never acknowledge one.
     */
    private long reach() {
        return doneUpTo() + 1 + MOST_APART;
    }

    /**
     * Whether a lane is read only to find out where the queue begins, since a higher one waits for that: a queue of
     * which nothing was looked at may begin far behind where it is looked at first.
     */
    private boolean isProbe(int lane) {
        for (int higher = lane + 1; hasLanes() && higher <= Message.HIGHEST_PRIORITY; higher++) {
            if (isBegun(higher) && next(higher) >= reach() && window(higher).hasRoom()) {
                return true;
            }
        }
        return false;
    }

    /** Whether a message that enters the queue is the next to be handed. */
    boolean isNext(long sequence, int priority) {
        return next(priority) == sequence && isWithin(priority, sequence);
    }

    /** Whether a message may be handed in a lane now. */
    boolean isWithin(int lane, long sequence) {
        return !hasLanes() || sequence < end(lane);
    }

    /** Whether messages of a higher priority may have been handed ahead of others. */
    boolean hasLanes() {
        return lanes.areSeveral();
    }

    /** A message is in the queue, at its end. */
    void arrived(long sequence, int priority) {
        lanes.arrived(sequence, priority);
    }

    /** All messages of a lane are handed, or gone, up to a sequence number. */
    void passed(int lane, long sequence) {
        lanes.passed(lane, sequence, client.priorityUpTo());
    }

    /** A message that entered the queue is handed at once. */
    void took(long sequence) {
        lanes.took(sequence, client.priorityUpTo());
    }

    /** Whether an entry of the queue was handed ahead of others. */
    boolean wasAhead(long sequence, QueueEntry entry) {
        return lanes.areSeveral()
                && (entry instanceof QueueEntry.Queued queued
                        ? lanes.hasPassed(sequence, queued.priority())
                        : hasHanded(sequence));
    }

    // What is in the window.

    /** How far an application has come since that was logged; null when it is where it was, and for a device. */
    @Nullable
    TopicPosition takePosition() {
        long upTo = doneUpTo();
        if (reading == null || upTo <= loggedUpTo) {
            return null;
        }
        loggedUpTo = upTo;
        withheld.removeIf(sequence -> sequence <= upTo);
        return new TopicPosition(
                client.clientId(),
                client.session(),
                epoch,
                upTo,
                maybeSentUpTo().highest(),
                reading.pass(upTo));
    }

    /**
     * What a lane has of the window; all of it where there is one. Each lane has a window of its own, so that no
     * message waits for one of a lower priority. Nor does a message wait for other lanes where a new owner goes on with
     * a connection: the client may take nothing more before the owner knows of what is in flight, in whatever lane.
     */
    private LaneWindow window(int lane) {
        LaneWindow[] known = windows;
        if (known == null && !hasLanes()) {
            return window;
        }
        if (known == null) {
            known = new LaneWindow[RELEASED + 1];
            Arrays.setAll(
                    known,
                    priority ->
                            priority == 0 ? LaneWindow.ofQueue(config, memory) : LaneWindow.ofHigher(config, memory));
            windows = known;
            for (Handed each : handed.values()) {
                known[each.lane].put(each.memory);
            }
        }
        return known[lane];
    }

    /** Whether there is room for another message of a lane. */
    boolean hasRoom(int lane) {
        return !isLeaving() && window(lane).hasRoom();
    }

    /** How many more entries of a lane fit, at least one. */
    int roomForMessages(int lane) {
        return isProbe(lane) ? 1 : window(lane).roomForMessages();
    }

    /** How many entries of a lane to read: one while memory is short. */
    int toRead(int lane) {
        return memory.isFull() ? 1 : roomForMessages(lane);
    }

    /** Whether the rest of a page is to be read again later, for memory is short. A topic's page is not read twice. */
    boolean keepsRest() {
        return reading == null && memory.isFull();
    }

    /** Whether an entry that is not handed yet may be in flight all the same. */
    boolean mayHaveBegun(long sequence, int priority) {
        return maybeSentBefore.has(sequence, priority);
    }

    /** What a connection may have seen, as far as this owner knows. */
    SentUpTo maybeSentUpTo() {
        return lanes.handed().or(maybeSentBefore);
    }

    /** What of a priority a connection may have seen, or may be handed with what is being read. */
    long readingUpTo(int priority) {
        long seen = Math.max(next(priority) - 1, maybeSentBefore.of(priority));
        return isReading ? Math.max(seen, next(priority) + roomForMessages(priority) - 1) : seen;
    }

    void hand(long sequence, QueueEntry entry) {
        Handed now = handed(sequence, entry);
        handed.put(sequence, now);
        memory.take(now.memory);
        window.put(now.memory);
        if (windows != null) {
            windows[now.lane].put(now.memory);
        }
        batch.add(new Delivery(sequence, inOrder(entry), dupUpTo.has(sequence, entry.priority())));
    }

    /** Applications get the messages of their topics in order, whatever their priorities. */
    private QueueEntry inOrder(QueueEntry entry) {
        if (reading == null
                || !(entry instanceof QueueEntry.Queued queued)
                || queued.message().priority() == 0) {
            return entry;
        }
        return new QueueEntry.Queued(
                queued.message().withPriority(0),
                queued.qos(),
                queued.retain(),
                queued.subscriptionIds(),
                queued.group());
    }

    private Handed handed(long sequence, QueueEntry entry) {
        if (!(entry instanceof QueueEntry.Queued queued) || received.contains(sequence)) {
            return new Handed(0, 0, false, (byte) (entry instanceof QueueEntry.Queued ? entry.priority() : RELEASED));
        }
        int size = queued.sizeBytes();
        int inHeap = (int) Math.min(size + queued.objectsBytes(), Integer.MAX_VALUE);
        return new Handed(size, inHeap, queued.qos() == QoS.EXACTLY_ONCE, (byte)
                queued.message().priority());
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
        Handed known = handed.remove(sequence);
        if (known == null) {
            return null;
        }
        memory.take(-known.memory);
        window.take(known.memory);
        if (windows != null) {
            windows[known.lane].take(known.memory);
        }
        return known.size;
    }

    /**
     * Notes that only PUBREL is owed for an entry any more; returns the size of its message, null when it is not there.
     */
    @Nullable
    Integer receive(long sequence) {
        Handed known = handed.get(sequence);
        if (known == null) {
            return null;
        }
        handed.put(sequence, new Handed(0, 0, false, known.lane));
        memory.take(-known.memory);
        window.release(known.memory);
        if (windows != null) {
            windows[known.lane].release(known.memory);
        }
        return known.size;
    }

    /** An entry that was not handed left the queue. */
    void passOver(long sequence) {
        if (sequence == next() && !isReading) {
            passed(0, sequence);
        } else {
            withheld.add(sequence);
        }
    }

    /** The window is used no more. */
    void close() {
        memory.take(-window.bytes());
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
                && doneUpTo() < next()
                && next() - 1 <= lastSequence
                && lanes.handed().highest() <= lastSequence
                && dupUpTo.or(maybeSentBefore).equals(maybeSentBefore)
                && maybeSentBefore.highest() <= lastSequence;
    }

    @Override
    public String toString() {
        return "loggedUpTo " + loggedUpTo + ", doneUpTo " + doneUpTo() + ", next " + lanes + ", dupUpTo " + dupUpTo
                + ", maybeSentBefore " + maybeSentBefore;
    }
}
