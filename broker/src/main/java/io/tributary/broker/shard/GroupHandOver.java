package io.tributary.broker.shard;

import io.tributary.broker.delivery.MessageRouting;
import io.tributary.broker.shard.SessionQueues.Page;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.ShardEvent.HandOver;
import io.tributary.common.event.ShardEvent.Moved;
import io.tributary.common.mqtt.QoS;
import io.tributary.persistence.shard.ShardStore;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Moves the messages of shared subscriptions that wait in the queue of a session that cannot take them to other members:
 *
 * <ul>
 *   <li>while the session is offline, to members that are online; what finds none waits, and moves as soon as one comes;
 *   <li>when the session ends, to any other member, one that is offline included; what finds none has no subscriber left;
 *   <li>when a new session of the client has inherited the queue, likewise, and everything else is taken out of the queue.
 * </ul>
 *
 * <p>A QoS 2 message that was sent to the session stays with it [MQTT-4.8.2-4]. Confined to the thread of the driver.
 */
final class GroupHandOver {
    private static final int PAGE = 100;
    private static final int RETRIES_AT_ONCE = 100;
    private static final long RETRY_MILLIS = 1000;
    private static final long LONGEST_RETRY_MILLIS = 64_000;

    private final SessionQueues queues;
    private final Deliveries deliveries;
    private final MessageRouting routing;
    private final LongSupplier clockMillis;
    private final Consumer<HandOver> append;
    private final long ownerEpoch;
    private final Map<ClientState, Waiting> waiting = new LinkedHashMap<>();
    private List<SweepPass> failedSweeps = new ArrayList<>();

    /**
     * Creates one.
     *
     * @param ownerEpoch the owner that hands over
     */
    GroupHandOver(
            SessionQueues queues,
            Deliveries deliveries,
            MessageRouting routing,
            LongSupplier clockMillis,
            long ownerEpoch,
            Consumer<HandOver> append) {
        this.queues = queues;
        this.deliveries = deliveries;
        this.routing = routing;
        this.clockMillis = clockMillis;
        this.ownerEpoch = ownerEpoch;
        this.append = append;
    }

    /** A session that goes on has lost its connection. */
    void left(ClientState client) {
        if (client.groupUpTo > 0 && deliveries.messagesOf(client) > 0) {
            new OfflinePass(client, waiting.remove(client)).readFrom(1);
        }
    }

    /** A session is offline, nobody knows since when; what is to move does so in one of the next {@link #retry}. */
    void loaded(ClientState client) {
        if (client.groupUpTo > 0) {
            waiting.put(client, new Waiting(Set.of(), 0, RETRY_MILLIS));
        }
    }

    /** A message of a shared subscription was queued for a session that is offline, for no other member was online. */
    void queued(ClientState client, String group) {
        Waiting known = waiting.get(client);
        if (known == null || (!known.groups.isEmpty() && !known.groups.contains(group))) {
            Set<String> groups = new HashSet<>(Set.of(group));
            groups.addAll(known == null ? Set.of() : known.groups);
            waiting.put(client, new Waiting(groups, 0, RETRY_MILLIS));
        }
    }

    /** Moves what has waited for a member to come online, of a limited number of sessions, and what could not be read. */
    void retry() {
        List<SweepPass> again = failedSweeps;
        failedSweeps = new ArrayList<>();
        again.forEach(sweep -> sweep.readFrom(1));
        if (!waiting.isEmpty()) {
            retryWaiting();
        }
    }

    private void retryWaiting() {
        long now = clockMillis.getAsLong();
        List<ClientState> ready = new ArrayList<>();
        waiting.entrySet().removeIf(entry -> entry.getKey().isAttached() || queues.isOver(entry.getKey()));
        for (Map.Entry<ClientState, Waiting> entry : waiting.entrySet()) {
            if (ready.size() < RETRIES_AT_ONCE && entry.getValue().isReady(now, routing)) {
                ready.add(entry.getKey());
            }
        }
        ready.forEach(this::left);
    }

    /**
     * A session is about to end.
     *
     * @param done told when the last message that was in the queue is on its way into the log; not told when the session was
     *     resumed meanwhile
     * @param failed told when the queue could not be read
     */
    void ending(ClientState client, Runnable done, Runnable failed) {
        if (client.groupUpTo == 0) {
            done.run();
        } else {
            new EndPass(client, done, failed).readFrom(1);
        }
    }

    /**
     * A session has inherited the queue of the one before.
     *
     * @param settled what the one before has acknowledged though the queue still has it
     * @param begunUpTo what the one before may have been sent
     */
    void inherited(ClientState client, Set<Long> settled, long begunUpTo) {
        client.isSweeping = true;
        new SweepPass(client, settled, begunUpTo).readFrom(1);
    }

    /**
     * Why a session's messages still wait.
     *
     * @param groups the shared subscriptions whose messages found nobody; empty when that is not known
     */
    private record Waiting(Set<String> groups, long notBeforeMillis, long delayMillis) {
        boolean isReady(long nowMillis, MessageRouting routing) {
            return nowMillis >= notBeforeMillis
                    && (groups.isEmpty() || groups.stream().anyMatch(routing::hasOnlineMember));
        }
    }

