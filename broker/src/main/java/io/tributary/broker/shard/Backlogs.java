package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.SessionState;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * What the queues of connected sessions hold because their shard stood still: it had no owner, or the store or the log
 * was away. All of that is folded at once when the shard goes on. It does not count for the limits of a queue, for a
 * client that was connected and acknowledged what it got is not to lose messages by it, for as long as the client takes
 * them:
 *
 * <pre>
 * standing still --records are folded-------------------------------> catching up   what comes is the backlog's
 * catching up    --records are folded when they are appended--------> caught up     what comes counts as ever
 * </pre>
 *
 * <p>A shard that folds records late, and for half a minute no less late, is as fast as it gets, and counts as caught
 * up.
 *
 * <p>A client that takes less than a hundredth of its queue's limit in ten seconds, while messages wait to be
 * acknowledged by it, is slow: its limit holds as ever. So does that of one that has stayed away for a minute. Confined
 * to the thread of the driver.
 */
final class Backlogs {
    /** How long nothing is folded, though something is to come, before the shard counts as standing still. */
    static final long STANDSTILL_MILLIS = 2000;

    static final long PATIENCE_MILLIS = 10_000;
    static final long ABSENCE_MILLIS = 60_000;
    private static final long LOOK_MILLIS = 1000;
    private static final long PACE_MILLIS = 2000;
    /** A record that is folded so long after it was appended is late. */
    private static final long LATE_MILLIS = 3000;
    /** For how long a shard may be no less late before it counts as caught up. */
    static final long PROGRESS_MILLIS = 30_000;

    private static final int PARTS_TO_TAKE = 100;

    private final QueueLimits limits;
    private final SessionQueues queues;
    private final QueueView view;
    private final Map<SessionState, Backlog> backlogs = new HashMap<>();

    private boolean catchingUp;
    /** Since when the records' pace is measured, and how old a record was folded then. */
    private long paceSinceMillis;

    private long paceRecordMillis;
    private long recordMillis;
    /** How late the last record was, and the least since the shard stood still. */
    private long lateMillis;

    private long leastLateMillis;
    /** When a record was less late than any before. */
    private long progressMillis;

    private long tickMillis;
    private long lookedAtMillis;

    /** The backlog of one session. */
    private static final class Backlog {
        private long messages;
        private long bytes;
        private boolean isSlow;
        private boolean wasAttached;
        /** How many messages had left the queue at some time. */
        private long takenThen;

        private long sinceMillis;

        private Backlog(long nowMillis) {
            sinceMillis = nowMillis;
        }
    }

    Backlogs(QueueLimits limits, SessionQueues queues, QueueView view) {
        this.limits = limits;
        this.queues = queues;
        this.view = view;
    }

    /** The shard stands still; records that are folded next have waited. */
    void standsStill(long nowMillis) {
        catchingUp = true;
        tickMillis = nowMillis;
        paceSinceMillis = nowMillis;
        paceRecordMillis = recordMillis;
        lateMillis = Long.MAX_VALUE;
        leastLateMillis = Long.MAX_VALUE;
        progressMillis = nowMillis;
    }

    /**
     * Records were folded.
     *
     * @param appendedMillis when the last of them was appended
     * @param newLateMillis how long ago that is
     */
    void folded(long appendedMillis, long newLateMillis) {
        recordMillis = appendedMillis;
        lateMillis = newLateMillis;
        if (newLateMillis < leastLateMillis) {
            leastLateMillis = newLateMillis;
            progressMillis = tickMillis;
        }
    }

    /** A session that is connected, or was until a moment ago, has this queue when its shard goes live. */
    void loaded(SessionState client) {
        if (mayBecomeTooMuch(client)) {
            Backlog backlog = of(client);
            backlog.messages = client.queuedMessages();
            backlog.bytes = client.queuedBytes();
        }
    }

    /** A message entered a queue. */
    void queued(SessionState client, long bytes) {
        if (catchingUp && client.isAttached() && mayBecomeTooMuch(client)) {
            Backlog backlog = of(client);
            if (!backlog.isSlow) {
                backlog.messages++;
                backlog.bytes += bytes;
            }
        }
    }

    private Backlog of(SessionState client) {
        return backlogs.computeIfAbsent(client, _ -> new Backlog(tickMillis));
    }

    private boolean mayBecomeTooMuch(SessionState client) {
        return client.queuedMessages() > limits.maxMessages() / 2 || client.queuedBytes() > limits.maxBytes() / 2;
    }

    /** Whether a queue is within its limits when its backlog does not count. */
    boolean excuses(SessionState client, long messages, long bytes) {
        Backlog backlog = backlogs.get(client);
        if (backlog == null) {
            return false;
        }
        backlog.messages = Math.min(backlog.messages, messages);
        backlog.bytes = Math.min(backlog.bytes, bytes);
        return messages - backlog.messages <= limits.maxMessages() && bytes - backlog.bytes <= limits.maxBytes();
    }

    /** Looks which clients have taken of their backlogs, and whether the shard has caught up; called often. */
    void tick(long nowMillis) {
        tickMillis = nowMillis;
        if (catchingUp && nowMillis - paceSinceMillis >= PACE_MILLIS) {
            long passed = nowMillis - paceSinceMillis;
            boolean isFast = recordMillis - paceRecordMillis > passed + passed / 2;
            catchingUp = isFast || (lateMillis > LATE_MILLIS && nowMillis - progressMillis < PROGRESS_MILLIS);
            paceSinceMillis = nowMillis;
            paceRecordMillis = recordMillis;
        }
        if (backlogs.isEmpty() || nowMillis - lookedAtMillis < LOOK_MILLIS) {
            return;
        }
        lookedAtMillis = nowMillis;
        for (Iterator<Map.Entry<SessionState, Backlog>> all =
                        backlogs.entrySet().iterator();
                all.hasNext(); ) {
            Map.Entry<SessionState, Backlog> each = all.next();
            if (isOver(each.getKey(), each.getValue(), nowMillis)) {
                all.remove();
            }
        }
    }

    private boolean isOver(SessionState client, Backlog backlog, long nowMillis) {
        if (queues.isOver(client)) {
            return true;
        }
        long messages = view.messagesOf(client);
        excuses(client, messages, view.bytesOf(client));
        long taken = client.lastSequence() - messages;
        boolean isTaking = client.isAttached()
                && (taken - backlog.takenThen >= Math.ceilDiv(limits.maxMessages(), PARTS_TO_TAKE)
                        || !view.isWaitingForClient(client));
        if (isTaking || client.isAttached() != backlog.wasAttached) {
            backlog.takenThen = taken;
            backlog.sinceMillis = nowMillis;
            backlog.wasAttached = client.isAttached();
        } else if (nowMillis - backlog.sinceMillis >= (client.isAttached() ? PATIENCE_MILLIS : ABSENCE_MILLIS)) {
            backlog.isSlow = true;
            backlog.messages = 0;
            backlog.bytes = 0;
        }
        return !catchingUp && backlog.messages == 0 && backlog.bytes == 0;
    }
}
