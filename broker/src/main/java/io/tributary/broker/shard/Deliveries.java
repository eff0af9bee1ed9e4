package io.tributary.broker.shard;

import io.tributary.broker.shard.ShardRecorder.Drop;
import io.tributary.broker.shard.fold.SessionState;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.SentUpTo;
import io.tributary.common.event.ShardEvent.ClientSettled;
import io.tributary.common.event.ShardEvent.Redistribution;
import io.tributary.common.event.ShardEvent.Settled;
import io.tributary.common.event.ShardEvent.TopicPosition;
import io.tributary.common.event.TenantNames;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Hands the queues of a shard's sessions to their connections, within a window each, and collects what the clients
 * acknowledge until it is logged: the {@link SessionDelivery} of each session that needs one, and what they are to do
 * later. Confined to the thread of the driver.
 */
final class Deliveries {
    /** Ten seconds. */
    private static final int TICKS_TO_BE_STUCK = 100;

    final SessionQueues queues;
    final LongSupplier timeMillis;
    final ShardRecorder recorder;
    final int roomBytes;
    final DeliveryMemory.Part memory;
    private final ShardConfig config;
    private final Function<String, OwnerTarget> nodes;
    private final Function<SessionState, TopicReading> topics;
    private final ShardExecutor thread;

    private final Map<String, SessionDelivery> sessions = new HashMap<>();

    /** What is asked of the queues. */
    final QueueView view = new QueueView(this::find);

    final ToBeLogged toBeLogged = new ToBeLogged();
    private final Set<Outgoing> toFlush = new LinkedHashSet<>();
    private final Postponed postponed = new Postponed();

    /** Sessions whose window is full while more messages wait. */
    private final Set<SessionDelivery> withoutRoom = new HashSet<>();

    private long ticks;

    /** The size of pages that are being read, at most. */
    private long readingBytes;

    private final LongPredicate numbersMayRepeat;

    private volatile boolean waitingForRoom;

    /**
     * Creates one.
     *
     * @param roomBytes how many bytes a record may have besides a packet
     * @param numbersMayRepeat whether connections with an epoch may mean other messages by the same numbers
     */
    Deliveries(
            ShardConfig config,
            SessionQueues queues,
            Function<String, OwnerTarget> nodes,
            Function<SessionState, TopicReading> topics,
            ShardExecutor thread,
            LongSupplier timeMillis,
            ShardRecorder recorder,
            int roomBytes,
            DeliveryMemory.Part memory,
            LongPredicate numbersMayRepeat) {
        this.config = config;
        this.queues = queues;
        this.nodes = nodes;
        this.topics = topics;
        this.thread = thread;
        this.timeMillis = timeMillis;
        this.recorder = recorder;
        this.roomBytes = roomBytes;
        this.memory = memory;
        this.numbersMayRepeat = numbersMayRepeat;
    }

    private @Nullable SessionDelivery find(SessionState client) {
        SessionDelivery known = sessions.get(client.clientId());
        return known != null && known.client == client ? known : null;
    }

    private SessionDelivery of(SessionState client) {
        SessionDelivery known = find(client);
        if (known == null) {
            known = new SessionDelivery(client, this);
            sessions.put(client.clientId(), known);
        }
        return known;
    }

    // What happens to sessions.

    /**
     * A connection has the session: it is handed the queue from the start, once all that the one before has
     * acknowledged is known.
     *
     * @param last the highest sequence number that the queue may have
     */
    void attached(SessionState client, long last) {
        assertConfined();
        of(client).attached(last);
    }

    /** A connection has the session already, and it is not known how much of the queue it was handed. */
    void resumed(SessionState client, long last) {
        assertConfined();
        of(client).resumed(last);
    }

    /**
     * The session has no connection any more.
     *
     * @param settled run when all that the connection has acknowledged is known, unless the session is resumed or ends
     *     before
     */
    void detached(SessionState client, Runnable settled) {
        assertConfined();
        SessionDelivery known = find(client);
        if (known == null) {
            settled.run();
        } else {
            known.detached(settled);
        }
    }

    /** A connection's last acknowledgements are here, or are not waited for any longer. */
    void allSettled(String clientId, long epoch) {
        assertConfined();
        SessionDelivery known = sessions.get(clientId);
        if (known == null) {
            return;
        }
        Outgoing gone = known.window();
        if (gone != null && gone.epoch == epoch && gone.isLeaving()) {
            postponed.heard(known);
            gone.left();
        }
    }

    /**
     * What a session that is about to end leaves to the client's next one; asks the node of its connection what else it
     * has acknowledged.
     */
    Inheritance inheritanceOf(SessionState client) {
        SessionDelivery known = find(client);
        Unlogged unlogged = known == null ? null : known.unlogged();
        return new Inheritance(
                unlogged == null ? new HashSet<>() : unlogged.settled(),
                view.maybeSentUpTo(client),
                known == null ? Inheritance.NOTHING_AWAITED : known.askForLast());
    }

