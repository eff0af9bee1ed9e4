package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.NoEffects;
import io.tributary.broker.shard.fold.ShardState;
import io.tributary.common.event.ShardEvent;
import io.tributary.persistence.shard.FencedException;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import io.tributary.persistence.shard.ShardStore;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The owner of one shard: feeds the log to the shard's state, carries out what the fold asks for, and moves the stored
 * state along in save points. Confined to one thread, on which everything but the constructor is called.
 * Its phases are those of {@link ShardPhase}.
 */
final class ShardDriver implements Tenure.Loser {
    private static final Logger LOG = LoggerFactory.getLogger(ShardDriver.class);
    /**
     * An owner that was refused may have lost the shard without knowing yet, and must not take it from its new owner at
     * once.
     */
    private static final long RETRY_MILLIS = 1000;

    private static final long COUNT_MILLIS = 5000;
    /**
     * How long the store stays as it is for another node that reads it; the cluster's node table gives other nodes as
     * long to prepare.
     */
    private static final long HOLD_MILLIS = 3000;

    /** The time until a trouble that only an administrator can end is looked at again. */
    private static final long OTHER_LOG_MILLIS = 10_000;

    private final int shard;
    private final ShardEnvironment environment;
    private final ShardLog log;
    private final ShardStore store;
    private final LogAppender appender;
    private final ShardExecutor thread;
    private final LongSupplier clockMillis;
    private final ShardRecorder recorder;
    private final Forwarder forwarder;
    private final LogRepair repair;

    private ShardPhase phase = ShardPhase.IDLE;
    private Tenure tenure;
    private long countedAtMillis;
    private volatile ShardStats stats = ShardStats.NONE;
    private volatile TenantShares shares = new TenantShares();
    private long foldingOffset;
    /** Whether {@link #serve} has changed something, and what follows from it is to be done when the turn ends. */
    private boolean isEndAskedFor;

    private long retryAtMillis = Long.MAX_VALUE;

    /** Until the state is loaded. */
    private @Nullable Takeover takeover;

    /** Until the shard is claimed. */
    private @Nullable Preload preload;

    // From loading the shard until it is lost or claimed again.
    private @Nullable Loaded loaded;
    private @Nullable Restore restore;
    private volatile @Nullable ShardService service;

    ShardDriver(int shard, ShardEnvironment environment, ShardExecutor thread) {
        this.shard = shard;
        this.environment = environment;
        this.thread = thread;
        log = environment.log();
        store = environment.store();
        appender = environment.appender();
        clockMillis = environment.clockMillis();
        recorder = environment.recorder();
        forwarder =
                new Forwarder(shard, appender, environment.routing(), environment.nodes()::isCurrent, thread, why -> {
                    if (loaded != null) {
                        claimAgainLater(why);
                    }
                });
        repair = new LogRepair(shard, environment, thread);
        tenure = new Tenure(shard, environment, thread, this);
    }

    /** Whether this node serves the shard; any thread. */
    boolean isLive() {
        return service != null;
    }

    /** The epoch of the owner, -1 while this node does not serve the shard; any thread. */
    long liveEpoch() {
        ShardService now = service;
        return now == null ? -1 : now.ownerEpoch();
    }

    /** Whether a connection could be handed more if it had acknowledged more; any thread. */
    boolean isWaitingForRoom() {
        ShardService now = service;
        return now != null && now.isWaitingForRoom();
    }

    /**
     * Why this owner does not serve the shard, or did not until its log was mended, in words; null when it does. Any
     * thread.
     */
    @Nullable
    String problem() {
        ShardService now = service;
        String ofLog = repair.problem();
        return ofLog != null || now == null ? ofLog : now.problem();
    }

    /** This node owns the shard from now on. */
    void assigned() {
        assert thread.isCaller();
        reset(ShardPhase.CLAIMING);
        takeover = new Takeover(shard, environment, repair, tenure, shares, preload, new TakingOver());
        takeover.begin();
        preload(null);
    }

