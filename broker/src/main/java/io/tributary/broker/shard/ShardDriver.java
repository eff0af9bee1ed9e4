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
import io.tributary.persistence.shard.ShardStore.Claim;
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
 * any        --the log has lost its end---------------> CLAIMING   once records that say nothing have taken the place of those lost
 * any        --revoked--------------------------------> IDLE
 * </pre>
 */
final class ShardDriver implements Effects {
    private static final Logger LOG = LoggerFactory.getLogger(ShardDriver.class);
    /** Whoever was refused may have lost the shard without knowing yet, and must not take it from its new owner at once. */
    private static final long RETRY_MILLIS = 1000;

    private static final long COUNT_MILLIS = 5000;
    /** How long a log is given to say which records it has lost. */
    private static final long FIND_MILLIS = 5000;
    /** What only an administrator can change is looked at again after so long. */
    private static final long OTHER_LOG_MILLIS = 10_000;

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
    private long foldingMillis;
    /** How far the log was folded when that was looked at last, and since when. */
    private long foldedThen;

    private long foldedThenMillis;
    private long retryAtMillis = Long.MAX_VALUE;
    private boolean owesWills;

    /** The highest offset that refused a claim: this owner's next record comes behind it, unless the log went back. */
    private long fencedBy = -1;

    private ShardLog.Identity identity = ShardLog.Identity.ONLY;
    /** What the store has of a log that has lost its end: asked where that was. */
    private @Nullable Claim ahead;

    private @Nullable LogGap gap;

    /** Whether the log has lost its end: numbers that connections know messages by are given to others. */
    private boolean numbersMayRepeat;
    /** The latest leader of the log for which offsets were left out. */
    private int leaptLeader = LogRecord.NO_LEADER;

    private volatile @Nullable String problem;

    // Live from the claim to the next one.
    private volatile @Nullable Live live;
    private @Nullable Restore restore;

