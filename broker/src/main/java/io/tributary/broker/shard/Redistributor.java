package io.tributary.broker.shard;

import io.tributary.broker.delivery.MessageRouting;
import io.tributary.broker.shard.SessionQueues.Page;
import io.tributary.broker.shard.fold.SessionState;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.MessageFormat;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RoutingFormat;
import io.tributary.common.event.SentUpTo;
import io.tributary.common.event.ShardEvent.MovedMessage;
import io.tributary.common.event.ShardEvent.Redistribution;
import io.tributary.common.mqtt.QoS;
import io.tributary.persistence.shard.ShardStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the messages of shared subscriptions that wait in the queue of a session that cannot take them to other
 * members:
 *
 * <ul>
 *   <li>while the session is offline, to members that are online; what finds none waits, and moves as soon as one
 *       comes;
 *   <li>when the session ends, to any other member, one that is offline included; what finds none has no subscriber
 *       left;
 *   <li>when a new session of the client has inherited the queue, likewise, and everything else is taken out of the
 *       queue.
 * </ul>
 *
 * <p>A QoS 2 message that may have been sent to the session stays with it [MQTT-4.8.2-4]. A few queues are gone through
 * at a time, each page by page, and the next page waits until what moved is in the log. Confined to the thread of the
 * driver.
 *
 * <p>Decided in docs/decisions/0007-messages-of-groups-outlive-sessions.md.
 */
final class Redistributor {
    private static final Logger LOG = LoggerFactory.getLogger(Redistributor.class);
    private static final int PAGE = 100;
    /** The part of a record's room that the messages of a redistribution take, unless a single one is larger. */
    private static final int PART_OF_ROOM = 2;

    private static final int MOVED_BYTES = 32;
    private static final int MOST_PASSES_AT_ONCE = 4;
    private static final int MOST_HEIRS = 16;
    private static final long RETRY_MILLIS = 1000;
    /** A later acknowledgement is as good as lost, as that of a connection whose session goes on. */
    private static final long SETTLED_WITHIN_MILLIS = 500;

    private final SessionQueues queues;
    private final Deliveries deliveries;
    private final QueueView view;
    private final MessageRouting routing;
    private final Executor thread;
    private final LongSupplier clockMillis;
    private final OwnerAppender appender;
    private final int largestMove;
    private final long ownerEpoch;
    private final WaitingMembers waiting = new WaitingMembers();

    /** The pass through each queue that is under way or has to wait for others. */
    private final Map<SessionState, Pass> passes = new HashMap<>();

    /** Sweeps that begin once it is known what a connection that is gone has acknowledged, by its epoch. */
    private final Map<Long, SweepPass> awaiting = new LinkedHashMap<>();

    private final Queue<Pass> toBegin = new ArrayDeque<>();
    private List<Pass> toRepeat = new ArrayList<>();
    private int running;
    private long repeatAtMillis;

    /**
     * Creates one.
     *
     * @param ownerEpoch the owner that hands over
     * @param roomBytes how many bytes a record may have besides a packet
     */
    Redistributor(
            SessionQueues queues,
            Deliveries deliveries,
            MessageRouting routing,
            Executor thread,
            LongSupplier clockMillis,
            long ownerEpoch,
            OwnerAppender appender,
            int roomBytes) {
        this.queues = queues;
        this.deliveries = deliveries;
        view = deliveries.view;
        this.routing = routing;
        this.thread = thread;
        this.clockMillis = clockMillis;
        this.ownerEpoch = ownerEpoch;
        this.appender = appender;
        largestMove = roomBytes / PART_OF_ROOM;
    }

    /** A session that goes on has lost its connection. */
    void left(SessionState client) {
        waiting.remove(client);
        if (client.groupUpTo() == 0) {
            return;
        }
        if (passes.containsKey(client)) {
            waiting.addUnknown(client);
        } else {
            begin(new OfflinePass(client));
        }
    }