    /**
     * This node will own the shard soon, which another one serves still.
     *
     * @param ready run once the state was read ahead, or cannot be
     */
    void expected(Runnable ready) {
        assert thread.isCaller();
        if (phase == ShardPhase.IDLE) {
            preload(new Preload(shard, store, thread, clockMillis.getAsLong(), ready));
        } else {
            ready.run();
        }
    }

    private void preload(@Nullable Preload next) {
        Preload before = preload;
        preload = next;
        if (before != null) {
            before.end();
        }
        if (next != null) {
            next.begin();
        }
    }

    /** Another node will own the shard soon, and reads its state ahead. */
    void leaving() {
        assert thread.isCaller();
        if (loaded != null) {
            loaded.savePoints().hold(clockMillis.getAsLong() + HOLD_MILLIS);
        }
    }

    /**
     * This node does not own the shard any more: what the next owner would have to find out goes into log and store.
     *
     * @param released run once the log has it; any thread
     */
    void revoked(Runnable released) {
        assert thread.isCaller();
        ShardService now = service;
        if (now == null) {
            released.run();
        } else {
            now.logLast(released);
            if (loaded != null && !loaded.savePoints().isHeld()) { // else the next owner has read what is there
                saveLast();
            }
        }
        reset(ShardPhase.IDLE);
        preload(null);
        repair.forget();
    }

    private void saveLast() {
        if (loaded != null) {
            loaded.savePoints().saveLast(tenure.epoch());
        }
    }

    private void reset(ShardPhase next) {
        tenure.end();
        tenure = new Tenure(shard, environment, thread, this);
        enter(next);
        ShardService before = service;
        service = null;
        if (before != null) {
            before.stop();
        }
        if (loaded != null) {
            loaded.state().tell(new NoEffects()); // the rest of the record that is being folded
            loaded.willMemory().end();
        }
        loaded = null;
        restore = null;
        takeover = null;
        stats = ShardStats.NONE;
        shares = new TenantShares();
        countedAtMillis = 0;
        retryAtMillis = Long.MAX_VALUE;
    }

    private void enter(ShardPhase next) {
        phase = phase.to(next);
    }

    /** What becomes of a claim. */
    private final class TakingOver implements Takeover.Outcome {
        @Override
        public void loading() {
            enter(ShardPhase.LOADING);
        }

        @Override
        public void wentBack(long from, long used) {
            repair.wentBack(from, used);
            assigned();
        }

        @Override
        public void loaded(ShardState state) {
            takeover = null;
            replay(state);
        }
    }

    /**
     * The log has lost records that it had. What was folded of them stays; what the log has in their place is folded,
     * too.
     *
     * @param at the first offset that has another record
     */
    void wentBack(long at) {
        assert thread.isCaller();
        Loaded now = loaded;
        if (takeover != null && takeover.wentBack(at)) {
            LOG.debug("Shard {}: its log went back to {}, as its store shows", shard, at);
        } else if (now == null) {
            LOG.debug("Shard {}: its log went back to {} while it was being claimed", shard, at);
        } else if (restore != null) {
            claimAgainLater("the log has lost its end while the state was rebuilt");
        } else if (at > now.state().applied()) {
            readOn(); // nothing of that was folded
        } else {
            if (isLive()) {
                saveLast();
            }
            repair.wentBack(at, now.state().applied());
            assigned();
        }
    }

    /** Another Kafka than before, or the topic was made anew. */
    private void otherLog(FencedException refused) {
        if (repair.isAccepted(refused)) {
            assigned();
        } else {
            reset(ShardPhase.CLAIMING);
            retryAtMillis = clockMillis.getAsLong() + OTHER_LOG_MILLIS;
        }
    }

    private void replay(ShardState state) {
        SessionQueues queues = new SessionQueues(shard, state, store, thread);
        forwarder.restart();
        SavePoints savePoints = new SavePoints(shard, environment, state, queues, forwarder, thread);
        Loaded now = new Loaded(
                state,
                queues,
                savePoints,
                new LogTime(clockMillis),
                forwarder,
                new WillsFirst(this::flush),
                environment.willMemory().part());
        state.tell(new ReplayEffects(now, tenure, environment.observer(), () -> goLive(now)));
        loaded = now;
        now.countWills();
        enter(ShardPhase.REPLAYING);
        if (state.applied() < ShardStore.NOTHING_APPLIED) {
            restore(now);
        }
        readOn();
    }

