package io.tributary.broker.shard;

import io.tributary.broker.shard.SessionQueues.Page;
import io.tributary.broker.shard.ShardRecorder.Drop;
import io.tributary.broker.shard.fold.SessionState;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.SentUpTo;
import io.tributary.common.event.ShardEvent.ClientSettled;
import io.tributary.common.event.ShardEvent.MovedMessage;
import io.tributary.common.event.ShardEvent.Redistribution;
import io.tributary.common.event.ShardEvent.TopicPosition;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Priorities;
import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The delivery of one session's queue, as its owner knows it and the fold does not: the window of the connection
 * ({@link Outgoing}), what is settled and not logged yet ({@link Unlogged}), and what was not handed
 * ({@link UnseenQueue}). There is one for a session that has any of these, and none for the many that are offline and
 * have few messages. Confined to the thread of the driver.
 *
 * <p>The sequence numbers that divide a queue, each the last of its part, and those of what may have been sent; where
 * messages have priorities, the lane of each has its own {@code next} ({@link Lanes}), and the lower line is one for
 * each priority ({@link io.tributary.common.event.SentUpTo}):
 *
 * <pre>
 *       leftUpTo   &lt;=   doneUpTo   &lt;=   next - 1   &lt;=  lastSequence
 *  |-------------|-------------|--------------|--------------|
 *   of an earlier settled or     in the window, not looked
 *   session       dropped        or settled     at yet
 *
 *        dupUpTo   &lt;=  maybeSentBefore  &lt;=  maybeSentUpTo  &lt;=  readingUpTo
 *  |-------------|-------------|--------------|--------------|
 *   may have been may be in      handed by      may be handed with
 *   sent before:  flight from an this owner     the page that is
 *   DUP           owner before                  being read
 * </pre>
 *
 * <p>{@code leftUpTo}, {@code lastSequence}, {@code groupUpTo} and {@code resendUpTo} are folded; the others are the
 * owner's, and gone with it. At the end of each entry {@code maybeSentBefore}, {@code groupUpTo} and
 * {@code trimmedUpTo} ({@link TrimmedRange}) are none above {@code lastSequence}, but for applications, where only the
 * topic knows its end, and {@code handedUpTo < resendUpTo} ({@link HandedBefore}).
 */
final class SessionDelivery {
    final SessionState client;
    private final Deliveries shard;

    // Lives until the log has it.
    private @Nullable Unlogged unlogged;

    private final UnseenQueue unseen;

    // Lives until there is a connection again.
    private final HandedBefore handed;

    // Lives with the connection.
    private @Nullable Outgoing outgoing;
    private boolean isPumping;

    SessionDelivery(SessionState client, Deliveries shard) {
        this.client = client;
        this.shard = shard;
        handed = new HandedBefore(client);
        unseen = new UnseenQueue(shard.memory);
    }

    /** Whether nothing is to be remembered. */
    boolean isIdle() {
        return outgoing == null && unlogged == null && unseen.isIdle() && !handed.isKnown();
    }

    // The connection.

    /** See {@link Deliveries#attached}. */
    void attached(long last) {
        Outgoing before = outgoing;
        if (before != null && before.epoch == client.epoch()) {
            return; // resumed already, while it was not known yet whether the topic is there
        }
        SentUpTo known = before == null ? handed.orAll(last) : before.maybeSentUpTo();
        SentUpTo maybeSentUpTo = known.and(client.resendUpTo());
        // What is in the topic when a session begins is not for this session.
        long epoch = client.epoch();
        Runnable serve = () -> {
            if (client.epoch() == epoch) { // else a later connection has it, which is served once it is answered
                boolean isOwn = client.topic() == null || client.isResumed();
                serve(maybeSentUpTo, maybeSentUpTo, isOwn ? Outgoing.first(client) : last + 1);
                if (!isOwn && last > 0) {
                    shard.toBeLogged.urgent(); // the next connection, or owner, is to begin there, too
                }
            }
        };
        if (before == null || !leave(before, serve)) {
            serve.run();
        }
    }

