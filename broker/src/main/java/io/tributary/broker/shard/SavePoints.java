package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.ShardChanges;
import io.tributary.broker.shard.fold.ShardState;
import io.tributary.persistence.shard.FencedException;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.ShardLog;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves a shard's stored state along, one save point at a time. A save point begins with a {@code Settled} record, so
 * that what clients acknowledged by then does not reach the store; where that was an eighth of it or more, the save
 * point has time. It is stored when all that its records caused is safe, and the log behind it is let go. Confined to
 * the thread of the driver.
 *
 * <p>Decided in docs/decisions/0012-larger-save-points-and-windows.md.
 */
final class SavePoints {
    private static final Logger LOG = LoggerFactory.getLogger(SavePoints.class);
    private static final long RETRY_MILLIS = 1000;
    /**
     * Which part of the memory for waiting changes may be taken before acknowledgements are logged to free some.
     */
    private static final int SETTLED_PART = 4;

    /**
     * How many times the messages of a save point may be in the log behind the last one, unless the interval is over.
     */
    private static final int MOST_RECORDS_FACTOR = 4;

    private static final long NONE = Long.MAX_VALUE;
    private static final long NOT_HELD = Long.MIN_VALUE;

    private final int shard;
    private final ShardConfig config;
    private final ShardEnvironment environment;
    private final ShardLog log;
    private final ShardState state;
    private final SessionQueues queues;
    private final Forwarder forwarder;
    private final Executor thread;
    /** How much may wait in memory before the log is read no further, in bytes. */
    private final long mostUnsaved;

    private long savedApplied;
    private long lastBegunMillis;
    /** How many Settled records this owner appended and has folded again, and which one a save point waits for. */
    private long settledAppended;

    private long settledFolded;
    private long awaitedSettled = NONE;
    private long settledMillis;
    private @Nullable SavePoint taken;
    private boolean storing;
    private long retryAtMillis;
    private boolean fenced;
    private long heldUntilMillis = NOT_HELD;
    private @Nullable Runnable onCaughtUp;

    SavePoints(
            int shard,
            ShardEnvironment environment,
            ShardState state,
            SessionQueues queues,
            Forwarder forwarder,
            Executor thread) {
        this.shard = shard;
        this.environment = environment;
        this.state = state;
        this.queues = queues;
        this.forwarder = forwarder;
        this.thread = thread;
        config = environment.config();
        log = environment.log();
        mostUnsaved = config.unsavedBytesOf(log.shardCount());
        savedApplied = state.applied();
        lastBegunMillis = environment.clockMillis().getAsLong();
    }

    /**
     * Whether it is time for a save point, before which what clients settled is to be logged.
     *
     * @param isSomethingSettled whether there is something to log, which is reason enough for a save point
     */
    boolean wantsSettled(boolean isSomethingSettled) {
        return taken == null
                && awaitedSettled == NONE
                && (isTime() || (isSomethingSettled && isIntervalOver(lastBegunMillis)))
                && !isBehind()
                && !isHeld();
    }

    /**
     * Has the store stay as it is until a time: another node reads it, which owns the shard soon. Sooner, if so much
     * waits to be stored that the log would be read no further.
     */
    void hold(long untilMillis) {
        heldUntilMillis = untilMillis;
    }

    /** Whether the store stays as it is for another node. */
    boolean isHeld() {
        return heldUntilMillis != NOT_HELD && environment.clockMillis().getAsLong() < heldUntilMillis && !isBehind();
    }

    /**
     * Whether what clients settle is to be logged though no save point waits for it: the store is so slow that one save
     * point follows the other, or it is away, and what is settled would be kept for as long as that lasts. So clients
     * that acknowledge what they get do not notice that the store is away. The same while the store is to stay as it is
     * ({@link #hold}). Or so much is settled that the queues in the log would be far longer than they are.
     *
     * @param settled how many messages are settled and not logged
     */
    boolean isSettledLate(long settled) {
        boolean isMuch = settled >= config.savePointChanges();
        boolean isNoSavePointNear = taken != null || isHeld();
        return settledFolded == settledAppended && (isMuch || (isNoSavePointNear && isTooLateForTheStore()));
    }

    private boolean isTooLateForTheStore() {
        return state.changes().weight() >= mostUnsaved / SETTLED_PART
                || isIntervalOver(Math.max(settledMillis, lastBegunMillis));
    }

    /** Whether a record that this owner appended is not folded yet, or the log is not read for want of room. */
    boolean waitsForLog() {
        return settledFolded < settledAppended || onCaughtUp != null;
    }

    /** A {@code Settled} record is on its way into the log. */
    void settledAppended(boolean forSavePoint) {
        settledAppended++;
        settledMillis = environment.clockMillis().getAsLong();
        if (forSavePoint) {
            awaitedSettled = settledAppended;
        }
    }

    /**
     * The next {@code Settled} record of this owner was folded: perhaps the save point that waited for it may wait
     * longer.
     */
    void settledFolded() {
        settledFolded++;
        if (settledFolded == awaitedSettled && mayWait()) {
            awaitedSettled = NONE;
        }
    }