    /** The session is over. */
    void ended(SessionState client) {
        assertConfined();
        SessionDelivery known = sessions.remove(client.clientId());
        if (known != null) {
            known.ended();
            toBeLogged.forget(known);
        }
    }

    /** This node owns the shard no longer: nothing is read for its sessions. */
    void stop() {
        List.copyOf(sessions.values()).forEach(SessionDelivery::disconnect);
        memory.end();
    }

    // What happens to messages.

    /** A message entered the queue of a session: keeps it, or what is to be known of it, if the session is behind. */
    void keep(SessionState client, long sequence, QueueEntry.Queued entry) {
        SessionDelivery known = sessions.get(client.clientId());
        if (known != null) {
            known.keep(sequence, entry);
        } else if (isLong(client)) {
            of(client).keep(sequence, entry);
        }
    }

    /**
     * Drops the oldest messages of a priority that no connection was handed, while there is too much, if their sizes
     * are known.
     *
     * @param isAnyFine whether the oldest that is known is dropped though an older one may not be known
     */
    void dropOldest(SessionState client, int priority, boolean isAnyFine, BooleanSupplier isTooMuch, Drop reason) {
        SessionDelivery known = find(client);
        if (known != null && !known.isMoving()) {
            known.unseen()
                    .dropOldest(
                            priority,
                            view.firstUnseen(client, priority),
                            client.priorityUpTo() > 0,
                            isAnyFine,
                            isTooMuch,
                            (sequence, size) -> {
                                known.drop(sequence, size);
                                count(client, reason);
                            });
        }
    }

    /**
     * Goes on with {@link #keep}: a message entered the queue of a session. Gives whether it left for the connection at
     * once.
     */
    boolean queued(SessionState client, long sequence, QueueEntry.Queued entry) {
        assertConfined();
        SessionDelivery known = sessions.get(client.clientId());
        return known != null && known.queued(sequence, entry);
    }

    /** Whether a message that enters the queue of a session leaves for the connection at once. */
    boolean takesAtOnce(SessionState client, long sequence, QueueEntry.Queued entry) {
        SessionDelivery known = sessions.get(client.clientId());
        return known != null && known.takesAtOnce(sequence, entry);
    }

    /**
     * A client is done with messages. Acknowledgements count also when they come from a connection before; but what
     * such a one says of a message of QoS 2 that it has no PUBREC for, and that the latest connection was handed, is
     * that it was dropped or refused there: the latest connection sends it all the same, and needs its state until
     * PUBCOMP.
     */
    void settle(String clientId, long epoch, long[] sequences) {
        assertConfined();
        SessionDelivery known = sessions.get(clientId);
        if (known != null) {
            known.settle(epoch, sequences);
        }
    }

    /** A client sent PUBREC. */
    void received(String clientId, long epoch, long[] sequences) {
        assertConfined();
        SessionDelivery known = sessions.get(clientId);
        if (known != null) {
            known.received(epoch, sequences);
        }
    }

    /** PUBRECs are logged: the connection may send PUBREL. */
    void receivedLogged(SessionState client, long[] sequences) {
        assertConfined();
        SessionDelivery known = sessions.get(client.clientId());
        if (known != null) {
            known.receivedLogged(sequences);
        }
    }

    /**
     * It is logged which topic an application has from now on.
     *
     * @return false when the connection has messages of the lost topic in flight, from an owner before, that nobody can
     *     tell it again: it is handed nothing more, and is to be closed
     */
    boolean topicFound(SessionState client) {
        assertConfined();
        SessionDelivery known = find(client);
        return known == null || known.topicFound();
    }

    /**
     * Removes from a queue an entry that an earlier session left; the removal is logged with the entries that clients
     * settle.
     */
    void discard(SessionState client, long sequence, long size) {
        assertConfined();
        of(client).discard(sequence, size);
    }

    /**
     * Takes out of a queue an entry that no connection was handed; the removal is logged with the entries that clients
     * settle.
     */
    void drop(SessionState client, long sequence, long size, Drop reason) {
        assertConfined();
        of(client).drop(sequence, size);
        count(client, reason);
    }

    /** Counts a message that left a client's queue without being delivered, unless the client is the broker's own. */
    void count(SessionState client, Drop reason) {
        if (!TenantNames.isBrokers(client.clientId())) {
            recorder.dropped(reason);
        }
    }

    /** A message under this topic expired in a client's queue. */
    void missed(SessionState client, String topic) {
        if (recorder.countsDeadlines() && !TenantNames.isBrokers(client.clientId())) {
            recorder.deadlineMissed(topic);
        }
    }

