package io.tributary.broker.shard;

import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.shard.SessionQueues.Page;
import io.tributary.broker.shard.ShardRecorder.DropReason;
import io.tributary.broker.shard.fold.SessionState;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.ShardEvent.ClientSettled;
import io.tributary.common.event.ShardEvent.Redistribution;
import io.tributary.common.event.ShardEvent.MovedMessage;
import io.tributary.common.event.ShardEvent.Settled;
import io.tributary.common.event.ShardEvent.TopicPosition;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.shard.ShardStore;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Hands the queues of a shard's sessions to their connections, within a window each, and collects what the clients
 * acknowledge until it is logged. Confined to the thread of the driver.
 */
final class Deliveries {
    /** Half a second: what is later is as good as lost, and its messages are handed over again. */
    private static final int TICKS_TO_LEAVE = 5;

    private final ShardConfig config;
    private final SessionQueues queues;
    private final Function<String, OwnerTarget> nodes;
    private final Function<SessionState, TopicReading> topics;
    private final LongSupplier timeMillis;
    private final ShardRecorder recorder;
    private final int roomBytes;
    private final Map<String, Outgoing> outgoing = new HashMap<>();
    private final Map<String, Unlogged> unlogged = new HashMap<>();
    private final Map<SessionState, TrimmedRange> trimmed = new HashMap<>();

    /** What the last connection of a session that has none was handed at most, where the log knows less. */
    private final Map<SessionState, HandedUpTo> handedUpTo = new HashMap<>();

    private final Set<String> toLog = new LinkedHashSet<>();
    private final Set<Outgoing> toFlush = new LinkedHashSet<>();
    private final Set<Outgoing> toRetry = new LinkedHashSet<>();
    /** Those that are to have no more of what they missed for the moment. */
    private final Set<Outgoing> paced = new LinkedHashSet<>();

    /** Those that could be handed more if they had acknowledged more. */
    private final Set<Outgoing> withoutRoom = new HashSet<>();

    /** Those whose connection is gone, while acknowledgements of it may be on their way from another node; until which tick. */
    private final Map<Outgoing, Long> leaving = new LinkedHashMap<>();

    private long ticks;

    /** Whether connections before the latest may mean other messages by the same numbers. */
    private boolean olderMayMeanOthers;

    private volatile boolean waitingForRoom;
    private boolean hasReceived;
    private boolean pumping;

    /** @param roomBytes how many bytes a record may have besides a packet */
    Deliveries(
            ShardConfig config,
            SessionQueues queues,
            Function<String, OwnerTarget> nodes,
            Function<SessionState, TopicReading> topics,
            LongSupplier timeMillis,
            ShardRecorder recorder,
            int roomBytes) {
        this.config = config;
        this.queues = queues;
        this.nodes = nodes;
        this.topics = topics;
        this.timeMillis = timeMillis;
        this.recorder = recorder;
        this.roomBytes = roomBytes;
    }

    /**
     * A connection has the session: it is handed the queue from the start, once all that the one before has acknowledged is
     * known.
     *
     * @param last the highest sequence number that the queue may have
     */
    void attached(SessionState client, long last) {
        Outgoing before = outgoing.get(client.clientId());
        if (before != null && before.isOf(client)) {
            return; // resumed already, while it was not known yet whether the topic is there
        }
        long maybeSentUpTo = before != null && before.client == client
                ? Math.min(before.maybeSentUpTo(), client.resendUpTo())
                : Math.min(last, client.resendUpTo());
        // What is in the topic when a session begins is not for this session.
        long epoch = client.epoch();
        Runnable serve = () -> {
            if (client.epoch() == epoch) { // else a later connection has it, which is served once it is answered
                serve(
                        client,
                        maybeSentUpTo,
                        maybeSentUpTo,
                        client.topic() == null || client.isResumed() ? firstOf(client) : last + 1);
            }
        };
        if (before == null || before.client != client || !leave(before, serve)) {
            serve.run();
        }
    }

