package io.tributary.broker.shard;

import io.tributary.broker.shard.SessionQueues.Page;
import io.tributary.broker.shard.fold.SessionState;
import io.tributary.broker.shard.fold.ShardState;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.RoutingFormat;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.ShardEvent.SnapshotComplete;
import io.tributary.common.event.ShardEvent.SnapshotEntry;
import io.tributary.common.event.ShardEvent.SnapshotQueue;
import io.tributary.common.event.ShardEvent.SnapshotSession;
import io.tributary.common.event.Source;
import io.tributary.common.event.StoredSession;
import io.tributary.persistence.shard.SavePoint.WillKey;
import io.tributary.persistence.shard.ShardStore;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Logs all sessions of a shard again, with their queues, four times in the retention of the log: then the log alone can
 * rebuild the shard though its beginning is deleted, see {@link Restore}.
 *
 * <p>A snapshot tells the state as it was at the offset at which it began, a few sessions a tick; its memory is a copy
 * of the sessions. Wills that were due then are not in it: it ends when they are published. Time is the log's. An
 * owner goes by the last snapshot of the owners before it, and begins one soon where there was none. Confined to the
 * thread of the driver.
 *
 * <p>Decided in docs/decisions/0008-heads-bring-their-queues.md.
 */
final class LogSnapshots {
    private static final int SNAPSHOTS_IN_RETENTION = 4;
    /** A snapshot takes no larger part of the retention than this, queues apart, however many sessions there are. */
    private static final int SHORTEST_SNAPSHOT = 16;

    private static final int FIRST_SNAPSHOT = 64;
    private static final long LATEST_FIRST_SNAPSHOT_MILLIS = 600_000;

    private static final int TICK_MILLIS = 100;
    private static final int LEAST_SESSIONS_A_TICK = 10;
    private static final int PAGE = 100;
    /** The part of a record's room that the entries of a queue take, unless a single one is larger. */
    private static final int PART_OF_ROOM = 8;

    private static final int KEPT_BYTES = 16;
    private static final int QUEUE_BYTES_A_TICK = 32 << 10;
    private static final int TICKS_AFTER_FAILURE = 10;
    private static final long UNKNOWN = Long.MIN_VALUE;

    private final long retentionMillis;
    private final ShardState state;
    private final SessionQueues queues;
    private final LogAppender appender;
    private final OwnerAppender records;
    private final LogTime time;
    private final long ownerEpoch;
    private final LongConsumer tellDelay;

    private long dueMillis = UNKNOWN;
    private @Nullable Snapshot snapshot;
    /** How many records or pages are on their way into the log or from the store: no other is begun meanwhile. */
    private int underWay;

    private int ticksToRest;

    /** All sessions as they were at one offset. */
    private static final class Snapshot {
        final long asOf;
        final Queue<SnapshotSession> sessions = new ArrayDeque<>();
        /** The wills that were due, and were still when that was looked at last. */
        final Set<WillKey> dueWills;

        final SnapshotComplete end;
        final int sessionsATick;
        /** The session whose queue is being read, and from where it is read on. */
        @Nullable
        StoredSession queueOf;

        long nextSequence;
        /** All that records up to there caused has to be safe before the end: nobody folds them again. */
        long safeUpTo;

        boolean isOver;

        Snapshot(long ownerEpoch, ShardState state, long retentionMillis) {
            asOf = state.applied();
            safeUpTo = asOf;
            dueWills = new HashSet<>(state.dueWills().keySet());
            for (SessionState client : state.clients()) {
                sessions.add(new SnapshotSession(ownerEpoch, asOf, client.toStored(), client.will()));
            }
            List<Source> sources = state.sources().stream()
                    .map(latest -> new Source(latest.shard(), latest.offset(), latest.part()))
                    .toList();
            end = new SnapshotComplete(ownerEpoch, asOf, state.ownerEpoch(), sources);
            long ticks = Math.max(1, retentionMillis / SHORTEST_SNAPSHOT / TICK_MILLIS);
            sessionsATick = (int) Math.max(LEAST_SESSIONS_A_TICK, (sessions.size() + ticks - 1) / ticks);
        }
    }

    /**
     * Creates one.
     *
     * @param environment whose configuration says how long the log is kept; none is logged when it does not
     * @param ownerEpoch the owner that logs them
     * @param tellDelay told how much later than it was due the next snapshot is complete, in milliseconds as of now
     */
    LogSnapshots(
            ShardEnvironment environment,
            ShardState state,
            SessionQueues queues,
            LogTime time,
            OwnerAppender records,
            long ownerEpoch,
            LongConsumer tellDelay) {
        this.state = state;
        this.queues = queues;
        this.records = records;
        this.ownerEpoch = ownerEpoch;
        this.tellDelay = tellDelay;
        retentionMillis = environment.config().retention().toMillis();
        appender = environment.appender();
        this.time = time;
    }

