package io.tributary.broker.shard;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.MessageRouting;
import io.tributary.broker.delivery.SessionObserver;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.EventCodec;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.event.ShardEvent.HandOver;
import io.tributary.common.event.ShardEvent.Owner;
import io.tributary.common.event.ShardEvent.SessionExpired;
import io.tributary.common.event.ShardEvent.Settled;
import io.tributary.common.event.ShardEvent.TopicPosition;
import io.tributary.common.event.ShardEvent.WillDue;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.Will;
import io.tributary.persistence.app.AppTopics.AppTopic;
import io.tributary.persistence.shard.FencedException;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.SavePoint.WillKey;
import io.tributary.persistence.shard.ShardLog;
import io.tributary.persistence.shard.ShardStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The owner of one shard: feeds the log to the shard's state, carries out what the fold asks for, and moves the stored state
 * along in save points. Confined to one thread, on which everything but the constructor is called.
 *
 * <pre>
 * IDLE       --assigned-------------------------------> CLAIMING   an Owner record is appended
 * CLAIMING   --the record is durable, its offset known-> LOADING   the store is claimed, heads and wills are read
 * LOADING    --all pages read-------------------------> REPLAYING  the log is folded on from the applied offset
 * REPLAYING  --records that it needs are deleted------> RESTORING  the log is searched for what owners repeated in it
 * RESTORING  --found and copied into the store--------> LOADING
 * RESTORING  --there is nothing-----------------------> REPLAYING  what was deleted is lost, the rest is folded
 * REPLAYING  --the own Owner record is folded---------> LIVE       connections are served, timers run
 * any        --refused by the store, or it failed,
 *              or a newer Owner is folded-------------> CLAIMING   after a pause, with nothing left in memory
 * any        --revoked--------------------------------> IDLE
 * </pre>
 */
final class ShardDriver implements Effects {
    private static final Logger LOG = LoggerFactory.getLogger(ShardDriver.class);
    /** Whoever was refused may have lost the shard without knowing yet, and must not take it from its new owner at once. */
    private static final long RETRY_MILLIS = 1000;

    private static final long COUNT_MILLIS = 5000;

    private enum Phase {
        IDLE,
        CLAIMING,
        LOADING,
        RESTORING,
        REPLAYING,
        LIVE
    }

    private final int shard;
    private final ShardEnvironment environment;
    private final ShardLog log;
    private final ShardStore store;
    private final LogAppender appender;
    private final Map<String, OwnerTarget> targets = new HashMap<>();
    private final MessageRouting routing;
    private final SessionObserver observer;
    private final Executor thread;
    private final LongSupplier clockMillis;
    private final ShardRecorder recorder;
    private final HandOns handOns;

    private Phase phase = Phase.IDLE;
    private volatile boolean isLive;
    /** Counts claims, so that what an earlier one asked for is known and ignored when it arrives. */
    private int generation;

    private long ownerEpoch = -1;
    private long countedAtMillis;
    private volatile ShardFigures figures = ShardFigures.NONE;
    private long foldingOffset;
    private long retryAtMillis = Long.MAX_VALUE;
    private boolean owesWills;

    // Live from the claim to the next one.
    private volatile @Nullable Live live;
    private @Nullable Restore restore;

    /** What an owner has from loading the shard until it loses or claims it again. */
    private record Live(
            ShardState state,
            Deliveries deliveries,
            QueueTrimmer trimmer,
            GroupHandOver handOver,
            SavePoints savePoints,
            ShardTimers timers,
            HeadRepeats repeats,
            RetiredTopics retired,
            ApplicationLags lags) {}

    ShardDriver(int shard, ShardEnvironment environment, Executor thread) {
        this.shard = shard;
        this.environment = environment;
        this.thread = thread;
        log = environment.log();
        store = environment.store();
        appender = environment.appender();
        routing = environment.routing();
        observer = environment.observer();
        clockMillis = environment.clockMillis();
        recorder = environment.recorder();
        handOns = new HandOns(shard, appender, routing, thread);
    }