    private void goLive(Loaded now) {
        enter(ShardPhase.LIVE);
        ShardService live = new ShardService(shard, environment, tenure, now, thread, this::endOfTurn);
        now.state().tell(live);
        service = live;
        repair.served();
        live.begin();
        log.allowEarly(shard);
        recorder.live(shard, now.state().clients().size());
        environment.onLive().accept(shard);
    }

    /**
     * Begins to rebuild the store: the log has deleted records that it needs, or an owner before was interrupted in
     * that.
     */
    private void restore(Loaded now) {
        enter(ShardPhase.RESTORING);
        restore = new Restore(shard, environment, now.state(), tenure.epoch(), new Restoring());
    }

    /** What becomes of a store that is rebuilt. */
    private final class Restoring implements Restore.Outcome {
        @Override
        public void restored() {
            long epoch = tenure.epoch();
            reset(ShardPhase.LOADING);
            tenure.epoch(epoch);
            takeover = new Takeover(shard, environment, repair, tenure, shares, null, new TakingOver());
            takeover.load();
        }

        @Override
        public void nothingFound() {
            restore = null;
            enter(ShardPhase.REPLAYING);
            readOn();
        }

        @Override
        public void cutAgain() {
            claimAgainLater("the log has lost more records while the state was rebuilt");
        }

        @Override
        public void whenSaved(CompletionStage<@Nullable Void> stage, Runnable then) {
            tenure.onAnswer(stage, _ -> then.run());
        }
    }

    /** That the store does not work is said once for all shards, by the store. */
    @Override
    public void claimAgainLater(Throwable failure) {
        FencedException fenced = FencedException.of(failure);
        if (fenced != null && fenced.isOtherLog()) {
            otherLog(fenced);
        } else if (fenced != null) {
            repair.refused(fenced);
            claimAgainLater(failure.toString());
        } else {
            LOG.debug("Shard {}: claiming it again", shard, failure);
            claimAgain();
        }
    }

    @Override
    public void claimAgainLater(String why) {
        LOG.warn("Shard {}: claiming it again: {}", shard, why);
        claimAgain();
    }

    private void claimAgain() {
        recorder.storeFailed();
        reset(ShardPhase.CLAIMING);
        retryAtMillis = clockMillis.getAsLong() + RETRY_MILLIS;
    }

    /**
     * Folds records that the log handed out.
     *
     * @param from the offset that they were read from. Behind the one that is wanted, they are what the log had on its
     *     way when this owner stepped back; before it, with a first record that is behind it, the log has deleted what
     *     lies between, for offsets have no gaps.
     */
    void records(long from, List<LogRecord> records) {
        assert thread.isCaller();
        Loaded now = loaded;
        if (takeover != null) {
            takeover.records(from);
        }
        if (now == null
                || records.isEmpty()
                || (restore == null && from > now.state().applied() + 1)) {
            return;
        }
        Tenure claim = tenure;
        try {
            if (restore == null && records.getFirst().offset() > now.state().applied() + 1) {
                noticeDeleted(now);
            }
            if (restore == null) {
                fold(now, records);
            } else {
                restore.records(from, records);
                return;
            }
        } catch (RuntimeException | Error e) { // the records behind it would never be read
            LOG.error("Shard {}: the record at offset {} cannot be folded", shard, foldingOffset, e);
            repair.problem("the record at offset " + foldingOffset + " of its log cannot be read: " + e.getMessage());
            claimAgainLater("what is in memory is not to be trusted");
        }
        if (claim.isOver()) {
            return;
        }
        recorder.folded(records.size());
        if (service != null) {
            service.folded();
        }
        endOfTurn();
        if (!claim.isOver()) {
            pauseIfBehind(now, records.getLast().offset());
        }
    }

    /** The log's retention has deleted records that the state needs. */
    private void noticeDeleted(Loaded now) {
        if (isLive()) {
            claimAgainLater("the log has deleted records before they were folded");
        } else {
            restore(now);
        }
    }