    /** See {@link Deliveries#resumed}. */
    void resumed(long last) {
        SentUpTo all = SentUpTo.all(last);
        serve(all.and(client.resendUpTo()), all, Outgoing.first(client));
    }

    private void serve(SentUpTo dupUpTo, SentUpTo maybeSentBefore, long first) {
        disconnect();
        handed.forget();
        String node = client.node();
        if (node != null && client.hasQueue()) {
            Outgoing now = shard.outgoing(client, node, unlogged, dupUpTo, maybeSentBefore, first);
            outgoing = now;
            if (now.reading != null) {
                shard.toBeLogged.add(this);
            }
            pump(now);
        }
        assert isOrdered() : marks();
        shard.forgetIfIdle(this);
    }

    /** Nothing more is read or handed. */
    void disconnect() {
        Outgoing gone = outgoing;
        outgoing = null;
        if (gone != null) {
            shard.disconnected(this);
            if (gone.hasLanes()) {
                unseen.forgetTail(); // it takes what was handed ahead of others for gone
            }
            gone.close();
        }
    }

    /** See {@link Deliveries#detached}. */
    void detached(Runnable settled) {
        Outgoing gone = outgoing;
        handed.detached(gone);
        Runnable forget = () -> {
            disconnect();
            unseen.disconnected();
            shard.forgetIfIdle(this);
            settled.run();
        };
        if (gone == null || !leave(gone, forget)) {
            forget.run();
        }
        assert isOrdered() : marks();
    }

    /**
     * Waits for what a connection that is gone has acknowledged: its node tells that over the link, and others tell
     * through the log that it is gone, which may be faster. Messages that are acknowledged would be sent again.
     *
     * @param then what is to be done next
     * @return false when there is nothing to wait for
     */
    private boolean leave(Outgoing gone, Runnable then) {
        boolean waits = asksForLast(gone);
        if (waits) {
            gone.leave(then);
            shard.leaving(this);
        }
        return waits;
    }

    /** Asks the node of a connection that is gone what else it has acknowledged; false when nothing will come. */
    private boolean asksForLast(Outgoing gone) {
        return gone.isLeaving() || (gone.hasUnsettled() && gone.target.askForAllSettled(client.clientId(), gone.epoch));
    }

    /**
     * Asks the node of the connection of a session that is about to end what else it has acknowledged; gives the epoch
     * of the connection, if something will come.
     */
    long askForLast() {
        Outgoing gone = outgoing;
        return gone != null && asksForLast(gone) ? gone.epoch : Inheritance.NOTHING_AWAITED;
    }

    /** The acknowledgements of a connection that is gone are here, or are not waited for any longer. */
    void left() {
        if (outgoing != null) {
            outgoing.left();
        }
    }

    /** The session is over. */
    void ended() {
        disconnect();
        unlogged = null;
        unseen.ended();
        handed.forget();
    }

    // From the queue to the connection.

    /** See {@link Deliveries#keep}. */
    void keep(long sequence, QueueEntry.Queued entry) {
        if (outgoing == null) {
            unseen.queued(sequence, entry, shard.isLong(client), false);
            shard.forgetIfIdle(this); // there may be no memory for it
            return;
        }
        outgoing.arrived(sequence, entry.priority());
        if (outgoing.next() < sequence || !takesAtOnce(sequence, entry)) {
            unseen.seenUpTo(outgoing.next() - 1);
            unseen.queued(sequence, entry, true, true);
        } // else it is handed on in a moment, and all before it were
    }

    /** See {@link Deliveries#queued}. */
    boolean queued(long sequence, QueueEntry.Queued entry) {
        Outgoing to = outgoing;
        if (to == null) {
            return false;
        }
        boolean isHanded = false;
        if (takesAtOnce(sequence, entry)) {
            to.took(sequence);
            unseen.gone(sequence);
            isHanded = handOrDrop(to, sequence, entry);
            unseen.seenUpTo(to.next() - 1);
        } else {
            pump(to);
        }
        assert isOrdered() : marks();
        return isHanded;
    }