    /**
     * Waits for what a connection that is gone has acknowledged: its node tells that over the link, and others tell through the
     * log that it is gone, which may be faster. Messages that are acknowledged would be sent again.
     *
     * @param then what is to be done next
     * @return false when there is nothing to wait for
     */
    private boolean leave(Outgoing gone, Runnable then) {
        boolean waits = gone.isLeaving()
                || (gone.hasUnsettled() && gone.target.askForAllSettled(gone.client.clientId(), gone.epoch));
        if (waits) {
            gone.leave(then);
            leaving.putIfAbsent(gone, ticks + TICKS_TO_LEAVE);
            noteRoom(gone, true);
        }
        return waits;
    }

    /** All that a connection has acknowledged is known, or as much as there will be. */
    void allSettled(String clientId, long epoch) {
        Outgoing gone = outgoing.get(clientId);
        if (gone != null && gone.epoch == epoch && leaving.remove(gone) != null) {
            gone.left();
        }
    }

    /** Whether what a connection of the session that is gone has acknowledged is waited for. */
    boolean isLeaving(SessionState client) {
        Outgoing gone = outgoing.get(client.clientId());
        return gone != null && gone.client == client && gone.isLeaving();
    }

    /** A connection has the session already, and was handed nobody knows how much of the queue. */
    void resumed(SessionState client, long last) {
        serve(client, Math.min(last, client.resendUpTo()), last, firstOf(client));
    }

    private static long firstOf(SessionState client) {
        if (client.topic() != null) {
            return client.topic().upTo() + 1;
        }
        return client.queuedMessages() == 0 ? client.lastSequence() + 1 : client.leftUpTo() + 1;
    }

    private void serve(SessionState client, long dupUpTo, long maybeSentUpTo, long first) {
        forget(client.clientId());
        handedUpTo.remove(client);
        String node = client.node();
        if (node != null && client.hasQueue()) {
            Outgoing now = new Outgoing(
                    client,
                    nodes.apply(node),
                    config,
                    unlogged.get(client.clientId()),
                    dupUpTo,
                    maybeSentUpTo,
                    first,
                    client.topic() == null ? null : topics.apply(client));
            outgoing.put(client.clientId(), now);
            if (now.reading != null) {
                toLog.add(client.clientId());
            }
            pump(now);
        }
    }

    /** This node owns the shard no longer: nothing is read for its sessions. */
    void stop() {
        List.copyOf(outgoing.keySet()).forEach(this::forget);
    }

    private @Nullable Outgoing forget(String clientId) {
        Outgoing gone = outgoing.remove(clientId);
        if (gone != null) {
            noteRoom(gone, true);
            leaving.remove(gone);
            if (gone.reading != null) {
                gone.reading.cancel();
            }
        }
        return gone;
    }

    /**
     * The session has no connection any more.
     *
     * @param settled run when all that the connection has acknowledged is known, unless the session is resumed or ends before
     */
    void detached(SessionState client, Runnable settled) {
        Outgoing gone = outgoing.get(client.clientId());
        if (gone != null && gone.client == client) {
            noteHanded(client, gone.maybeSentUpTo());
        }
        Runnable forget = () -> {
            forget(client.clientId());
            trimmed.remove(client);
            settled.run();
        };
        if (gone == null || !leave(gone, forget)) {
            forget.run();
        }
    }

    /** The session is over. */
    void ended(SessionState client) {
        String clientId = client.clientId();
        forget(clientId);
        handedUpTo.remove(client);
        trimmed.remove(client);
        unlogged.remove(clientId);
        toLog.remove(clientId);
    }

    /** A message entered the queue of a session. */
    void queued(SessionState client, long sequence, QueueEntry.Queued entry) {
        Outgoing to = outgoing.get(client.clientId());
        if (to == null) {
            return;
        }
        if (to.next == sequence && hasRoom(to)) {
            to.next++;
            handOrDrop(to, sequence, entry);
        } else {
            pump(to);
        }
    }

    /** The log has lost its end: what connections of that time acknowledge does not count. */
    void forgetOlderConnections() {
        olderMayMeanOthers = true;
    }

    /**
     * A client is done with messages. Acknowledgements count also when they come from a connection before; but what such a
     * one says of a message of QoS 2 that it has no PUBREC for, and that the latest connection was handed, is that it was
     * dropped or refused there: the latest connection sends it all the same, and needs its state until PUBCOMP.
     */
    void settle(String clientId, long epoch, long[] sequences) {
        Outgoing from = outgoing.get(clientId);
        if (from == null || !counts(from, epoch)) {
            return;
        }
        boolean isOlder = epoch < from.epoch;
        for (long sequence : sequences) {
            Integer size = isOlder && from.awaitsPubrec(sequence) ? null : from.settle(sequence);
            if (size != null) {
                toLog(from.client).settle(sequence, size);
            }
        }
        pump(from);
    }