    /** A session is offline, it is not known since when; what is to move does so in one of the next {@link #retry}. */
    void loaded(SessionState client) {
        if (client.groupUpTo() > 0) {
            waiting.addUnknown(client);
        }
    }

    /**
     * A message of a shared subscription was queued for a session that is offline, for no other member was online.
     * Nothing of the queue moves before it is known what the last connection has acknowledged; then all of it is looked
     * at.
     */
    void queued(SessionState client, String group) {
        if (!view.isLeaving(client)) {
            waiting.add(client, group);
        }
    }

    /** A session has a connection again, or is over. */
    void returned(SessionState client) {
        waiting.remove(client);
    }

    /** Moves what has waited for a member to come online, and reads again what could not be read. */
    void retry() {
        long now = clockMillis.getAsLong();
        if (now >= repeatAtMillis && !toRepeat.isEmpty()) {
            List<Pass> again = toRepeat;
            toRepeat = new ArrayList<>();
            again.forEach(this::begin);
        }
        for (SweepPass sweep : List.copyOf(awaiting.values())) {
            if (now >= sweep.beginsAtMillis) {
                List.copyOf(sweep.awaited).forEach(this::allSettled);
            }
        }
        if (now >= repeatAtMillis) {
            waiting.ready(now, routing::hasOnlineMember).forEach(this::left);
        }
    }

    /**
     * A session is about to end.
     *
     * @param done told when the last message that was in the queue is on its way into the log; not told when the
     *     session was resumed meanwhile
     * @param later told when that cannot be found out now
     */
    void ending(SessionState client, Runnable done, Runnable later) {
        if (client.groupUpTo() == 0) {
            done.run();
        } else if (passes.containsKey(client) || view.isLeaving(client) || clockMillis.getAsLong() < repeatAtMillis) {
            later.run();
        } else {
            begin(new EndPass(client, done, later));
        }
    }

    /**
     * A session has inherited the queue of the client's previous session.
     *
     * @param left what is known of that queue
     */
    void inherited(SessionState client, SessionState before, Inheritance left) {
        SweepPass sweep = passes.get(before) instanceof SweepPass unfinished && unfinished.heirs < MOST_HEIRS
                ? unfinished.goOnFor(client, left)
                : new SweepPass(client, left.settled(), left.maybeSentUpTo()::has, 0);
        passes.remove(before); // it goes on as the one of the new session, or has begun and ends by itself
        if (left.awaitedEpoch() != Inheritance.NOTHING_AWAITED) {
            sweep.awaited.add(left.awaitedEpoch());
        }
        if (sweep.awaited.isEmpty()) {
            begin(sweep);
        } else {
            passes.put(client, sweep);
            sweep.awaited.forEach(epoch -> awaiting.put(epoch, sweep));
        }
    }

    /** A client is done with messages of a session that may be over: they do not move to others. */
    void settled(long epoch, long[] sequences) {
        SweepPass sweep = awaiting.isEmpty() ? null : awaiting.get(epoch);
        if (sweep != null) {
            for (long sequence : sequences) {
                sweep.settled.add(sequence);
            }
        }
    }

    /** A connection's last acknowledgements are here, or are not waited for any longer. */
    void allSettled(long epoch) {
        SweepPass sweep = awaiting.remove(epoch);
        if (sweep != null) {
            sweep.awaited.remove(epoch);
            if (sweep.awaited.isEmpty()) {
                begin(sweep);
            }
        }
    }

    /** The owner has found a session that inherited a queue; all of that which anybody may have been sent is known. */
    void loadedHeir(SessionState client) {
        SentUpTo maybeSent = client.resendUpTo().and(SentUpTo.all(client.leftUpTo()));
        begin(new SweepPass(client, new HashSet<>(), maybeSent::has, 0));
    }

    /** Whether what an earlier session left is being taken out of a queue. */
    boolean isSweeping(SessionState client) {
        return !passes.isEmpty() && passes.get(client) instanceof SweepPass;
    }