    /** See {@link Deliveries#topicFound}. */
    boolean topicFound() {
        Outgoing to = outgoing;
        if (to == null || to.reading == null) {
            return true;
        }
        // One before it has ended, and the latest has had nothing of the topic by this owner.
        boolean isLatest = to.epoch == client.epoch() && !to.isLeaving();
        if (isLatest && to.isOfLostTopic(to.next()) && to.mayHaveBegun(to.next(), 0)) {
            disconnect();
            return false;
        }
        to.reading.topicFound();
        pump(to);
        assert isOrdered() : marks();
        return true;
    }

    /** See {@link Deliveries#receivedLogged}. */
    void receivedLogged(long[] sequences) {
        if (outgoing != null) {
            outgoing.flush();
            outgoing.target.receivedLogged(outgoing.connection, sequences);
        }
    }

    /** Hands on what there is room for. */
    void pump() {
        if (outgoing != null) {
            pump(outgoing);
            assert isOrdered() : marks();
        }
    }

    /** Reads again what could not be read. */
    void retry() {
        if (outgoing != null) {
            outgoing.isReading = false;
            pump();
        }
    }

    /** See {@link Deliveries#takesAtOnce}. */
    boolean takesAtOnce(long sequence, QueueEntry.Queued entry) {
        return outgoing != null
                && outgoing.isNext(sequence, entry.priority())
                && outgoing.hasRoom(entry.priority())
                && !isMoving();
    }

    /** Whether messages of the queue are about to move to another session. */
    boolean isMoving() {
        return unlogged != null && unlogged.isMoving();
    }

    private void pump(Outgoing to) {
        if (to.isLeaving()) {
            return;
        }
        for (int lane = laneOf(to); lane != Outgoing.NO_LANE; lane = laneOf(to)) {
            if (to.reading != null && to.reading.isPaced()) {
                shard.paced(this);
                return;
            }
            if (to.reading != null || !handKept(to, lane)) {
                read(to, lane);
            }
        }
        shard.noteRoom(this, to.isReading || !to.mayHaveMore() || laneOf(to) != Outgoing.NO_LANE);
    }

    private int laneOf(Outgoing to) {
        return to.isReading || isMoving() ? Outgoing.NO_LANE : to.lane();
    }

    private void read(Outgoing to, int lane) {
        to.isReading = true;
        isPumping = true;
        long from = to.next(lane);
        int most = to.toRead(lane);
        if (to.reading == null) {
            Priorities priorities = new Priorities(lane, Message.HIGHEST_PRIORITY);
            if (shard.queues.doesStoreFail()) {
                most = 1; // what waits for a silent store would take the memory of other shards
            }
            // Counts from now on, for many sessions may read at once.
            long bytes = most == 1 ? 0 : Math.min(client.queuedBytes(), SessionQueues.PAGE_BYTES);
            shard.reads(bytes);
            shard.queues.read(client, from, most, priorities, page -> {
                shard.reads(-bytes);
                onPage(to, lane, page);
            });
        } else {
            to.reading.read(from, most, page -> onPage(to, lane, page));
        }
        isPumping = false;
    }

    /** Hands on what is kept in memory; false when the next message of the lane is not there. */
    private boolean handKept(Outgoing to, int lane) {
        if (!to.hasLanes()) {
            to.passed(lane, unseen.firstKept(to.next()) - 1);
        }
        if (!unseen.keeps(to.next(lane))) {
            return false;
        }
        while (to.hasRoom(lane)
                && !isMoving()
                && unseen.keeps(to.next(lane))
                && (!to.hasLanes() || to.lane() == lane)) {
            long sequence = to.next(lane);
            QueueEntry.Queued entry = unseen.take(sequence);
            if (entry != null && entry.priority() >= lane) {
                boolean wasAhead = to.wasAhead(sequence, entry);
                to.passed(lane, sequence);
                if (lane > 0) {
                    unseen.gone(sequence);
                }
                if (!wasAhead) {
                    handOrDrop(to, sequence, entry);
                }
            } else {
                to.passed(lane, sequence);
            }
        }
        unseen.seenUpTo(to.next() - 1);
        return true;
    }