    /** One way through a queue, page by page. */
    private abstract class Pass {
        final ClientState client;
        private final long epoch;
        private final boolean mayWait;
        private final long begunUpTo;

        Pass(ClientState client, boolean mayWait, long begunUpTo) {
            this.client = client;
            this.mayWait = mayWait;
            this.begunUpTo = begunUpTo;
            epoch = client.epoch;
        }

        /** The last sequence number to look at. */
        long upTo() {
            return client.lastSequence;
        }

        boolean isStillWanted() {
            return !client.isAttached() && client.epoch == epoch;
        }

        /** An entry that does not move: the shared subscription's name when it found no other member, null otherwise. */
        void stays(ShardStore.Entry entry, @Nullable String group) {}

        void finished() {}

        void failed() {}

        void readFrom(long sequence) {
            queues.read(client, sequence, PAGE, this::onPage);
        }

        private void onPage(@Nullable Page page) {
            if (page == null) {
                failed();
            } else if (isStillWanted()) {
                take(page);
                if (page.next() <= upTo()) {
                    readFrom(page.next());
                } else {
                    finished();
                }
            }
        }

        private void take(Page page) {
            Set<Long> withheld = deliveries.withheldOf(client);
            List<Moved> moved = new ArrayList<>();
            for (ShardStore.Entry entry : page.entries()) {
                if (entry.sequence() <= upTo() && !withheld.contains(entry.sequence())) {
                    moveOrStay(entry, moved);
                }
            }
            if (!moved.isEmpty()) {
                append.accept(new HandOver(ownerEpoch, client.clientId, client.session, moved));
            }
        }

        private void moveOrStay(ShardStore.Entry entry, List<Moved> moved) {
            if (!(entry.entry() instanceof Queued queued) || queued.group() == null || !mayMove(entry, queued)) {
                stays(entry, null);
                return;
            }
            Destinations destinations = routing.matchGroup(queued.message(), member(queued), mayWait);
            if (destinations.isEmpty()) {
                stays(entry, queued.group());
            } else {
                long size = queued.message().sizeBytes();
                deliveries.move(client, entry.sequence(), size);
                moved.add(new Moved(entry.sequence(), size, queued.message(), destinations));
            }
        }

        boolean mayMove(ShardStore.Entry entry, Queued queued) {
            return queued.qos() != QoS.EXACTLY_ONCE || entry.sequence() > begunUpTo;
        }

        private Recipient member(Queued queued) {
            return new Recipient(
                    client.clientId,
                    client.session,
                    queued.qos(),
                    queued.retain(),
                    queued.subscriptionIds(),
                    queued.group());
        }
    }

    private final class OfflinePass extends Pass {
        private final long delayMillis;
        private final Set<String> groups = new HashSet<>();

        private OfflinePass(ClientState client, @Nullable Waiting before) {
            super(client, false, client.resendUpTo);
            delayMillis = before == null ? RETRY_MILLIS : Math.min(2 * before.delayMillis, LONGEST_RETRY_MILLIS);
        }

        @Override
        void stays(ShardStore.Entry entry, @Nullable String group) {
            if (group != null) {
                groups.add(group);
            }
        }

        @Override
        void finished() {
            if (!groups.isEmpty()) {
                waitFor(groups);
            }
        }

        @Override
        void failed() {
            if (isStillWanted()) {
                waitFor(Set.of());
            }
        }

        private void waitFor(Set<String> whom) {
            waiting.put(client, new Waiting(whom, clockMillis.getAsLong() + delayMillis, delayMillis));
        }
    }

    private final class EndPass extends Pass {
        private final Runnable done;
        private final Runnable failed;

        private EndPass(ClientState client, Runnable done, Runnable failed) {
            super(client, true, client.resendUpTo);
            this.done = done;
            this.failed = failed;
        }

        @Override
        void finished() {
            done.run();
        }

        @Override
        void failed() {
            if (isStillWanted()) {
                failed.run();
            }
        }
    }

    private final class SweepPass extends Pass {
        private final Set<Long> settled;

        private SweepPass(ClientState client, Set<Long> settled, long begunUpTo) {
            super(client, true, begunUpTo);
            this.settled = settled;
        }

        @Override
        long upTo() {
            return client.leftUpTo;
        }

        @Override
        boolean isStillWanted() {
            return true; // as long as the session lives, which the queues see to
        }

        @Override
        boolean mayMove(ShardStore.Entry entry, Queued queued) {
            return super.mayMove(entry, queued) && !settled.contains(entry.sequence());
        }

        @Override
        void stays(ShardStore.Entry entry, @Nullable String group) {
            long size =
                    entry.entry() instanceof Queued queued ? queued.message().sizeBytes() : 0;
            deliveries.discard(client, entry.sequence(), size);
        }

        @Override
        void finished() {
            client.isSweeping = false;
        }

        @Override
        void failed() {
            if (!queues.isOver(client)) {
                failedSweeps.add(this);
            }
        }
    }
}