    private void begin(Pass pass) {
        passes.put(pass.client, pass);
        toBegin.add(pass);
        beginMore();
    }

    private void beginMore() {
        while (running < MOST_PASSES_AT_ONCE && !toBegin.isEmpty()) {
            running++;
            toBegin.remove().readFrom(1);
        }
    }

    private void end(Pass pass) {
        running--;
        passes.remove(pass.client, pass);
        beginMore();
    }

    /** Whether an entry of a queue may have been sent to the session's client. */
    @FunctionalInterface
    private interface MaybeSent {
        /** Tells. */
        boolean test(long sequence, int priority);
    }

    /** One way through a queue, page by page. */
    private abstract class Pass {
        final SessionState client;
        private final long epoch;
        private final boolean mayWait;
        final MaybeSent maybeSent;

        Pass(SessionState client, boolean mayWait, MaybeSent maybeSent) {
            this.client = client;
            this.mayWait = mayWait;
            this.maybeSent = maybeSent;
            epoch = client.epoch();
        }

        /** The last sequence number to look at. */
        long upTo() {
            return client.lastSequence();
        }

        boolean isStillWanted() {
            return !client.isAttached() && client.epoch() == epoch;
        }

        /** An entry does not move, because it is none of a shared subscription's or may have been sent. */
        void stays(ShardStore.Entry entry) {}

        /** An entry does not move, because there is no other member for it. */
        void findsNobody(ShardStore.Entry entry, String group) {}

        void moves(String group) {}

        void finished() {}

        void failed() {}

        final void readFrom(long sequence) {
            queues.read(client, sequence, PAGE, this::onPage);
        }

        private void onPage(@Nullable Page page) {
            if (page == null && !queues.isOver(client)) {
                giveUp();
            } else if (page == null || !isStillWanted()) {
                end(this);
            } else {
                move(page);
            }
        }

        private void move(Page page) {
            List<MovedMessage> moved = new ArrayList<>();
            try {
                take(page, moved);
            } catch (RuntimeException | Error e) { // four passes that never end would be the shard's last ones
                LOG.error("messages of a shared subscription could not be moved, which is tried again", e);
                if (!moved.isEmpty()) {
                    append(moved, () -> {}); // they have left the queue
                }
                giveUp();
                return;
            }
            if (moved.isEmpty()) {
                thread.execute(() -> goOn(page));
            } else {
                append(moved, () -> goOn(page));
            }
        }

        private void giveUp() {
            repeatAtMillis = clockMillis.getAsLong() + RETRY_MILLIS;
            end(this);
            failed();
        }

        /** Appends in order, so that the last record is durable last. */
        private void append(List<MovedMessage> moved, Runnable durable) {
            List<List<MovedMessage>> parts = RecordParts.of(moved, Pass::largestSizeOf, largestMove);
            for (int i = 0; i < parts.size(); i++) {
                appender.append(
                        new Redistribution(ownerEpoch, client.clientId(), client.session(), parts.get(i)),
                        i == parts.size() - 1 ? durable : () -> {});
            }
        }

        private static long largestSizeOf(MovedMessage moved) {
            return MOVED_BYTES
                    + MessageFormat.largestSizeOf(moved.message())
                    + RoutingFormat.largestSizeOf(moved.destinations());
        }

        private void goOn(Page page) {
            if (queues.isOver(client) || !isStillWanted()) {
                end(this);
            } else if (page.next() <= upTo()) {
                readFrom(page.next());
            } else {
                end(this);
                finished();
            }
        }

        private void take(Page page, List<MovedMessage> moved) {
            Set<Long> withheld = view.withheldOf(client);
            for (ShardStore.Entry entry : page.entries()) {
                if (entry.sequence() <= upTo() && !withheld.contains(entry.sequence())) {
                    take(entry, moved);
                }
            }
        }