    /** A client sent PUBREC. */
    void received(String clientId, long epoch, long[] sequences) {
        Outgoing from = outgoing.get(clientId);
        if (from == null || !counts(from, epoch)) {
            return;
        }
        for (long sequence : sequences) {
            Integer size = from.receive(sequence);
            if (size != null || from.isOfLostTopic(sequence)) {
                toLog(from.client).receive(sequence, size == null ? 0 : size);
                hasReceived = true;
            }
        }
    }

    private boolean counts(Outgoing latest, long epoch) {
        return epoch >= (olderMayMeanOthers ? latest.epoch : latest.client.session());
    }

    /** It is logged which topic an application has from now on. */
    void topicFound(SessionState client) {
        Outgoing to = outgoing.get(client.clientId());
        if (to != null && to.client == client && to.reading != null) {
            to.reading.topicFound();
            pump(to);
        }
    }

    /** The highest sequence number of an application that its topic must have reached, as far as this owner knows. */
    long readUpTo(SessionState client) {
        Outgoing to = outgoing.get(client.clientId());
        return to == null || to.client != client ? 0 : to.next - 1;
    }

    /** PUBRECs are logged: the connection may send PUBREL. */
    void receivedLogged(SessionState client, long[] sequences) {
        Outgoing to = outgoing.get(client.clientId());
        if (to != null) {
            flush(to);
            to.target.received(to.connection, sequences);
        }
    }

    /** Takes an entry that an earlier session left out of a queue; it is logged with what clients settle. */
    void discard(SessionState client, long sequence, long size) {
        toLog(client).settle(sequence, size);
    }

    /** Takes an entry out of a queue that nobody was handed; it is logged with what clients settle. */
    void drop(SessionState client, long sequence, long size, DropReason reason) {
        toLog(client).settle(sequence, size);
        Outgoing to = outgoing.get(client.clientId());
        if (to != null) {
            to.withheld.add(sequence);
        }
        recorder.dropped(reason);
    }

    /**
     * Keeps an entry of an offline client from being handed to it, for it is about to move to another session. Should the
     * client come back before that is logged, it waits: what another owner finds still there must not have been passed over.
     */
    void move(SessionState client, long sequence, long size) {
        unloggedOf(client).move(sequence, size);
    }

    /** Whether messages are with the connection of a session which its client has not acknowledged, and the next ones are not late. */
    boolean isWaitingForClient(SessionState client) {
        Outgoing to = outgoing.get(client.clientId());
        return to != null && to.hasUnsettled() && !to.isReading;
    }

    /** How many entries are in a queue, as far as the owner knows. */
    long messagesOf(SessionState client) {
        Unlogged known = unlogged.get(client.clientId());
        return client.queuedMessages() - (known == null ? 0 : known.messages());
    }

    /** The size of a queue in bytes, as far as the owner knows. */
    long bytesOf(SessionState client) {
        Unlogged known = unlogged.get(client.clientId());
        return client.queuedBytes() - (known == null ? 0 : known.bytes());
    }

    /**
     * Entries below this sequence number have been handed to a connection, or may have been, or are being read for it: a limit that dropped those, as fast as they
     * are read, would have the client get nothing any more.
     */
    long firstUnseen(SessionState client) {
        Outgoing to = outgoing.get(client.clientId());
        return 1 + Math.max(client.leftUpTo(), to == null ? client.resendUpTo() : to.readingUpTo());
    }

    /** The highest sequence number that the client of a session may have been sent. */
    long maybeSentUpTo(SessionState client) {
        Outgoing to = outgoing.get(client.clientId());
        if (to != null) {
            return to.isLeaving() ? Math.min(to.maybeSentUpTo(), client.resendUpTo()) : to.maybeSentUpTo();
        }
        return client.isAttached()
                ? client.lastSequence() // another owner may have sent all
                : Math.min(client.resendUpTo(), handedUpTo(client));
    }