    /** The offset of the record with which this owner took the shard over; what an older owner says is void. */
    long ownerEpoch() {
        return ownerEpoch;
    }

    /** Whether this node serves the shard; any thread. */
    boolean isLive() {
        return isLive;
    }

    /** Whether a connection could be handed more if it had acknowledged more; any thread. */
    boolean isWaitingForRoom() {
        Live now = live;
        return now != null && now.deliveries.isWaitingForRoom();
    }

    /** This node owns the shard from now on. */
    void assigned() {
        reset(Phase.CLAIMING);
        int claim = generation;
        appender.append(shard, new Owner(environment.node()), (offset, failure) -> {
            if (failure == null) { // else the node is closing
                thread.execute(() -> claim(claim, offset));
            }
        });
    }

    /** This node does not own the shard any more: what the next owner would have to find out goes into log and store. */
    void revoked() {
        if (live != null && isLive()) {
            live.deliveries.takeSettled(ownerEpoch).forEach(this::append);
            live.savePoints.saveLast(ownerEpoch);
        }
        reset(Phase.IDLE);
    }

    private void reset(Phase next) {
        generation++;
        phase = next;
        if (live != null) {
            live.deliveries.stop();
            live.lags.stop();
        }
        isLive = false;
        live = null;
        restore = null;
        targets.clear();
        figures = ShardFigures.NONE;
        countedAtMillis = 0;
        retryAtMillis = Long.MAX_VALUE;
    }

    private void claim(int claim, long epoch) {
        if (claim != generation) {
            return;
        }
        ownerEpoch = epoch;
        phase = Phase.LOADING;
        // Whoever has a session as far as the own record is known then, or known to be gone.
        onAnswer(environment.nodes().caughtUp(), _ -> load());
    }

    private void load() {
        phase = Phase.LOADING;
        onAnswer(
                store.claim(shard, ownerEpoch),
                claimed -> load(new ShardState(this, claimed), null, new ArrayList<>()));
    }

    private void load(ShardState state, @Nullable String cursor, List<ClientWill> wills) {
        onAnswer(store.readHeads(shard, cursor), page -> {
            state.load(page.heads(), List.of());
            wills.addAll(page.wills());
            if (page.cursor() != null) {
                load(state, page.cursor(), wills);
            } else {
                state.load(List.of(), wills);
                verify(state);
            }
        });
    }

    /** Folds on if the store is still where it was when its pages began to be read. */
    private void verify(ShardState state) {
        onAnswer(store.claim(shard, ownerEpoch), claimed -> {
            if (claimed.applied() == state.applied()) {
                replay(state);
            } else {
                claimAgainLater("it has moved");
            }
        });
    }

    /** Goes on with an answer of the store, unless the shard was lost or claimed again meanwhile. */
    private <T extends @Nullable Object> void onAnswer(CompletionStage<T> stage, Consumer<T> next) {
        int claim = generation;
        stage.whenComplete((answer, failure) -> thread.execute(() -> {
            if (claim == generation && failure != null) {
                claimAgainLater(failure);
            } else if (claim == generation) {
                next.accept(answer);
            }
        }));
    }

    private void replay(ShardState state) {
        SessionQueues queues = new SessionQueues(shard, state, store, thread);
        Deliveries deliveries =
                new Deliveries(environment.config(), queues, this::targetOf, this::reading, clockMillis, recorder);
        handOns.restart();
        live = new Live(
                state,
                deliveries,
                new QueueTrimmer(environment.config().queue(), queues, deliveries),
                new GroupHandOver(queues, deliveries, routing, thread, clockMillis, ownerEpoch, this::appendHandOver),
                new SavePoints(shard, environment, state, queues, handOns, thread),
                new ShardTimers(),
                new HeadRepeats(shard, environment, state, queues, thread, ownerEpoch),
                new RetiredTopics(state, environment.topics()),
                new ApplicationLags(state, environment.topics(), thread, recorder));
        phase = Phase.REPLAYING;
        if (state.applied() < ShardStore.NOTHING_APPLIED) {
            restore(live);
        }
        readOn();
    }