    /**
     * Keeps an entry of an offline client from being handed to it, for it is about to move to another session. Should
     * the client come back before that is logged, it waits: what another owner finds still there must not have been
     * passed over.
     */
    void move(SessionState client, long sequence, long size) {
        assertConfined();
        of(client).move(sequence, size);
    }

    /** The queue of a session is looked through for what is too much: notes what is dropped of it. */
    TrimmedRange trimmedOf(SessionState client) {
        assertConfined();
        return of(client).unseen().trimmed();
    }

    // What goes into the log.

    /** Takes everything that is to be logged, in records of bounded size. */
    List<Settled> takeSettled(long ownerEpoch) {
        assertConfined();
        return toBeLogged.take(ownerEpoch, roomBytes);
    }

    /** A record that this owner wrote was folded. */
    void logged(Settled settled) {
        assertConfined();
        for (ClientSettled client : settled.clients()) {
            SessionDelivery known = sessions.get(client.clientId());
            if (known != null) {
                known.logged(client);
            }
        }
        for (TopicPosition position : settled.positions()) {
            SessionDelivery known = sessions.get(position.clientId());
            if (known != null) {
                known.logged(position);
            }
        }
    }

    /** A record that this owner wrote was folded. */
    void logged(Redistribution redistribution) {
        assertConfined();
        SessionDelivery known = sessions.get(redistribution.clientId());
        if (known != null) {
            known.logged(redistribution);
        }
    }

    // What is done later.

    /** Gives the connections what was handed since the last call. */
    void flush() {
        assertConfined();
        toFlush.forEach(Outgoing::flush);
        toFlush.clear();
    }

    /**
     * Reads again what the store could not give, and on where it was too early; waits no longer for what does not come.
     * Ten times a second.
     */
    void tick() {
        assertConfined();
        assert memory.taken()
                == readingBytes
                        + sessions.values().stream()
                                .mapToLong(SessionDelivery::deliveryBytes)
                                .sum();
        ticks++;
        if (ticks % TICKS_TO_BE_STUCK == 0) {
            sessions.values().forEach(each -> each.unseen().letGoIfStuck());
        }
        postponed.tick();
    }

    /** Whether a connection could be handed more if it had acknowledged more; any thread. */
    boolean isWaitingForRoom() {
        return waitingForRoom;
    }

    /** How many sessions have a delivery. */
    int sessions() {
        return sessions.size();
    }

    // For the deliveries.

    /** A page of at most so many bytes is being read, or not any more where they are negative. */
    void reads(long bytes) {
        assertConfined();
        readingBytes += bytes;
        memory.take(bytes);
    }

    /** The window of a connection at a node. */
    Outgoing outgoing(
            SessionState client,
            String node,
            @Nullable Unlogged unlogged,
            SentUpTo dupUpTo,
            SentUpTo maybeSentBefore,
            long next) {
        TopicReading reading = client.topic() == null ? null : topics.apply(client);
        OwnerTarget target = nodes.apply(node);
        return new Outgoing(client, target, config, memory, unlogged, dupUpTo, maybeSentBefore, next, reading);
    }

    /**
     * Whether what a connection with this epoch says of messages means those that the latest one knows by their
     * numbers.
     */
    boolean counts(Outgoing latest, long epoch) {
        return epoch >= latest.epoch || (epoch >= latest.client.session() && !numbersMayRepeat.test(epoch));
    }

    /** Whether the queue of a session without a connection is so long that it is remembered. */
    boolean isLong(SessionState client) {
        return UnseenQueue.isLong(client, config.queue());
    }

    void toFlush(Outgoing outgoing) {
        toFlush.add(outgoing);
    }

    /** The store could not give the entries that were asked for. */
    void toRetry(SessionDelivery delivery) {
        recorder.storeFailed();
        postponed.toRetry(delivery);
    }

    void paced(SessionDelivery delivery) {
        postponed.paced(delivery);
    }

    /** Waits for acknowledgements of a connection that is gone; the time counts from the first wait. */
    void leaving(SessionDelivery delivery) {
        postponed.leaving(delivery);
        noteRoom(delivery, true);
    }

    void noteRoom(SessionDelivery delivery, boolean isServed) {
        boolean isChanged = isServed ? withoutRoom.remove(delivery) : withoutRoom.add(delivery);
        if (isChanged) {
            waitingForRoom = !withoutRoom.isEmpty();
        }
    }

    /** A window is gone, and with it all that was planned for it. */
    void disconnected(SessionDelivery delivery) {
        noteRoom(delivery, true);
        postponed.disconnected(delivery);
    }

    /** Most sessions are offline, and are to cost nothing here. */
    void forgetIfIdle(SessionDelivery delivery) {
        if (delivery.isIdle()) {
            sessions.remove(delivery.client.clientId(), delivery);
        }
    }

    void assertConfined() {
        assert thread.isCaller();
    }
}