    /** Folds as many of the records as there is room for what they change. */
    private void fold(Loaded now, List<LogRecord> records) {
        Tenure claim = tenure;
        ShardState state = now.state();
        for (LogRecord record : records) {
            if (claim.isOver() || now.savePoints().isBehind()) {
                return; // another node has claimed the shard, or too much waits to be stored
            }
            if (record.offset() > state.applied()) {
                if (!isLive() && repair.isUnderNewLeader(state, record)) {
                    repair.leap(record);
                    assigned();
                    return;
                }
                foldingOffset = record.offset();
                ShardEvent event = now.fold(record);
                now.countWills();
                ShardService live = service;
                if (live != null && event != null) {
                    live.folded(event, record.timeMillis());
                }
            }
        }
    }

    /** Has the log wait while too much waits to be stored, and hand out again what was not folded for that reason. */
    private void pauseIfBehind(Loaded now, long handedOutUpTo) {
        if (now.savePoints().isBehind()) {
            log.pause(shard);
            now.savePoints().onCaughtUp(this::readOn);
        } else if (now.state().applied() < handedOutUpTo) {
            readOn();
        }
    }

    /** Has the log hand out what follows the record that was folded last. */
    void readOn() {
        assert thread.isCaller();
        if (restore != null) {
            restore.readOn();
        } else if (loaded != null) {
            ShardState state = loaded.state();
            log.readFrom(shard, state.applied() + 1, state.leaderEpoch());
            if (isLive()) {
                log.allowEarly(shard);
            }
        }
    }

    /** Has a live shard do something; nothing for one that is not live. */
    void ask(Consumer<ShardService> request) {
        assert thread.isCaller();
        if (service != null) {
            request.accept(service);
        }
    }

    /**
     * The same with what may change a session: the turn's end sends and logs what the requests of the turn have
     * changed, PUBRECs of many sessions in one record.
     */
    void serve(Consumer<ShardService> request) {
        ask(request);
        if (service != null && !isEndAskedFor) {
            isEndAskedFor = true;
            thread.atEndOfTurn(this::endServing);
        }
    }

    private void endServing() {
        isEndAskedFor = false;
        endOfTurn();
    }

    /** A node that could not be reached for a while can be: its connections are told everything again. */
    void reachable(String node) {
        assert thread.isCaller();
        tenure.forget(node);
        if (service != null) {
            service.reachable(node);
        }
    }

    /** A node or an incarnation of it is gone for good, and its connections with it. */
    void gone(String node) {
        assert thread.isCaller();
        tenure.forget(node);
        if (service != null) {
            service.gone(node);
        }
    }

    /** Does what time asks for; ten times a second. */
    void tick() {
        assert thread.isCaller();
        long now = clockMillis.getAsLong();
        if (preload != null && preload.isStale(now)) {
            preload(null);
        }
        if (now >= retryAtMillis) {
            assigned();
        } else if (takeover != null) {
            takeover.tick(now);
        } else if (loaded != null) {
            count(loaded.state(), now);
            if (service == null) {
                loaded.wills().tick();
            } else {
                service.tick(now);
            }
            endOfTurn();
        }
    }

    private void count(ShardState state, long nowMillis) {
        if (nowMillis - countedAtMillis >= COUNT_MILLIS) {
            countedAtMillis = nowMillis;
            stats = ShardStats.of(state.clients());
        }
    }

    /** What the shard holds, a few seconds ago at most; any thread. */
    ShardStats stats() {
        return stats;
    }

    /** What tenants hold in the shard; any thread. */
    TenantShares shares() {
        return shares;
    }

    private void flush() {
        if (service != null) {
            service.flush();
        }
    }

    /** Sends and logs what was done, and stores it when it is time; nothing when the shard was lost meanwhile. */
    private void endOfTurn() {
        Loaded now = loaded;
        if (now == null) {
            return;
        }
        if (service != null) {
            service.endOfTurn();
        }
        if (!now.savePoints().proceed(tenure.epoch())) {
            claimAgainLater("the store is not where this owner left it");
        }
    }
}