    private TopicReading reading(ClientState client) {
        TopicProgress progress = Objects.requireNonNull(client.topic);
        return new TopicReading(
                client,
                progress,
                environment.topics(),
                thread,
                environment.config().catchUp(),
                clockMillis,
                recorder);
    }

    /** Begins to rebuild the store: the log has deleted records that it needs, or an owner before was interrupted in that. */
    private void restore(Live now) {
        phase = Phase.RESTORING;
        restore = new Restore(shard, environment, now.state, ownerEpoch, new Restoring(now.state));
    }

    /** What becomes of a store that is rebuilt. */
    private final class Restoring implements Restore.Outcome {
        private final ShardState before;

        private Restoring(ShardState before) {
            this.before = before;
        }

        @Override
        public void restored(long applied) {
            LOG.warn(
                    "Shard {}: the store had the state up to offset {}, and the log has no records behind that any more; its"
                            + " state is rebuilt from the log as of offset {}, with nothing lost",
                    shard,
                    before.applied(),
                    applied);
            recorder.restored(shard);
            reset(Phase.LOADING);
            load();
        }

        @Override
        public void nothingFound(long begin) {
            long known = Math.max(before.applied(), ShardStore.NOTHING_APPLIED);
            LOG.error(
                    "Shard {}: the log begins at offset {}, and the store has the state up to {}: the {} records between"
                            + " were deleted before they were applied, and no owner has repeated in the log what they"
                            + " said. Sessions, messages and acknowledgements in them are lost. Keep the log longer than"
                            + " the cluster may be down, and than the store may go back in time",
                    shard,
                    begin,
                    known,
                    begin - known - 1);
            recorder.recordsLost(begin - known - 1);
            before.skipTo(begin - 1);
            restore = null;
            phase = Phase.REPLAYING;
            readOn();
        }

        @Override
        public void cutAgain() {
            claimAgainLater("the log has lost more records while the state was rebuilt");
        }

        @Override
        public void whenSaved(CompletionStage<@Nullable Void> stage, Runnable then) {
            onAnswer(stage, _ -> then.run());
        }
    }

    /** That the store does not work is said once for all shards, by the store. */
    private void claimAgainLater(Throwable failure) {
        if (isFenced(failure)) {
            claimAgainLater(failure.toString());
        } else {
            LOG.debug("Shard {}: claiming it again", shard, failure);
            claimAgain();
        }
    }

    private void claimAgainLater(String why) {
        LOG.warn("Shard {}: claiming it again: {}", shard, why);
        claimAgain();
    }

    private void claimAgain() {
        recorder.storeFailed();
        reset(Phase.CLAIMING);
        retryAtMillis = clockMillis.getAsLong() + RETRY_MILLIS;
    }

    /**
     * Folds records that the log handed out.
     *
     * @param from the offset that they were read from. Behind the one that is wanted, they are what the log had on its way
     *     when this owner stepped back; before it, with a first record that is behind it, the log has deleted what lies
     *     between, for offsets have no gaps.
     */
    void records(long from, List<LogRecord> records) {
        Live now = live;
        if (now == null || records.isEmpty() || (restore == null && from > now.state.applied() + 1)) {
            return;
        }
        int claim = generation;
        try {
            if (restore == null && records.getFirst().offset() > now.state.applied() + 1) {
                noticeDeleted(now);
            }
            if (restore == null) {
                fold(now, records);
            } else {
                restore.records(from, records);
                return;
            }
        } catch (RuntimeException e) {
            LOG.error("Shard {}: a record cannot be folded; this is a defect", shard, e);
            claimAgainLater("what is in memory is not to be trusted");
        }
        if (claim == generation) {
            recorder.folded(records.size());
            endOfTurn(now);
        }
        if (claim == generation) {
            pauseIfBehind(now);
        }
    }

