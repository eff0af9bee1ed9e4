package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.ShardState;
import io.tributary.persistence.shard.FencedException;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog.Identity;
import io.tributary.persistence.shard.ShardStore.Claimant;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the owner of a shard knows of a log that has lost its end, or is another one than the store's: an offset names a
 * session, a connection or a message for good, so those that were used are left out before the owner claims the shard
 * again. Confined to the thread of the driver, unless a method says otherwise.
 */
final class LogRepair {
    private static final Logger LOG = LoggerFactory.getLogger(LogRepair.class);

    private final int shard;
    private final ShardEnvironment environment;
    private final Executor thread;

    /** The highest offset that refused a claim: this owner's next record comes behind it, unless the log went back. */
    private long refusedUpTo = -1;

    private Identity identity = Identity.ONLY;
    private @Nullable LogGap gap;
    /** The latest leader of the log for which offsets were left out. */
    private int leaptLeader = LogRecord.NO_LEADER;

    private volatile @Nullable String problem;

    LogRepair(int shard, ShardEnvironment environment, Executor thread) {
        this.shard = shard;
        this.environment = environment;
        this.thread = thread;
    }

    /** The trouble with the log, in words; null for none. Any thread. */
    @Nullable
    String problem() {
        return problem;
    }

    /** Sets the trouble, when it is none that this class finds. */
    void problem(String words) {
        problem = words;
    }

    /** A new owner begins, and examines the log for itself. */
    void forget() {
        gap = null;
        leaptLeader = LogRecord.NO_LEADER;
        served();
    }

    /** The shard is live. */
    void served() {
        problem = null;
        refusedUpTo = -1;
    }

    /** The log is this one. */
    void found(Identity newIdentity) {
        identity = newIdentity;
    }

    /** Has the owner's next record come behind the offsets that were used. */
    void fill(Tenure claim, Runnable then) {
        if (gap == null) {
            then.run();
        } else {
            gap.fill(shard, environment.appender(), thread, () -> !claim.isOver(), then);
        }
    }

    /** The owner's record, and so a store that is behind it, is behind the gap. */
    void filled() {
        gap = null;
    }

    /** As whom an owner claims the store. */
    Claimant claimant(long ownerEpoch) {
        var reused = gap == null ? null : gap.reused(ownerEpoch);
        return new Claimant(ownerEpoch, identity.id(), identity.isAccepted() && reused != null, reused);
    }

    /** The store refused a claim. */
    void refused(FencedException refusal) {
        refusedUpTo = Math.max(refusedUpTo, refusal.used());
    }

    /** The highest offset that is known to have been used, -1 for none. */
    long refusedUpTo() {
        return refusedUpTo;
    }

    /**
     * The log has lost records that were acknowledged.
     *
     * @param from the first offset that has another record than it had
     * @param used the highest offset that was used
     */
    void wentBack(long from, long used) {
        LOG.error(
                "Shard {}: its log went back: the records from offset {} to {} at most, which it had acknowledged, are not there"
                        + " any more. What they said is lost as far as the store has not got it. The offsets are filled up,"
                        + " and what came instead is folded",
                shard,
                from,
                used);
        environment.recorder().logWentBack(shard);
        leaveOut(from, used, "its log in Kafka has lost records from offset " + from + " on; it is being mended");
    }

    /**
     * Whether the log has had a new leader since the store was written: should it have lost its end then, an owner
     * before may have forwarded messages under offsets that nobody can tell any more. This one has to go on behind
     * them.
     */
    boolean isUnderNewLeader(ShardState state, LogRecord record) {
        int known = state.leaderEpoch(); // not that of a record that came early to a tenure before, and is queued still
        return known >= 0 && record.leaderEpoch() > Math.max(known, leaptLeader);
    }

    /** Leaves out what may have been used before the log had this leader. */
    void leap(LogRecord first) {
        leaptLeader = first.leaderEpoch();
        leaveOut(Long.MAX_VALUE, first.offset(), null);
    }

    /**
     * The state is that of another log: another Kafka than before, or the topic was made anew. An administrator has to
     * say which is right.
     *
     * @return whether the log was accepted: then the shard is to be claimed again, else later
     */
    boolean isAccepted(FencedException refusal) {
        if (identity.isAccepted()) {
            LOG.warn("Shard {}: {}; {} was accepted instead", shard, refusal.getMessage(), identity.id());
            long used = refusal.used();
            leaveOut(0, used, "its log in Kafka is a new one; offsets up to " + used + " are filled up");
            return true;
        }
        String words = refusal.getMessage() + ", and Kafka has " + identity.id()
                + ": Kafka, Redis or the topic is another one than before";
        if (!words.equals(problem)) {
            LOG.error("Shard {}: {}. It is not served until that is mended, or the new one accepted", shard, words);
        }
        problem = words;
        return false;
    }

    private void leaveOut(long from, long used, @Nullable String why) {
        long unsaved = (long) environment.config().savePointChanges() * LogGap.UNSAVED_FACTOR;
        gap = new LogGap(from, used + unsaved, gap);
        problem = why;
    }
}