    /** Only what the log does not know better is kept, and only where messages may move to other members. */
    private void noteHanded(SessionState client, long upTo) {
        if (client.groupUpTo() > 0 && upTo < client.resendUpTo()) {
            handedUpTo.put(client, new HandedUpTo(client.epoch(), upTo));
        } else {
            handedUpTo.remove(client);
        }
    }

    private long handedUpTo(SessionState client) {
        HandedUpTo known = handedUpTo.get(client);
        return known == null || known.epoch != client.epoch() ? Long.MAX_VALUE : known.sequence;
    }

    private record HandedUpTo(long epoch, long sequence) {}

    /** Up to where the queue of a session was looked through for what is too much, since its client went. */
    long trimmedUpTo(SessionState client) {
        TrimmedRange known = trimmed.get(client);
        return known == null ? 0 : known.upTo();
    }

    /** What is dropped of the queue of a session. */
    TrimmedRange trimmedOf(SessionState client) {
        return trimmed.computeIfAbsent(client, _ -> new TrimmedRange());
    }

    private long firstKept(SessionState client, long sequence) {
        TrimmedRange known = trimmed.get(client);
        return known == null ? sequence : known.firstKept(sequence);
    }

    /** Entries of a queue that are settled or about to move, though the queue still has them. */
    Set<Long> withheldOf(SessionState client) {
        Unlogged known = unlogged.get(client.clientId());
        return known == null || known.session != client.session() ? new HashSet<>() : known.withheld();
    }

    /** The same; empty without any work when none is from a sequence number on. */
    Set<Long> withheldFrom(SessionState client, long sequence) {
        Unlogged known = unlogged.get(client.clientId());
        return known != null && known.session == client.session() && known.withholdsFrom(sequence)
                ? known.withheld()
                : Set.of();
    }

    /** Entries of a queue that are settled, though the queue still has them. */
    Set<Long> settledOf(SessionState client) {
        Unlogged known = unlogged.get(client.clientId());
        return known == null || known.session != client.session() ? new HashSet<>() : known.settled();
    }

    /** Whether anything waits to be logged. */
    boolean hasSettled() {
        return !toLog.isEmpty();
    }

    /** Whether PUBRECs wait to be logged, which is not put off. */
    boolean hasReceived() {
        return hasReceived;
    }

    /** Takes everything that is to be logged, in records of bounded size. */
    List<Settled> takeSettled(long ownerEpoch) {
        SettledRecords records = new SettledRecords(ownerEpoch, roomBytes);
        for (String clientId : toLog) {
            Outgoing to = outgoing.get(clientId);
            TopicPosition position = to == null ? null : to.takePosition();
            Unlogged known = unlogged.get(clientId);
            if (known != null) {
                known.take(position == null ? 0 : position.upTo()).forEach(records::add);
            }
            if (position != null) {
                records.add(position);
            }
        }
        toLog.clear();
        hasReceived = false;
        return records.all();
    }

    /** A record that this owner wrote was folded. */
    void logged(Settled settled) {
        for (ClientSettled client : settled.clients()) {
            Unlogged known = unlogged.get(client.clientId());
            if (known != null && known.session == client.session()) {
                known.logged();
                forgetIfEmpty(client.clientId(), known);
                Outgoing to = outgoing.get(client.clientId());
                if (to != null) {
                    to.logged(client);
                }
            }
        }
    }

    /** A record that this owner wrote was folded. */
    void logged(Redistribution redistribution) {
        Unlogged known = unlogged.get(redistribution.clientId());
        if (known != null && known.session == redistribution.session()) {
            for (MovedMessage moved : redistribution.moved()) {
                known.moved(moved.sequence(), moved.bytes());
            }
            forgetIfEmpty(redistribution.clientId(), known);
            Outgoing to = outgoing.get(redistribution.clientId());
            if (to != null) {
                pump(to);
            }
        }
    }

    /** Gives the connections what was handed since the last call. */
    void flush() {
        for (Outgoing to : toFlush) {
            flush(to);
        }
        toFlush.clear();
    }

    private void flush(Outgoing to) {
        List<Delivery> batch = to.takeBatch();
        if (!batch.isEmpty()) {
            to.target.deliver(to.connection, batch);
        }
    }