    private void onPage(Outgoing to, int lane, @Nullable Page page) {
        shard.assertConfined();
        to.isReading = false;
        if (outgoing != to || to.isLeaving()) {
            return;
        }
        if (page == null) {
            shard.toRetry(this);
            to.isReading = true; // until the next tick
            return;
        }
        long upTo = handPage(to, lane, page);
        to.passed(lane, upTo);
        unseen.seenUpTo(to.next() - 1);
        if (to.reading != null
                && to.doneUpTo() >= to.next() - 1) { // nothing of it is for the client: the log is to know
            shard.toBeLogged.add(this);
        }
        if (!isPumping) { // the page came from the store, after pump had returned
            pump(to);
            shard.flush();
        }
        assert isOrdered() : marks();
    }

    /**
     * Hands on the messages of a page, and gives up to where: while memory is short, no further than the first one. Of
     * a message that was handed ahead of others, and of which only the PUBREL is owed since, the page does not say the
     * priority: it is in the window, or settled.
     */
    private long handPage(Outgoing to, int lane, Page page) {
        boolean hasLanes = to.hasLanes();
        Set<Long> settled = !hasLanes || unlogged == null ? Set.of() : unlogged.settled();
        boolean isAnyHanded = false;
        for (ShardStore.Entry entry : page.entries()) {
            long sequence = entry.sequence();
            if ((isAnyHanded && to.keepsRest()) || (hasLanes && !to.isWithin(lane, sequence))) {
                return sequence - 1;
            }
            if (!hasLanes) {
                isAnyHanded |= handOrDrop(to, sequence, entry.entry());
                continue;
            }
            boolean isGone = entry.entry() instanceof QueueEntry.Released && settled.contains(sequence);
            if (!isGone && !to.wasAhead(sequence, entry.entry())) {
                unseen.gone(sequence);
                isAnyHanded |= handOrDrop(to, sequence, entry.entry());
            }
        }
        return page.next() - 1;
    }

    private boolean handOrDrop(Outgoing to, long sequence, QueueEntry entry) {
        if (to.withheld.remove(sequence)) {
            return false;
        }
        if (entry instanceof QueueEntry.Queued queued
                && queued.message().expiresAtMillis() != Message.NEVER
                && !to.mayHaveBegun(sequence, queued.priority())
                && queued.message().isExpiredAt(shard.timeMillis.getAsLong())) { // [MQTT-3.3.2-5]
            toLog().settle(sequence, queued.sizeBytes());
            shard.count(client, Drop.EXPIRED);
            shard.missed(client, queued.message().topic());
            return false;
        }
        to.hand(sequence, entry);
        shard.toFlush(to);
        return true;
    }

    // From the connection to the log.

    /** See {@link Deliveries#settle}. */
    void settle(long epoch, long[] sequences) {
        Outgoing from = outgoing;
        if (from == null || !shard.counts(from, epoch)) {
            return;
        }
        boolean isOlder = epoch < from.epoch;
        for (long sequence : sequences) {
            Integer size = isOlder && from.awaitsPubrec(sequence) ? null : from.settle(sequence);
            if (size != null) {
                toLog().settle(sequence, size);
            }
        }
        pump(from);
        assert isOrdered() : marks();
    }

    /** See {@link Deliveries#received}. */
    void received(long epoch, long[] sequences) {
        Outgoing from = outgoing;
        if (from == null || !shard.counts(from, epoch)) {
            return;
        }
        for (long sequence : sequences) {
            Integer size = from.receive(sequence);
            if (size != null || from.isOfLostTopic(sequence)) {
                toLog().receive(sequence, size == null ? 0 : size);
                shard.toBeLogged.urgent();
            }
        }
        assert isOrdered() : marks();
    }

    /** See {@link Deliveries#discard}. */
    void discard(long sequence, long size) {
        toLog().settle(sequence, size);
        unseen.gone(sequence);
    }

    /** See {@link Deliveries#drop}. */
    void drop(long sequence, long size) {
        toLog().settle(sequence, size);
        unseen.gone(sequence);
        if (outgoing != null) {
            outgoing.passOver(sequence);
        }
    }