    /** The log's retention has deleted records that the state needs. */
    private void noticeDeleted(Live now) {
        if (phase == Phase.LIVE) {
            claimAgainLater("the log has deleted records before they were folded");
        } else {
            restore(now);
        }
    }

    private void fold(Live now, List<LogRecord> records) {
        int claim = generation;
        for (LogRecord record : records) {
            if (claim != generation) {
                return; // another node has claimed the shard
            }
            if (record.offset() > now.state.applied()) {
                foldingOffset = record.offset();
                ShardEvent event = EventCodec.decode(record.value());
                now.state.apply(record.offset(), record.timeMillis(), event);
                now.repeats.folded(record.timeMillis(), event);
                folded(now, event);
            }
        }
    }

    private void folded(Live now, ShardEvent event) {
        switch (event) {
            case Settled settled
            when settled.ownerEpoch() == ownerEpoch -> {
                now.deliveries.logged(settled);
                now.savePoints.settledFolded();
                settled.positions().forEach(position -> tellTopic(now, position));
            }
            case HandOver handOver when handOver.ownerEpoch() == ownerEpoch -> now.deliveries.logged(handOver);
            default -> {}
        }
    }

    /** The log says that an application is done with a part of its topic, whatever becomes of the store. */
    private void tellTopic(Live now, TopicPosition position) {
        ClientState client = now.state.client(position.clientId());
        if (client != null && client.session == position.session() && client.topic != null) {
            environment.topics().acknowledged(client.appTopic(), client.topic.upTo());
        }
    }

    private void pauseIfBehind(Live now) {
        if (now.savePoints.isBehind()) {
            log.pause(shard);
            now.savePoints.onCaughtUp(this::readOn);
        }
    }

    /** Has the log hand out what follows the record that was folded last. */
    void readOn() {
        if (restore != null) {
            restore.readOn();
        } else if (live != null) {
            log.readFrom(shard, live.state.applied() + 1);
        }
    }

    /** Tells the observer that a session is over, if it is; one that is not live yet tells of all its sessions when it is. */
    void verify(String clientId, long session) {
        boolean isKnown = live != null && phase == Phase.LIVE && session <= live.state.applied();
        if (live != null && isKnown && sessionOf(live, clientId) != session) {
            observer.sessionEnded(clientId, session);
        }
    }

    private static long sessionOf(Live now, String clientId) {
        ClientState client = now.state.client(clientId);
        return client == null ? -1 : client.session;
    }

    /** A client has a topic: it is deleted if it is of no use any more. */
    void topicFound(AppTopic topic) {
        if (live != null && phase == Phase.LIVE) {
            live.retired.add(topic, clockMillis.getAsLong());
        }
    }

    /** Takes acknowledgements from a connection. */
    void settle(String clientId, long epoch, long[] sequences) {
        if (live != null && phase == Phase.LIVE) {
            live.deliveries.settle(clientId, epoch, sequences);
            endOfTurn(live);
        }
    }

    /** The node of a connection has told all of its acknowledgements that it knew of when it was asked. */
    void allSettled(String clientId, long epoch) {
        if (live != null && phase == Phase.LIVE) {
            live.deliveries.allSettled(clientId, epoch);
            endOfTurn(live);
        }
    }

    /** Takes PUBRECs from a connection. */
    void received(String clientId, long epoch, long[] sequences) {
        if (live != null && phase == Phase.LIVE) {
            live.deliveries.received(clientId, epoch, sequences);
            endOfTurn(live);
        }
    }

    /** Passes a message of QoS 0 on to the node that has a session's connection; without one, nobody gets it. */
    void qos0(String clientId, long session, QueueEntry.Queued message) {
        ClientState client = live == null || phase != Phase.LIVE ? null : live.state.client(clientId);
        if (client != null && client.session == session && client.node != null) {
            targetOf(client.node).qos0(clientId, session, message);
        }
    }