    /**
     * Reads again what the store could not give, and on where it was too early; waits no longer for what does not come. Ten
     * times a second.
     */
    void tick() {
        ticks++;
        List<Outgoing> late = leaving.entrySet().stream()
                .filter(each -> each.getValue() <= ticks)
                .map(Map.Entry::getKey)
                .toList();
        late.forEach(leaving::remove);
        late.forEach(Outgoing::left);
        List<Outgoing> waited = List.copyOf(paced);
        paced.clear();
        for (Outgoing to : waited) {
            if (outgoing.get(to.client.clientId()) == to) {
                pump(to);
            }
        }
        List<Outgoing> again = List.copyOf(toRetry);
        toRetry.clear();
        for (Outgoing to : again) {
            to.isReading = false;
            if (outgoing.get(to.client.clientId()) == to) {
                pump(to);
            }
        }
    }

    private boolean hasRoom(Outgoing to) {
        return to.hasRoom() && !isMoving(to);
    }

    private boolean hasRoomForPage(Outgoing to) {
        return to.hasRoomForPage() && !isMoving(to);
    }

    private boolean isMoving(Outgoing to) {
        Unlogged known = unlogged.get(to.client.clientId());
        return known != null && known.isMoving();
    }

    private void pump(Outgoing to) {
        if (to.isLeaving()) {
            return;
        }
        while (hasRoomForPage(to) && !to.isReading && to.mayHaveMore()) {
            if (to.reading != null && to.reading.isPaced()) {
                paced.add(to);
                return;
            }
            to.isReading = true;
            pumping = true;
            if (to.reading == null) {
                to.next = firstKept(to.client, to.next); // to read what is dropped takes as long as dropping it
                queues.read(to.client, to.next, to.roomForMessages(), page -> onPage(to, page));
            } else {
                to.reading.read(to.next, to.roomForMessages(), page -> onPage(to, page));
            }
            pumping = false;
        }
        noteRoom(to, hasRoomForPage(to) || to.isReading || !to.mayHaveMore());
    }

    private void noteRoom(Outgoing to, boolean isServed) {
        boolean isChanged = isServed ? withoutRoom.remove(to) : withoutRoom.add(to);
        if (isChanged) {
            waitingForRoom = !withoutRoom.isEmpty();
        }
    }

    /** Whether a connection could be handed more if it had acknowledged more; any thread. */
    boolean isWaitingForRoom() {
        return waitingForRoom;
    }

    private void onPage(Outgoing to, @Nullable Page page) {
        to.isReading = false;
        if (outgoing.get(to.client.clientId()) != to || to.isLeaving()) {
            return;
        }
        if (page == null) {
            recorder.storeFailed();
            toRetry.add(to);
            to.isReading = true; // until the next tick
            return;
        }
        for (ShardStore.Entry entry : page.entries()) {
            handOrDrop(to, entry.sequence(), entry.entry());
        }
        to.next = Math.max(to.next, page.next());
        if (to.reading != null && to.doneUpTo() >= to.next - 1) { // nothing of it is for the client: the log is to know
            toLog.add(to.client.clientId());
        }
        if (!pumping) { // the page came from the store, after pump had returned
            pump(to);
            flush();
        }
    }

    private void handOrDrop(Outgoing to, long sequence, QueueEntry entry) {
        if (to.withheld.remove(sequence)) {
            return;
        }
        if (entry instanceof QueueEntry.Queued queued
                && queued.message().expiresAtMillis() != Message.NEVER
                && !to.mayHaveBegun(sequence)
                && queued.message().isExpiredAt(timeMillis.getAsLong())) { // [MQTT-3.3.2-5]
            toLog(to.client).settle(sequence, queued.sizeBytes());
            recorder.dropped(DropReason.EXPIRED);
            return;
        }
        to.hand(sequence, entry);
        toFlush.add(to);
    }

    private Unlogged unloggedOf(SessionState client) {
        Unlogged known = unlogged.get(client.clientId());
        if (known == null || known.session != client.session()) {
            known = new Unlogged(client.clientId(), client.session(), roomBytes);
            unlogged.put(client.clientId(), known);
        }
        return known;
    }

    private Unlogged toLog(SessionState client) {
        toLog.add(client.clientId());
        return unloggedOf(client);
    }

    private void forgetIfEmpty(String clientId, Unlogged known) {
        if (known.isEmpty()) {
            unlogged.remove(clientId);
        }
    }
}