    /** What an owner has from loading the shard until it loses or claims it again. */
    private record Live(
            ShardState state,
            Deliveries deliveries,
            Backlogs backlogs,
            QueueTrimmer trimmer,
            GroupHandOver handOver,
            SavePoints savePoints,
            ShardTimers timers,
            LogTime time,
            WillsFirst wills,
            LastWords lastWords,
            HeadRepeats repeats,
            RetiredTopics retired,
            LivingTopics topics,
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
        handOns = new HandOns(shard, appender, routing, thread, this::handOnFailed);
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

    /** What keeps this owner from serving the shard, or did until its log was mended, in words; null for nothing. Any thread. */
    @Nullable
    String problem() {
        Live now = live;
        return problem != null || now == null ? problem : now.topics.problem();
    }

    /** This node owns the shard from now on. */
    void assigned() {
        reset(Phase.CLAIMING);
        int claim = generation;
        if (gap == null) {
            appendOwner(claim);
        } else {
            gap.fill(shard, appender, thread, () -> claim == generation, () -> appendOwner(claim));
        }
    }

    private void appendOwner(int claim) {
        appender.append(
                shard,
                new Owner(environment.node()),
                (offset, failure) -> thread.execute(() -> {
                    if (failure == null) {
                        claim(claim, offset);
                    } else {
                        appendFailed(claim, failure);
                    }
                }));
    }

    /** This node does not own the shard any more: what the next owner would have to find out goes into log and store. */
    void revoked() {
        if (live != null && isLive()) {
            live.deliveries.takeSettled(ownerEpoch).forEach(this::append);
            live.savePoints.saveLast(ownerEpoch);
        }
        reset(Phase.IDLE);
        gap = null;
        leaptLeader = LogRecord.NO_LEADER;
        fencedBy = -1;
        problem = null;
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
        ahead = null;
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
        if (epoch <= fencedBy) { // what refused the claim before this record was appended is not in the log
            wentBack(epoch, fencedBy);
            return;
        }
        phase = Phase.LOADING;
        // Whoever has a session as far as the own record is known then, or known to be gone.
        onAnswer(
                environment.nodes().caughtUp(),
                _ -> onAnswer(log.identity(), found -> {
                    identity = found;
                    load();
                }));
    }

    private void load() {
        phase = Phase.LOADING;
        onAnswer(store.claim(shard, claimant(gap)), claimed -> {
            if (claimed.applied() >= ownerEpoch) {
                findGap(claimed);
            } else {
                ShardStore.Reused reused = claimed.reused();
                numbersMayRepeat = reused != null && reused.to() > claimed.applied();
                gap = null;
                load(new ShardState(this, claimed), null, new ArrayList<>());
            }
        });
    }

    private ShardStore.Claimant claimant(@Nullable LogGap filled) {
        ShardStore.Reused reused = filled == null ? null : filled.reused(ownerEpoch);
        return new ShardStore.Claimant(ownerEpoch, identity.id(), identity.isAccepted() && reused != null, reused);
    }

    /** The store is ahead of a record that was appended just now: has the log say what it has lost. */
    private void findGap(Claim claimed) {
        phase = Phase.CLAIMING;
        ahead = claimed;
        retryAtMillis = clockMillis.getAsLong() + FIND_MILLIS;
        log.readFrom(shard, claimed.applied() + 1, claimed.leaderEpoch());
    }

    /**
     * The log has lost records that it had. What was folded of them stays; what the log has in their place is folded, too.
     *
     * @param at the first offset that has another record
     */
    void wentBack(long at) {
        Claim found = ahead;
        Live now = live;
        if (found != null) {
            wentBack(at, found.applied());
        } else if (now == null) {
            LOG.debug("Shard {}: its log went back to {} while it was being claimed", shard, at);
        } else if (restore != null) {
            claimAgainLater("the log has lost its end while the state was rebuilt");
        } else if (at > now.state.applied()) {
            readOn(); // nothing of that was folded
        } else {
            if (phase == Phase.LIVE) {
                now.savePoints.saveLast(ownerEpoch);
            }
            wentBack(at, now.state.applied());
        }
    }

    private void wentBack(long from, long used) {
        LOG.error(
                "Shard {}: its log went back: the records from offset {} to {} at most, which it had acknowledged, are not there"
                        + " any more. What they said is lost as far as the store has not got it. The offsets are filled up,"
                        + " and what came instead is folded",
                shard,
                from,
                used);
        recorder.logWentBack(shard);
        fill(from, used, "its log in Kafka has lost records from offset " + from + " on; it is being mended");
    }

    private void fill(long from, long used, @Nullable String why) {
        gap = new LogGap(from, used + (long) environment.config().savePointChanges() * LogGap.UNSAVED_FACTOR, gap);
        problem = why;
        assigned();
    }

    private boolean isUnderNewLeader(ShardState state, LogRecord record) {
        return state.leaderEpoch() != LogRecord.NO_LEADER
                && record.leaderEpoch() > Math.max(state.leaderEpoch(), leaptLeader);
    }

    /**
     * The log has had a new leader since the store was written. Should it have lost its end then, an owner before may have
     * handed messages on under offsets that nobody can tell any more: this one goes on behind them.
     */
    private void leap(LogRecord first) {
        leaptLeader = first.leaderEpoch();
        fill(Long.MAX_VALUE, first.offset(), null);
    }

    /** Another Kafka than before, or the topic was made anew: an administrator has to say which is right. */
    private void otherLog(FencedException refused) {
        if (identity.isAccepted()) {
            LOG.warn("Shard {}: {}; {} was accepted instead", shard, refused.getMessage(), identity.id());
            fill(
                    0,
                    refused.used(),
                    "its log in Kafka is a new one; offsets up to " + refused.used() + " are filled up");
            return;
        }
        String words = refused.getMessage() + ", and Kafka has " + identity.id()
                + ": Kafka, Redis or the topic is another one than before";
        if (!words.equals(problem)) {
            LOG.error("Shard {}: {}. It is not served until that is mended, or the new one accepted", shard, words);
        }
        reset(Phase.CLAIMING);
        problem = words;
        retryAtMillis = clockMillis.getAsLong() + OTHER_LOG_MILLIS;
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
        onAnswer(store.claim(shard, claimant(null)), claimed -> {
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
        Deliveries deliveries = new Deliveries(
                environment.config(),
                queues,
                this::targetOf,
                this::reading,
                environment.timeMillis(),
                recorder,
                log.roomBytes());
        if (numbersMayRepeat) {
            deliveries.forgetOlderConnections();
        }
        Backlogs backlogs = new Backlogs(environment.config().queue(), queues, deliveries);
        LogTime time = new LogTime(clockMillis);
        LivingTopics topics = new LivingTopics(
                shard, state, environment.topics(), deliveries, ownerEpoch, this::append, this::onAnswer, recorder);
        handOns.restart();
        live = new Live(
                state,
                deliveries,
                backlogs,
                new QueueTrimmer(environment.config().queue(), queues, deliveries, backlogs),
                new GroupHandOver(
                        queues, deliveries, routing, thread, clockMillis, ownerEpoch, this::append, log.roomBytes()),
                new SavePoints(shard, environment, state, queues, handOns, thread),
                new ShardTimers(),
                time,
                new WillsFirst(),
                new LastWords(),
                new HeadRepeats(environment, state, queues, time, this::append, ownerEpoch),
                new RetiredTopics(state, environment.topics()),
                topics,
                new ApplicationLags(state, environment.topics(), thread, recorder, topics::missing, topics::suspect));
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
                environment.timeMillis(),
                recorder,
                () -> suspectTopic(client));
    }

    private void suspectTopic(ClientState client) {
        if (live != null && phase == Phase.LIVE && !isOver(client)) {
            live.topics.suspect(client);
        }
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
        FencedException fenced = fenced(failure);
        if (fenced != null && fenced.isOtherLog()) {
            otherLog(fenced);
        } else if (fenced != null) {
            fencedBy = Math.max(fencedBy, fenced.used());
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
        Claim found = ahead;
        if (found != null && from == found.applied() + 1) {
            wentBack(
                    ownerEpoch,
                    found.applied()); // nobody knows more than that the own record is among those that came instead
        }
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
            LOG.error("Shard {}: the record at offset {} cannot be folded", shard, foldingOffset, e);
            problem = "the record at offset " + foldingOffset + " of its log cannot be read: " + e.getMessage();
            claimAgainLater("what is in memory is not to be trusted");
        }
        if (claim == generation) {
            recorder.folded(records.size());
            tellBacklogs(now);
            endOfTurn(now);
        }
        if (claim == generation) {
            pauseIfBehind(now, records.getLast().offset());
        }
    }

    private void tellBacklogs(Live now) {
        now.backlogs.folded(foldingMillis, environment.timeMillis().getAsLong() - foldingMillis);
    }

    /** The log's retention has deleted records that the state needs. */
    private void noticeDeleted(Live now) {
        if (phase == Phase.LIVE) {
            claimAgainLater("the log has deleted records before they were folded");
        } else {
            restore(now);
        }
    }

    /** Folds as many of the records as there is room for what they change. */
    private void fold(Live now, List<LogRecord> records) {
        int claim = generation;
        for (LogRecord record : records) {
            if (claim != generation || now.savePoints.isBehind()) {
                return; // another node has claimed the shard, or too much waits to be stored
            }
            if (record.offset() > now.state.applied()) {
                if (phase == Phase.REPLAYING && isUnderNewLeader(now.state, record)) {
                    leap(record);
                    return;
                }
                foldingOffset = record.offset();
                foldingMillis = record.timeMillis();
                now.state.leaderEpoch(record.leaderEpoch());
                now.time.folded(record.timeMillis());
                if (record.value().length == 0) {
                    now.state.applyNothing(record.offset());
                    continue;
                }
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
            environment.topics().acknowledged(client.appTopic(), client.topic.id(), client.topic.position());
        }
    }

    /** Has the log wait while too much waits to be stored, and hand out again what was not folded for that reason. */
    private void pauseIfBehind(Live now, long handedOutUpTo) {
        if (now.savePoints.isBehind()) {
            log.pause(shard);
            now.savePoints.onCaughtUp(this::readOn);
        } else if (now.state.applied() < handedOutUpTo) {
            readOn();
        }
    }

    /** Has the log hand out what follows the record that was folded last. */
    void readOn() {
        if (restore != null) {
            restore.readOn();
        } else if (live != null) {
            log.readFrom(shard, live.state.applied() + 1, live.state.leaderEpoch());
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
            Claim found = ahead;
            if (found == null) {
                assigned();
            } else {
                wentBack(ownerEpoch, found.applied());
            }
        } else if (live != null) {
            if (environment.nodes().isCurrent()) {
                long logNow = live.time.nowMillis();
                for (String clientId : live.timers.takeDue(logNow)) {
                    due(live, clientId, logNow);
                }
                publishOwedWills(live);
                live.retired.tick(now);
            }
            live.deliveries.tick();
            noticeStandstill(live, now);
            live.backlogs.tick(now);
            for (WillKey late : live.lastWords.tick()) {
                goOnBehind(live, late.clientId(), late.epoch());
            }
            live.wills.tick();
            live.handOver.retry();
            if (phase == Phase.LIVE) {
                live.repeats.tick(handOns.isDoneUpTo(live.state.applied()));
                live.lags.tick(live.time.nowMillis());
            }
            count(live, now);
            endOfTurn(live);
        }
    }

    private void noticeStandstill(Live now, long nowMillis) {
        if (now.state.applied() != foldedThen || !now.savePoints.waitsForLog()) {
            foldedThen = now.state.applied();
            foldedThenMillis = nowMillis;
        } else if (nowMillis - foldedThenMillis >= Backlogs.STANDSTILL_MILLIS) {
            now.backlogs.standsStill(nowMillis);
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
        boolean isWillDue = client.will != null && client.willDueAtMillis <= nowMillis;
        if (client.will != null && isWillDue && !publishWill(client.clientId, client.epoch, client.will)) {
            now.timers.set(
                    client, Long.MIN_VALUE); // this node does not know what the others do: tried again when it does
            return;
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
            now.state.dueWills().forEach((WillKey key, Will will) -> {
                if (!now.lastWords.isAwaited(key.clientId(), key.epoch())) {
                    publishWill(key.clientId(), key.epoch(), will);
                }
            });
        }
    }

    /** Tells whether it is on its way. */
    private boolean publishWill(String clientId, long epoch, Will will) {
        if (!environment.nodes().isCurrent()) {
            owesWills = true;
            return false;
        }
        Message message = will.message();
        if (will.messageExpirySeconds() >= 0) {
            long expiresAt = environment.timeMillis().getAsLong() + will.messageExpirySeconds() * 1000;
            message = message.withExpiry(expiresAt);
        }
        Destinations destinations = match(clientId, message);
        if (!environment.nodes().isCurrent()) { // a pause may have cost a subscription
            owesWills = true;
            return false;
        }
        append(new WillDue(clientId, epoch, message, appender.bounded(destinations)));
        return true;
    }

    /** What else the client retains comes after its will is stored. */
    private Destinations match(String clientId, Message message) {
        Live now = Objects.requireNonNull(live);
        now.wills.begin(clientId);
        return routing.match(message, () -> thread.execute(() -> willStepDone(now, clientId)));
    }

    private static void willStepDone(Live now, String clientId) {
        now.wills.done(clientId);
        now.deliveries.flush();
    }

    private void append(ShardEvent event) {
        append(event, () -> {});
    }

    private void append(ShardEvent event, Runnable durable) {
        int claim = generation;
        appender.append(
                shard,
                event,
                (_, failure) -> thread.execute(() -> {
                    if (failure != null) {
                        appendFailed(claim, failure);
                    } else if (claim == generation) {
                        durable.run();
                    }
                }));
    }

    /** What this owner has in memory will not come true; what another claim appended does not matter any more. */
    private void appendFailed(int claim, Throwable failure) {
        if (claim == generation) {
            claimAgainLater("a record of its owner is not in the log: " + failure);
        }
    }

    private void handOnFailed(Throwable failure) {
        if (live != null) {
            claimAgainLater("a message was not handed on: " + failure);
        }
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
        tellBacklogs(now);
        now.backlogs.standsStill(clockMillis.getAsLong());
        now.state.dueWills().keySet().forEach(key -> now.wills.begin(key.clientId()));
        problem = null;
        fencedBy = -1;
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
        if (client.isAttached() || foldingMillis - client.detachedAtMillis < Backlogs.ABSENCE_MILLIS) {
            now.backlogs.loaded(client);
        }
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
        telling.begin();
        whenReady(now, client, telling::done, last -> {
            TopicProgress topic = client.topic;
            if (topic != null && topic.hasLost()) { // what the connection has in flight nobody can tell it again
                targetOf(node).takenOver(client.connection);
                detachFromDead(client, last); // it does not say so when it had no answer yet
                return;
            }
            answer(client, node);
            if (numbersMayRepeat) { // the connection would take other messages for those that it has had
                targetOf(node).takenOver(client.connection);
            } else {
                now.deliveries.resumed(client, last);
            }
        });
    }

    /**
     * Goes on with the highest sequence number that a session's queue may have, once it is known how the connection before
     * ended, wills of the client's connections before are handed on and an application's topic is there, unless the connection
     * has lost the session meanwhile.
     *
     * @param after run in any case, unless the shard was lost or claimed again meanwhile
     */
    private void whenReady(Live now, ClientState client, Runnable after, LongConsumer then) {
        long epoch = client.epoch;
        int claim = generation;
        Runnable behindWills = () -> now.wills.then(client.clientId, () -> {
            if (claim != generation) {
                return; // another claim tells the nodes
            }
            if (!has(client, epoch)) {
                after.run();
            } else if (client.topic == null) {
                then.accept(client.lastSequence);
                after.run();
            } else {
                whenTopicIsThere(client, after, last -> {
                    then.accept(last);
                    endOfTurn(now);
                });
            }
        });
        if (client.isResumed()) {
            now.lastWords.then(client.clientId, behindWills);
        } else {
            behindWills.run();
        }
    }

    /** Whether a connection has the session still. */
    private boolean has(ClientState client, long epoch) {
        return client.isAttached() && client.epoch == epoch && !isOver(client);
    }

    /**
     * Goes on with the highest sequence number of an application's topic once it is there, unless the connection has lost the
     * session meanwhile. A client must not subscribe before, for its messages would have nowhere to go.
     *
     * @param after run in either case, unless the shard was lost or claimed again meanwhile
     */
    private void whenTopicIsThere(ClientState client, Runnable after, LongConsumer then) {
        long epoch = client.epoch;
        Objects.requireNonNull(live).topics.ensure(client, last -> {
            if (has(client, epoch)) {
                then.accept(last);
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

    /** On the same node a connection that has followed another has waited for it itself. */
    @Override
    public void takenOver(Taken connection, String by) {
        String node = connection.node();
        boolean mayHaveSaidMore = targetOf(node).takenOver(connection.connection()) && !node.equals(by);
        if (live != null && phase == Phase.LIVE && mayHaveSaidMore && !environment.isDead(node)) {
            live.lastWords.await(connection.clientId(), connection.epoch());
        }
    }

    @Override
    public void endedLate(Detach detach) {
        Live now = live;
        boolean isSessionOver = detach.sessionExpirySeconds() == 0;
        if (now != null && now.lastWords.heard(detach.clientId(), detach.epoch(), isSessionOver)) {
            goOnBehind(now, detach.clientId(), detach.epoch());
        }
    }

    /** How a connection before ended is known, or not waited for any longer. */
    private void goOnBehind(Live now, String clientId, long epoch) {
        Will will = now.state.dueWills().get(new WillKey(clientId, epoch));
        if (will != null) {
            publishWill(clientId, epoch, will);
        }
        ClientState client = now.state.client(clientId);
        if (client != null && resumesWhatIsOver(now, client)) {
            beginAnew(client);
        } else if (!now.lastWords.isAwaited(clientId)) {
            now.lastWords.release(clientId);
        }
    }

    /** Whether a connection has resumed a session that one before had ended. */
    private static boolean resumesWhatIsOver(Live now, ClientState client) {
        return client.isAttached() && client.isResumed() && now.lastWords.haveEnded(client.clientId, client.session);
    }

    /** Has a connection, which is not answered yet, begin a new session. */
    private void beginAnew(ClientState client) {
        append(new SessionExpired(ownerEpoch, client.clientId, client.epoch, 0)); // folded, it attaches the client anew
    }

    @Override
    public void attached(ClientState client) {
        if (live == null || phase != Phase.LIVE) {
            return;
        }
        if (!client.isResumed()) {
            live.lastWords.release(client.clientId);
        } else if (resumesWhatIsOver(live, client)) { // what was said of the connection before it comes too late
            beginAnew(client);
        }
        live.timers.remove(client.clientId);
        live.handOver.returned(client);
        String node = client.node;
        if (node != null) {
            Live now = live;
            whenReady(now, client, () -> {}, last -> serve(now, client, node, last));
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

    @Override
    public void unheard(String node, long connection) {
        targetOf(node).takenOver(connection);
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
            live.lastWords.release(client.clientId);
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
            live.lastWords.release(client.clientId);
            if (client.topic != null && phase == Phase.LIVE) {
                live.topics.ended(client);
                live.retired.add(client.appTopic(), clockMillis.getAsLong());
            }
        }
        observer.sessionEnded(client.clientId, client.session);
    }

    @Override
    public void queued(ClientState client, long sequence, QueueEntry.Queued entry) {
        if (live == null || phase != Phase.LIVE) {
            return;
        }
        live.backlogs.queued(client, entry.sizeBytes());
        if (live.trimmer.admit(client, sequence, entry)) {
            live.deliveries.queued(client, sequence, entry);
            if (entry.group() != null && !client.isAttached()) {
                live.handOver.queued(client, entry.group());
            }
        }
    }

    @Override
    public void topicFound(ClientState client) {
        if (live != null && phase == Phase.LIVE) {
            live.topics.found(client);
            live.deliveries.topicFound(client);
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
        if (live != null && canHandOn(destinations)) {
            handOns.handOn(foldingOffset, message, destinations);
            boolean _ = canHandOn(destinations); // or else it is matched again
        }
    }

    private boolean canHandOn(Destinations destinations) {
        boolean isKnown = !destinations.areMatchedLater() || environment.nodes().isCurrent();
        if (!isKnown) {
            claimAgainLater("it does not know all subscriptions, and has a message to match");
        }
        return isKnown;
    }

    @Override
    public void handOnWill(WillDue due, boolean wasDue) {
        Live now = live;
        if (now != null && canHandOn(due.destinations())) {
            if (!wasDue || phase != Phase.LIVE) {
                now.wills.begin(due.clientId());
            }
            handOns.handOn(foldingOffset, due.message(), due.destinations(), () -> willStepDone(now, due.clientId()));
            boolean _ = canHandOn(due.destinations());
        }
    }

    @Override
    public void willDue(String clientId, long epoch, Will will) {
        if (live != null && phase == Phase.LIVE) {
            live.wills.begin(clientId);
            if (!live.lastWords.isAwaited(clientId, epoch)) {
                publishWill(clientId, epoch, will);
            }
        }
    }

    @Override
    public void willDropped(String clientId, long epoch) {
        if (live != null && phase == Phase.LIVE) {
            willStepDone(live, clientId);
        }
    }

    static boolean isFenced(Throwable failure) {
        return fenced(failure) != null;
    }

    private static @Nullable FencedException fenced(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof FencedException fenced ? fenced : null;
    }
}