    /** A node that could not be reached for a while can be: its connections are told everything again. */
    void reachable(String node) {
        targets.remove(node);
        if (live != null && phase == Phase.LIVE) {
            Telling telling = new Telling(List.of(targetOf(node)), live.state.applied());
            for (ClientState client : live.state.clients()) {
                if (node.equals(client.node)) {
                    resume(live, client, node, telling);
                }
            }
            telling.done();
            live.deliveries.flush();
        }
    }

    /** A node or an incarnation of it is gone for good, and its connections with it. */
    void gone(String node) {
        targets.remove(node);
        if (live != null && phase == Phase.LIVE) {
            live.state.clients().stream()
                    .filter(client -> node.equals(client.node))
                    .forEach(this::detachFromDead);
        }
    }

    /** Does what time asks for; called a few times a second. */
    void tick() {
        long now = clockMillis.getAsLong();
        if (phase == Phase.CLAIMING && now >= retryAtMillis) {
            assigned();
        } else if (live != null) {
            if (environment.nodes().isCurrent()) {
                for (String clientId : live.timers.takeDue(now)) {
                    due(live, clientId, now);
                }
                publishOwedWills(live);
                live.retired.tick(now);
            }
            live.deliveries.tick();
            live.handOver.retry();
            if (phase == Phase.LIVE) {
                live.repeats.tick(handOns.isDoneUpTo(live.state.applied()));
                live.lags.tick(now);
            }
            count(live, now);
            endOfTurn(live);
        }
    }

    private void count(Live now, long nowMillis) {
        if (nowMillis - countedAtMillis >= COUNT_MILLIS) {
            countedAtMillis = nowMillis;
            figures = ShardFigures.of(now.state.clients());
        }
    }

    /** What the shard holds, a few seconds ago at most; any thread. */
    ShardFigures figures() {
        return figures;
    }

    private void endOfTurn(Live now) {
        now.deliveries.flush();
        boolean forSavePoint = now.savePoints.wantsSettled(now.deliveries.hasSettled());
        boolean isLate = now.deliveries.hasSettled() && now.savePoints.isSettledLate();
        if (phase == Phase.LIVE && (forSavePoint || isLate || now.deliveries.hasReceived())) {
            for (Settled settled : now.deliveries.takeSettled(ownerEpoch)) {
                now.savePoints.settledAppended(forSavePoint);
                append(settled);
            }
        }
        if (!now.savePoints.proceed(ownerEpoch)) {
            claimAgainLater("the store is not where this owner left it");
        }
    }

    private void due(Live now, String clientId, long nowMillis) {
        ClientState client = now.state.client(clientId);
        if (client == null || client.isAttached()) {
            return;
        }
        if (client.will != null && client.willDueAtMillis <= nowMillis) {
            publishWill(client.clientId, client.epoch, client.will);
        }
        now.timers.set(client, nowMillis);
        if (client.expiresAtMillis() <= nowMillis) {
            long epoch = ownerEpoch; // what an earlier claim handed over does not count once there is a later one
            now.handOver.ending(client, () -> expired(client, epoch), () -> now.timers.set(client, Long.MIN_VALUE));
        }
    }

    private void expired(ClientState client, long epoch) {
        append(new SessionExpired(epoch, client.clientId, client.epoch, client.lastSequence));
    }

    /** Those that were due while this node did not know all that the others do: it may have lost the shard, too. */
    private void publishOwedWills(Live now) {
        if (owesWills && phase == Phase.LIVE) {
            owesWills = false;
            now.state.dueWills().forEach((WillKey key, Will will) -> publishWill(key.clientId(), key.epoch(), will));
        }
    }

    private void publishWill(String clientId, long epoch, Will will) {
        if (!environment.nodes().isCurrent()) {
            owesWills = true;
            return;
        }
        Message message = will.message();
        if (will.messageExpirySeconds() >= 0) {
            long expiresAt = clockMillis.getAsLong() + will.messageExpirySeconds() * 1000;
            message = message.withExpiry(expiresAt);
        }
        append(new WillDue(clientId, epoch, message, routing.match(message)));
    }