    /** A record was folded. */
    void folded(long timeMillis, ShardEvent event) {
        if (event instanceof SnapshotComplete complete) {
            dueMillis = timeMillis + intervalMillis();
            if (snapshot != null && snapshot.end.equals(complete)) {
                snapshot = null;
            }
        }
    }

    /**
     * Goes on with a snapshot, or begins one when it is time; while the shard is live.
     *
     * @param isSafeUpTo whether all is safe that the records up to an offset caused: an owner that goes by the snapshot
     *     does not fold these again
     */
    void tick(LongPredicate isSafeUpTo) {
        if (retentionMillis == 0) {
            return;
        }
        long lateMillis = time.nowMillis() - dueMillis();
        tellDelay.accept(Math.max(0, lateMillis));
        if (underWay > 0 || appender.isCongested()) {
            return;
        }
        if (ticksToRest > 0) {
            ticksToRest--;
        } else if (snapshot != null) {
            goOn(snapshot, isSafeUpTo);
        } else if (lateMillis >= 0) {
            snapshot = new Snapshot(ownerEpoch, state, retentionMillis);
        }
    }

    private long dueMillis() {
        long now = time.nowMillis();
        if (dueMillis == UNKNOWN) {
            dueMillis = state.snapshotMillis() == ShardStore.NO_SNAPSHOT
                    ? now + Math.min(LATEST_FIRST_SNAPSHOT_MILLIS, retentionMillis / FIRST_SNAPSHOT)
                    : state.snapshotMillis() + intervalMillis();
        }
        dueMillis = Math.min(
                dueMillis, now + intervalMillis()); // the servers' clock may have been ahead, and have come back
        return dueMillis;
    }

    private long intervalMillis() {
        return retentionMillis / SNAPSHOTS_IN_RETENTION;
    }

    private void goOn(Snapshot now, LongPredicate isSafeUpTo) {
        for (int left = now.sessionsATick; left > 0 && now.queueOf == null && !now.sessions.isEmpty(); left--) {
            SnapshotSession next = now.sessions.remove();
            append(next);
            if (next.session().queuedMessages() > 0) {
                now.queueOf = next.session();
                now.nextSequence = 1;
            }
        }
        if (now.queueOf != null) {
            readQueue(now, now.queueOf);
        } else if (now.sessions.isEmpty()
                && !now.isOver
                && underWay == 0 // a snapshot without one of its sessions is none
                && areDueWillsGone(now)
                && isSafeUpTo.test(now.safeUpTo)) {
            now.isOver = true;
            append(now.end);
        }
    }

    /** An owner that goes by the snapshot does not know these wills, and ignores the records that publish them. */
    private boolean areDueWillsGone(Snapshot now) {
        if (now.dueWills.removeIf(will -> !state.dueWills().containsKey(will))) {
            now.safeUpTo = state.applied();
        }
        return now.dueWills.isEmpty();
    }

    /**
     * Reads what is left of a queue; when its session has ended meanwhile, an owner that rebuilds it will learn so from
     * the log.
     */
    private void readQueue(Snapshot now, StoredSession stored) {
        SessionState client = state.client(stored.clientId());
        if (client == null) {
            now.queueOf = null;
            return;
        }
        underWay++;
        queues.read(client, now.nextSequence, PAGE, page -> {
            underWay--;
            if (page == null) {
                ticksToRest = TICKS_AFTER_FAILURE;
            } else {
                append(now, stored, page);
            }
        });
    }

    private void append(Snapshot now, StoredSession stored, Page page) {
        List<SnapshotEntry> kept = page.entries().stream()
                .takeWhile(entry -> entry.sequence() <= stored.lastSequence()) // others came later
                .map(entry -> new SnapshotEntry(entry.sequence(), entry.entry()))
                .toList();
        if (!kept.isEmpty()) {
            for (List<SnapshotEntry> part :
                    RecordParts.of(kept, LogSnapshots::largestSizeOf, appender.roomBytes() / PART_OF_ROOM)) {
                append(new SnapshotQueue(ownerEpoch, now.asOf, stored.clientId(), part));
            }
        }
        now.nextSequence = page.next();
        if (now.nextSequence > stored.lastSequence()) {
            now.queueOf = null;
        }
        long bytes = kept.stream().mapToLong(one -> one.entry().sizeBytes()).sum();
        ticksToRest = (int) (bytes / QUEUE_BYTES_A_TICK);
    }

    private static long largestSizeOf(SnapshotEntry kept) {
        return KEPT_BYTES + (kept.entry() instanceof Queued queued ? RoutingFormat.largestSizeOf(queued) : 0);
    }

    private void append(ShardEvent event) {
        underWay++;
        records.append(event, () -> underWay--);
    }
}