    /**
     * Takes a save point when it is time, and stores the one that was taken when it may be.
     *
     * @return false when the store has refused this owner
     */
    boolean proceed(long ownerEpoch) {
        boolean settledIsIn = awaitedSettled == NONE ? isTime() : settledFolded >= awaitedSettled;
        boolean mayStore = !isHeld();
        if (taken == null && mayStore && (settledIsIn || isBehind())) {
            take(ownerEpoch);
        }
        if (taken != null
                && mayStore
                && !storing
                && forwarder.isDoneUpTo(taken.applied())
                && environment.clockMillis().getAsLong() >= retryAtMillis) {
            storeIfReadBack(taken);
        }
        resumeIfCaughtUp(); // a record folded after the pause may have made it smaller, too
        return !fenced && !queues.hasStoreMoved();
    }

    /**
     * Stores what there is, if that can be done at once: the shard goes to another owner, who then has less to fold
     * again. Nobody waits for the answer; when the next owner has claimed the shard already, the store refuses.
     */
    void saveLast(long ownerEpoch) {
        if (taken == null && state.applied() > savedApplied) {
            take(ownerEpoch);
        }
        if (taken != null && !storing && forwarder.isDoneUpTo(taken.applied())) {
            SavePoint last = withLeader(taken);
            last = last.withLeaderEpoch(Math.max(last.leaderEpoch(), LogRecord.NO_LEADER)); // there is no time to wait
            CompletionStage<?> _ = environment.store().save(shard, last).whenComplete((_, failure) -> {
                if (failure != null) {
                    LOG.info("Shard {}: the last save point came too late: {}", shard, String.valueOf(failure));
                }
            });
        }
    }

    private boolean isTime() {
        ShardChanges changes = state.changes();
        return state.applied() > savedApplied
                && (isIntervalOver(lastBegunMillis)
                        || changes.queuedCount() >= config.savePointChanges()
                        || changes.queuedBytes() >= config.savePointBytes());
    }

    /**
     * Whether clients have acknowledged enough of what called for a save point that it is worth the while to see what
     * else they will have acknowledged soon. There is a bound to waiting: what a restart folds again, and how many
     * sessions one save point has.
     */
    private boolean mayWait() {
        ShardChanges changes = state.changes();
        return !isIntervalOver(lastBegunMillis)
                && state.applied() - savedApplied < (long) config.savePointChanges() * MOST_RECORDS_FACTOR
                && changes.sessionCount() < config.savePointChanges() / 2
                && changes.queuedCount() < partOf(config.savePointChanges())
                && changes.queuedBytes() < partOf(config.savePointBytes());
    }

    /**
     * Seven eighths: so much has to come anew at least before acknowledgements are logged again for the next save
     * point.
     */
    private static long partOf(long most) {
        return most - most / 8;
    }

    private boolean isIntervalOver(long sinceMillis) {
        return environment.clockMillis().getAsLong() - sinceMillis
                >= config.savePointInterval().toMillis();
    }

    private void take(long ownerEpoch) {
        awaitedSettled = NONE;
        lastBegunMillis = environment.clockMillis().getAsLong();
        queues.saving();
        taken = state.takeSavePoint(ownerEpoch, savedApplied);
    }

    /**
     * Stores it, unless its last record came early and is still to be read back: what is stored names the record at
     * which the log goes on by its leader, too.
     */
    private void storeIfReadBack(SavePoint savePoint) {
        SavePoint known = withLeader(savePoint);
        if (known.leaderEpoch() != LogRecord.NOT_READ_BACK) {
            taken = known;
            store(known);
        }
    }

    private SavePoint withLeader(SavePoint savePoint) {
        return savePoint.leaderEpoch() == LogRecord.NOT_READ_BACK
                ? savePoint.withLeaderEpoch(log.leaderEpoch(shard, savePoint.applied()))
                : savePoint;
    }

    private void store(SavePoint savePoint) {
        storing = true;
        environment
                .store()
                .save(shard, savePoint)
                .whenComplete((_, failure) -> thread.execute(() -> stored(savePoint, failure)));
    }

    private void stored(SavePoint savePoint, @Nullable Throwable failure) {
        storing = false;
        if (failure != null) {
            environment.recorder().storeFailed();
            fenced = FencedException.of(failure) != null;
            retryAtMillis = environment.clockMillis().getAsLong() + RETRY_MILLIS;
            LOG.debug("Shard {}: a save point was not stored: {}", shard, String.valueOf(failure));
            return;
        }
        savedApplied = savePoint.applied();
        taken = null;
        queues.saved();
        log.truncate(shard, savedApplied + 1);
        environment.recorder().saved(savePoint.queued().size());
        resumeIfCaughtUp();
    }

    private void resumeIfCaughtUp() {
        Runnable action = onCaughtUp;
        if (action != null && !isBehind()) {
            onCaughtUp = null;
            action.run();
        }
    }

    /** Whether so much waits to be stored that the log should be read no further. */
    boolean isBehind() {
        return state.changes().weight() >= mostUnsaved;
    }

    /** Runs the action once when it is not behind any more. */
    void onCaughtUp(Runnable action) {
        onCaughtUp = action;
    }
}