    /** What another claim appended goes on only as far as its records are in the log. */
    private void appendHandOver(HandOver handOver, Runnable durable) {
        int claim = generation;
        appender.append(shard, handOver, (offset, failure) -> {
            if (failure == null) {
                thread.execute(() -> {
                    if (claim == generation) {
                        durable.run();
                    }
                });
            }
        });
    }

    private void append(ShardEvent event) {
        appender.append(shard, event, (offset, failure) -> {});
    }

    @Override
    public void owned(long epoch) {
        if (epoch > ownerEpoch) {
            claimAgainLater("another owner has claimed it");
        } else if (epoch == ownerEpoch && live != null) {
            goLive(live);
        }
    }

    private void goLive(Live now) {
        phase = Phase.LIVE;
        isLive = true;
        Telling telling = new Telling(
                environment.nodes().alive().stream().map(this::targetOf).toList(), now.state.applied());
        for (ClientState client : now.state.clients()) {
            load(now, client, telling);
        }
        telling.done();
        now.state.dueWills().forEach((WillKey key, Will will) -> publishWill(key.clientId(), key.epoch(), will));
        observer.shardLive(shard, now.state.applied(), clientId -> sessionOf(now, clientId));
        recorder.live(shard, now.state.clients().size());
        environment.onLive().accept(shard);
    }

    private void load(Live now, ClientState client, Telling telling) {
        String node = client.node;
        if (client.leftUpTo > 0 && client.queuedMessages > 0) {
            now.handOver.loadedHeir(client);
        }
        if (node == null) {
            now.timers.set(client, Long.MIN_VALUE);
            now.handOver.loaded(client);
        } else if (environment.isDead(node)) {
            detachFromDead(client);
        } else {
            resume(now, client, node, telling);
        }
    }

    private void resume(Live now, ClientState client, String node, Telling telling) {
        if (client.topic == null) {
            answer(client, node);
            now.deliveries.resumed(client, client.lastSequence);
            return;
        }
        telling.begin();
        whenTopicIsThere(client, telling::done, last -> {
            answer(client, node);
            now.deliveries.resumed(client, last);
            endOfTurn(now);
        });
    }

    /**
     * Goes on with the highest sequence number of an application's topic once it is there, unless the connection has lost the
     * session meanwhile. A client must not subscribe before, for its messages would have nowhere to go.
     *
     * @param after run in either case
     */
    private void whenTopicIsThere(ClientState client, Runnable after, LongConsumer then) {
        long epoch = client.epoch;
        onAnswer(environment.topics().create(client.appTopic()), end -> {
            if (client.isAttached() && client.epoch == epoch && !isOver(client)) {
                then.accept(end);
            }
            after.run();
        });
    }

    /** Nodes are being told which of their connections have a session of the shard. */
    private static final class Telling {
        private final List<OwnerTarget> nodes;
        private final long upTo;
        private int open = 1;

        private Telling(List<OwnerTarget> nodes, long upTo) {
            this.nodes = nodes;
            this.upTo = upTo;
        }

        private void begin() {
            open++;
        }

        private void done() {
            open--;
            if (open == 0) {
                nodes.forEach(node -> node.allAttached(upTo));
            }
        }
    }

    private boolean isOver(ClientState client) {
        return live == null || live.state.client(client.clientId) != client;
    }

    /** Nobody else can tell that the connections of a dead node are gone. */
    private void detachFromDead(ClientState client) {
        if (client.topic == null) {
            detachFromDead(client, -1);
        } else {
            whenTopicIsThere(client, () -> {}, last -> detachFromDead(client, last));
        }
    }

    private void detachFromDead(ClientState client, long sentUpTo) {
        append(new Detach(client.clientId, client.epoch, true, client.sessionExpirySeconds, sentUpTo));
    }

    @Override
    public void attached(ClientState client, @Nullable Taken previous) {
        if (previous != null) {
            targetOf(previous.node()).takenOver(previous.connection());
        }
        if (live == null || phase != Phase.LIVE) {
            return;
        }
        live.timers.remove(client.clientId);
        live.handOver.returned(client);
        String node = client.node;
        if (node != null && client.topic == null) {
            serve(live, client, node, client.lastSequence);
        } else if (node != null) {
            Live now = live;
            whenTopicIsThere(client, () -> {}, last -> {
                serve(now, client, node, last);
                endOfTurn(now);
            });
        }
    }