        private void take(ShardStore.Entry entry, List<MovedMessage> moved) {
            if (!(entry.entry() instanceof Queued queued) || queued.group() == null || !mayMove(entry, queued)) {
                stays(entry);
                return;
            }
            Destinations destinations = routing.matchGroup(queued.message(), member(queued), mayWait);
            if (destinations.isEmpty()) {
                findsNobody(entry, queued.group());
            } else {
                long size = queued.sizeBytes();
                deliveries.move(client, entry.sequence(), size);
                moved.add(new MovedMessage(entry.sequence(), size, queued.message(), destinations));
                moves(queued.group());
            }
        }

        boolean mayMove(ShardStore.Entry entry, Queued queued) {
            return queued.qos() != QoS.EXACTLY_ONCE || !maybeSent.test(entry.sequence(), queued.priority());
        }

        private Recipient member(Queued queued) {
            return new Recipient(
                    client.memberId(),
                    client.session(),
                    queued.qos(),
                    queued.retain(),
                    queued.subscriptionIds(),
                    queued.group());
        }
    }

    private final class OfflinePass extends Pass {
        private final Set<String> groups = new HashSet<>();

        private OfflinePass(SessionState client) {
            super(
                    client,
                    false,
                    (sequence, priority) -> view.maybeSentUpTo(client).has(sequence, priority));
        }

        @Override
        void findsNobody(ShardStore.Entry entry, String group) {
            groups.add(group);
        }

        @Override
        void moves(String group) {
            waiting.moved(group);
        }

        @Override
        void finished() {
            groups.forEach(group -> waiting.addInVain(client, group, clockMillis.getAsLong()));
        }

        @Override
        void failed() {
            if (isStillWanted()) {
                waiting.addUnknown(client);
            }
        }
    }

    private final class EndPass extends Pass {
        private final Runnable done;
        private final Runnable later;

        private EndPass(SessionState client, Runnable done, Runnable later) {
            super(
                    client,
                    true,
                    (sequence, priority) -> view.maybeSentUpTo(client).has(sequence, priority));
            this.done = done;
            this.later = later;
        }

        @Override
        void finished() {
            done.run();
        }

        @Override
        void failed() {
            later.run();
        }
    }

    private final class SweepPass extends Pass {
        private final Set<Long> settled;
        /** How many sessions have inherited the queue from each other. */
        private final int heirs;

        /** The epochs of connections whose acknowledgements may be on their way; it begins once there are none. */
        private final Set<Long> awaited = new HashSet<>();

        private final long beginsAtMillis = clockMillis.getAsLong() + SETTLED_WITHIN_MILLIS;

        private SweepPass(SessionState client, Set<Long> settled, MaybeSent maybeSent, int heirs) {
            super(client, true, maybeSent);
            this.settled = settled;
            this.heirs = heirs;
        }

        /** The client has a new session again, before its last one's queue was swept. */
        SweepPass goOnFor(SessionState successor, Inheritance since) {
            Set<Long> allSettled = new HashSet<>(settled);
            allSettled.addAll(since.settled());
            long leftUpTo = client.leftUpTo();
            SweepPass next = new SweepPass(
                    successor,
                    allSettled,
                    (sequence, priority) -> sequence <= leftUpTo
                            ? maybeSent.test(sequence, priority)
                            : since.maybeSentUpTo().has(sequence, priority),
                    heirs + 1);
            next.awaited.addAll(awaited);
            return next;
        }

        @Override
        long upTo() {
            return client.leftUpTo();
        }

        @Override
        boolean isStillWanted() {
            return true; // as long as the session lives
        }

        @Override
        boolean mayMove(ShardStore.Entry entry, Queued queued) {
            return super.mayMove(entry, queued) && !settled.contains(entry.sequence());
        }

        @Override
        void stays(ShardStore.Entry entry) {
            deliveries.discard(client, entry.sequence(), entry.entry().sizeBytes());
        }

        @Override
        void findsNobody(ShardStore.Entry entry, String group) {
            stays(entry);
        }

        @Override
        void failed() {
            passes.put(client, this);
            toRepeat.add(this);
        }
    }
}