    /** See {@link Deliveries#move}. */
    void move(long sequence, long size) {
        notLogged().move(sequence, size);
        unseen.forgetTail(); // the log takes them out of the queue in its own time
    }

    /** Tells which entries are settled, about to move, or with the connection, as of now. */
    LongPredicate known() {
        Set<Long> withheld = unlogged == null ? Set.of() : unlogged.withheld();
        Set<Long> received = unlogged == null ? Set.of() : unlogged.received();
        Outgoing to = outgoing;
        return sequence ->
                withheld.contains(sequence) || received.contains(sequence) || (to != null && to.hasHanded(sequence));
    }

    private Unlogged toLog() {
        shard.toBeLogged.add(this);
        return notLogged();
    }

    private Unlogged notLogged() {
        Unlogged known = unlogged;
        if (known == null) {
            known = new Unlogged(client.clientId(), client.session(), shard.roomBytes);
            unlogged = known;
        }
        return known;
    }

    /** Takes the parts that are to be logged. */
    void takeSettled(SettledRecords records) {
        TopicPosition position = outgoing == null ? null : outgoing.takePosition();
        if (position != null) {
            records.add(position); // first: the parts leave out what it says, and may be in a record behind it
        }
        if (unlogged != null) {
            unlogged.take(position == null ? 0 : position.upTo()).forEach(records::add);
        }
        assert isOrdered() : marks();
    }

    /** A part of a record that this owner wrote was folded. */
    void logged(ClientSettled settled) {
        if (unlogged != null && client.session() == settled.session()) {
            unlogged.logged();
            forgetUnloggedIfEmpty(unlogged);
            if (outgoing != null) {
                outgoing.logged(settled);
            }
        }
    }

    /** A position that this owner wrote was folded. */
    void logged(TopicPosition position) {
        if (outgoing != null && client.session() == position.session()) {
            outgoing.logged(position);
        }
    }

    /** A record that this owner wrote was folded. */
    void logged(Redistribution redistribution) {
        if (unlogged != null && client.session() == redistribution.session()) {
            for (MovedMessage moved : redistribution.moved()) {
                unlogged.moved(moved.sequence(), moved.bytes());
            }
            forgetUnloggedIfEmpty(unlogged);
            pump();
        }
    }

    private void forgetUnloggedIfEmpty(Unlogged known) {
        if (known.isEmpty()) {
            unlogged = null;
            shard.forgetIfIdle(this);
        }
    }

    // What is known.

    /** The window of the connection; null when there is none. */
    @Nullable
    Outgoing window() {
        return outgoing;
    }

    /** The entries that the log does not know yet; null when there are none. */
    @Nullable
    Unlogged unlogged() {
        return unlogged;
    }

    /** See {@link QueueView#maybeSentUpTo}. */
    SentUpTo maybeSentUpTo() {
        if (outgoing == null) {
            return handed.maybeSentUpTo();
        }
        SentUpTo maybeSent = outgoing.maybeSentUpTo();
        return outgoing.isLeaving() ? maybeSent.and(client.resendUpTo()) : maybeSent;
    }

    /** The part of the queue that no connection was handed. */
    UnseenQueue unseen() {
        return unseen;
    }

    /** What the session takes of the memory for deliveries, in bytes. */
    long deliveryBytes() {
        return (outgoing == null ? 0 : outgoing.handedBytes()) + unseen.bytes();
    }

    // The order.

    /** Whether the sequence numbers are in the order that this class says. */
    private boolean isOrdered() {
        boolean isDevice = client.topic() == null;
        long last = isDevice ? client.lastSequence() : Long.MAX_VALUE;
        return (outgoing == null || outgoing.isOrdered(client.leftUpTo(), last))
                && client.groupUpTo() <= last
                && unseen.isOrdered(last)
                && handed.isOrdered();
    }

    private String marks() {
        return GroupIdentifier.display(client.clientId()) + ": leftUpTo " + client.leftUpTo() + ", " + outgoing
                + ", lastSequence "
                + client.lastSequence() + ", groupUpTo " + client.groupUpTo() + ", resendUpTo " + client.resendUpTo()
                + ", handedUpTo " + handed + ", " + unseen;
    }
}
