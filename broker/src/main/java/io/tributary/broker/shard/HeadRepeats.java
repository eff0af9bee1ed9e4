package io.tributary.broker.shard;

import io.tributary.broker.shard.SessionQueues.Page;
import io.tributary.common.event.SessionHead;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.ShardEvent.Head;
import io.tributary.common.event.ShardEvent.HeadQueue;
import io.tributary.common.event.ShardEvent.HeadsComplete;
import io.tributary.common.event.ShardEvent.Kept;
import io.tributary.common.event.Source;
import io.tributary.persistence.shard.ShardStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Logs all sessions of a shard again, with their queues, four times in the retention of the log: then the log alone can
 * rebuild the shard though its beginning is deleted, see {@link Restore}.
 *
 * <p>A round tells the state as it was at the offset at which it began, a few sessions a tick; its memory is a copy of the
 * heads. Time is the log's, which the node's clock only carries on from the latest record. An owner that does not know of a
 * round before it begins one soon. Confined to the thread of the driver.
 */
final class HeadRepeats {
    private static final int ROUNDS_IN_RETENTION = 4;
    /** A round takes no larger part of the retention than this, queues apart, however many sessions there are. */
    private static final int SHORTEST_ROUND = 16;

    private static final int FIRST_ROUND = 64;
    private static final long LATEST_FIRST_ROUND_MILLIS = 600_000;

    private static final int TICK_MILLIS = 100;
    private static final int LEAST_HEADS_A_TICK = 10;
    private static final int PAGE = 100;
    private static final int RECORD_BYTES = 64 << 10;
    private static final int QUEUE_BYTES_A_TICK = 32 << 10;
    private static final int TICKS_AFTER_FAILURE = 10;
    private static final long UNKNOWN = Long.MIN_VALUE;

    private final int shard;
    private final long retentionMillis;
    private final ShardState state;
    private final SessionQueues queues;
    private final LogAppender appender;
    private final Executor thread;
    private final LongSupplier clockMillis;
    private final long ownerEpoch;

    /** The log's time of the latest record, and the node's at which it was folded. */
    private long recordMillis;

    private long foldedMillis;
    private long dueMillis = UNKNOWN;
    private @Nullable Round round;
    /** What is on its way into the log or from the store: nothing more is begun meanwhile. */
    private int underWay;

    private int ticksToRest;

    /** All sessions as they were at one offset. */
    private static final class Round {
        final long asOf;
        final Queue<Head> heads = new ArrayDeque<>();
        final HeadsComplete end;
        final int headsATick;
        /** The session whose queue is being read, and from where it is read on. */
        @Nullable
        SessionHead queueOf;

        long nextSequence;
        boolean isOver;

        Round(long ownerEpoch, ShardState state, long retentionMillis) {
            asOf = state.applied();
            for (ClientState client : state.clients()) {
                heads.add(new Head(ownerEpoch, asOf, client.toHead(), client.will));
            }
            List<Source> sources = state.sources().stream()
                    .map(latest -> new Source(latest.shard(), latest.offset(), latest.part()))
                    .toList();
            end = new HeadsComplete(ownerEpoch, asOf, state.ownerEpoch(), sources);
            long ticks = Math.max(1, retentionMillis / SHORTEST_ROUND / TICK_MILLIS);
            headsATick = (int) Math.max(LEAST_HEADS_A_TICK, (heads.size() + ticks - 1) / ticks);
        }
    }

    /**
     * Creates one.
     *
     * @param environment whose configuration says how long the log is kept; nothing is repeated when it does not
     * @param ownerEpoch the owner that repeats
     */
    HeadRepeats(
            int shard,
            ShardEnvironment environment,
            ShardState state,
            SessionQueues queues,
            Executor thread,
            long ownerEpoch) {
        this.shard = shard;
        this.state = state;
        this.queues = queues;
        this.thread = thread;
        this.ownerEpoch = ownerEpoch;
        retentionMillis = environment.config().retention().toMillis();
        appender = environment.appender();
        clockMillis = environment.clockMillis();
    }

    /** A record was folded. */
    void folded(long timeMillis, ShardEvent event) {
        recordMillis = timeMillis;
        foldedMillis = clockMillis.getAsLong();
        if (event instanceof HeadsComplete complete) {
            dueMillis = timeMillis + retentionMillis / ROUNDS_IN_RETENTION;
            if (round != null && round.end.equals(complete)) {
                round = null;
            }
        }
    }

    /** Goes on with a round, or begins one when it is time; while the shard is live. */
    void tick(boolean mayBegin) {
        if (retentionMillis == 0 || underWay > 0 || appender.isCongested()) {
            return;
        }
        if (ticksToRest > 0) {
            ticksToRest--;
        } else if (round != null) {
            goOn(round);
        } else if (mayBegin && isDue() && state.dueWills().isEmpty()) { // they are about to go
            round = new Round(ownerEpoch, state, retentionMillis);
        }
    }

    private boolean isDue() {
        long now = recordMillis + Math.max(0, clockMillis.getAsLong() - foldedMillis);
        if (dueMillis == UNKNOWN) {
            dueMillis = now + Math.min(LATEST_FIRST_ROUND_MILLIS, retentionMillis / FIRST_ROUND);
        }
        return now >= dueMillis;
    }

    private void goOn(Round now) {
        for (int left = now.headsATick; left > 0 && now.queueOf == null && !now.heads.isEmpty(); left--) {
            Head next = now.heads.remove();
            append(next);
            if (next.head().queuedMessages() > 0) {
                now.queueOf = next.head();
                now.nextSequence = 1;
            }
        }
        if (now.queueOf != null) {
            readQueue(now, now.queueOf);
        } else if (now.heads.isEmpty() && !now.isOver) {
            now.isOver = true;
            append(now.end);
        }
    }

    /** Reads what is left of a queue; when its session has ended meanwhile, whoever rebuilds it will learn so from the log. */
    private void readQueue(Round now, SessionHead head) {
        ClientState client = state.client(head.clientId());
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
                append(now, head, page);
            }
        });
    }

    private void append(Round now, SessionHead head, Page page) {
        List<Kept> part = new ArrayList<>();
        long bytes = 0;
        long allBytes = 0;
        for (ShardStore.Entry entry : page.entries()) {
            if (entry.sequence() > head.lastSequence()) {
                break; // came later
            }
            long size = ShardChanges.sizeOf(entry.entry());
            if (bytes > 0 && bytes + size > RECORD_BYTES) {
                append(new HeadQueue(ownerEpoch, now.asOf, head.clientId(), part));
                part.clear();
                bytes = 0;
            }
            part.add(new Kept(entry.sequence(), entry.entry()));
            bytes += size;
            allBytes += size;
        }
        if (!part.isEmpty()) {
            append(new HeadQueue(ownerEpoch, now.asOf, head.clientId(), part));
        }
        now.nextSequence = page.next();
        if (now.nextSequence > head.lastSequence()) {
            now.queueOf = null;
        }
        ticksToRest = (int) (allBytes / QUEUE_BYTES_A_TICK);
    }

    private void append(ShardEvent event) {
        underWay++;
        appender.append(shard, event, (_, failure) -> {
            if (failure == null) { // else the node is closing
                thread.execute(() -> underWay--);
            }
        });
    }
}