    private void serve(Live now, ClientState client, String node, long last) {
        answer(client, node);
        now.deliveries.attached(client, last);
        if (environment.isDead(node)) {
            detachIfDead(client, node);
        }
    }

    @Override
    public void refused(Attach attach, ClientState existing) {
        if (live != null && phase == Phase.LIVE) {
            targetOf(attach.node()).refused(attach.connection(), existing.queue());
        }
    }

    /** Either the node died while its record was on the way, and nobody says so again; or it is so new that it is not known. */
    private void detachIfDead(ClientState client, String node) {
        long epoch = client.epoch;
        onAnswer(environment.nodes().caughtUp(), _ -> {
            boolean isStillThere = node.equals(client.node) && client.epoch == epoch;
            if (isStillThere && isLive() && environment.isDead(node)) {
                detachFromDead(client);
            }
        });
    }

    private OwnerTarget targetOf(String node) {
        return targets.computeIfAbsent(node, name -> environment.nodes().of(name, shard, ownerEpoch));
    }

    private void answer(ClientState client, String node) {
        Attached answer = new Attached(
                client.session, client.epoch, client.isResumed(), client.queue(), client.inboundPacketIdArray());
        targetOf(node).attached(client.connection, answer);
    }

    @Override
    public void detached(ClientState client) {
        if (live != null && phase == Phase.LIVE) {
            GroupHandOver handOver = live.handOver;
            live.deliveries.detached(client, () -> {
                if (client.isPersistent()) {
                    handOver.left(client);
                }
            });
            live.timers.set(client, Long.MIN_VALUE);
        }
    }

    @Override
    public void inherited(ClientState successor, ClientState before) {
        if (live != null && phase == Phase.LIVE) {
            Set<Long> settled = live.deliveries.settledOf(before);
            long begunUpTo = live.deliveries.begunUpTo(before);
            sessionEnded(before);
            live.handOver.inherited(successor, before, settled, begunUpTo);
        } else {
            sessionEnded(before);
        }
    }

    @Override
    public void sessionEnded(ClientState client) {
        if (live != null) {
            live.deliveries.ended(client.clientId);
            live.timers.remove(client.clientId);
            live.handOver.returned(client);
            if (client.topic != null && phase == Phase.LIVE) {
                live.retired.add(client.appTopic(), clockMillis.getAsLong());
            }
        }
        observer.sessionEnded(client.clientId, client.session);
    }

    @Override
    public void queued(ClientState client, long sequence, QueueEntry.Queued entry) {
        if (live != null && phase == Phase.LIVE && live.trimmer.admit(client, sequence, entry)) {
            live.deliveries.queued(client, sequence, entry);
            if (entry.group() != null && !client.isAttached()) {
                live.handOver.queued(client, entry.group());
            }
        }
    }

    @Override
    public void received(ClientState client, long[] sequences) {
        if (live != null && phase == Phase.LIVE) {
            live.deliveries.receivedLogged(client, sequences);
        }
    }

    @Override
    public void relayed(ClientState publisher, int packetId) {
        if (publisher.node != null && live != null && phase == Phase.LIVE) {
            targetOf(publisher.node).relayed(publisher.epoch, packetId);
        }
    }

    @Override
    public void handOn(Message message, Destinations destinations) {
        if (live != null) {
            handOns.handOn(foldingOffset, message, destinations);
        }
    }

    @Override
    public void willDue(String clientId, long epoch, Will will) {
        if (phase == Phase.LIVE) {
            publishWill(clientId, epoch, will);
        }
    }

    static boolean isFenced(Throwable failure) {
        return failure instanceof FencedException
                || (failure instanceof CompletionException && failure.getCause() instanceof FencedException);
    }
}
