package io.tributary.broker.shard;

import io.tributary.broker.shard.QueueLimits.Overflow;
import io.tributary.broker.shard.SessionQueues.Page;
import io.tributary.broker.shard.ShardRecorder.Drop;
import io.tributary.broker.shard.fold.SessionState;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Priorities;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps each session's queue within its limits. What is in flight to a client, or was, is never trimmed; while the
 * oldest messages are being read from the store a queue may be longer than its limit by what arrives meanwhile, and by
 * what waited while the shard stood still ({@link Backlogs}). Where the queues of a tenant are full together, a message
 * that would wait in one of them is dropped. Confined to the thread of the driver.
 *
 * <p>Decided in docs/decisions/0003-owner-decides-drops.md.
 */
final class QueueTrimmer {
    private static final int PAGE = 500;

    private final QueueLimits limits;
    private final SessionQueues queues;
    private final Deliveries deliveries;
    private final QueueView view;
    private final Backlogs backlogs;
    private final Redistributor redistributor;
    private final Set<SessionState> trimming = new HashSet<>();

    QueueTrimmer(
            QueueLimits limits,
            SessionQueues queues,
            Deliveries deliveries,
            Backlogs backlogs,
            Redistributor redistributor) {
        this.limits = limits;
        this.queues = queues;
        this.deliveries = deliveries;
        view = deliveries.view;
        this.backlogs = backlogs;
        this.redistributor = redistributor;
    }

    /** A message entered a queue; tells whether it may stay. */
    boolean admit(SessionState client, long sequence, QueueEntry.Queued entry) {
        deliveries.keep(client, sequence, entry);
        if (client.tally().isFull() && !deliveries.takesAtOnce(client, sequence, entry)) {
            deliveries.drop(client, sequence, entry.sizeBytes(), Drop.TENANT_QUEUES_FULL);
            return false;
        }
        if (!isOver(client)) {
            return true;
        }
        if (limits.overflow() == Overflow.DROP_NEWEST) {
            if (makesRoom(client, entry)) {
                return true;
            }
            deliveries.drop(client, sequence, entry.sizeBytes(), Drop.QUEUE_FULL);
            return false;
        }
        if (!trimming.contains(client)) {
            trim(client, 0, view.firstUnseen(client, 0), firstPage(client));
        }
        return true;
    }

    /** Has messages of a lower priority make room, the oldest first, as far as the owner knows what waits. */
    private boolean makesRoom(SessionState client, QueueEntry.Queued entry) {
        boolean isTooLarge = entry.sizeBytes() > limits.maxBytes();
        for (int priority = 0; !isTooLarge && priority < entry.priority() && isOver(client); priority++) {
            deliveries.dropOldest(client, priority, true, () -> isOver(client), Drop.QUEUE_FULL);
        }
        return !isOver(client);
    }

    /**
     * Drops the oldest messages of a priority: those that the owner knows at once, the others when they are read; then
     * those of the next higher one.
     */
    private void trim(SessionState client, int priority, long from, int max) {
        deliveries.dropOldest(client, priority, false, () -> isOver(client), Drop.QUEUE_FULL);
        if (isOver(client)) {
            trimming.add(client);
            read(client, priority, from, max);
        } else {
            trimming.remove(client);
        }
    }

    /** There are no more messages of a priority to be dropped. */
    private void trimHigher(SessionState client, int priority) {
        int next = priority + 1;
        while (next <= Message.HIGHEST_PRIORITY && client.priorityUpTo() < view.firstUnseen(client, next)) {
            next++;
        }
        if (next <= Message.HIGHEST_PRIORITY) {
            trim(client, next, view.firstUnseen(client, next), firstPage(client));
        } else {
            trimming.remove(client);
        }
    }

    private boolean isOver(SessionState client) {
        if (client.queuedMessages() <= limits.maxMessages() && client.queuedBytes() <= limits.maxBytes()) {
            return false; // however much of it is settled
        }
        long messages = view.messagesOf(client);
        long bytes = view.bytesOf(client);
        return (messages > limits.maxMessages() || bytes > limits.maxBytes())
                && !redistributor.isSweeping(client) // what an earlier session left counts for nobody
                && !backlogs.excuses(client, messages, bytes);
    }

    private void read(SessionState client, int priority, long from, int max) {
        long firstUnseen = view.firstUnseen(client, priority);
        long begin = Math.max(from, view.trimmedUpTo(client, priority) + 1);
        Priorities priorities = client.priorityUpTo() == 0 ? Priorities.ALL : new Priorities(priority, priority);
        queues.read(client, begin, max, priorities, page -> {
            if (view.firstUnseen(client, priority) >= firstUnseen) {
                onPage(client, priority, begin, page);
            } else { // the client is gone: what it was handed and not sent is unseen again
                read(client, priority, view.firstUnseen(client, priority), PAGE);
            }
        });
    }

    /** How many messages to look at first: no more than there are too many, if that is what there is too much of. */
    private int firstPage(SessionState client) {
        long tooMany = view.messagesOf(client) - limits.maxMessages();
        return tooMany > 0 ? (int) Math.min(tooMany, PAGE) : PAGE;
    }

    private void onPage(SessionState client, int priority, long begin, @Nullable Page page) {
        if (page == null) {
            trimming.remove(client);
            return;
        }
        TrimmedRange trimmed = deliveries.trimmedOf(client);
        trimmed.looksFrom(priority, begin);
        boolean isAllOfQueue = priority == 0 && client.priorityUpTo() == 0;
        Set<Long> withheld = page.entries().isEmpty()
                ? Set.of()
                : view.withheldFrom(client, page.entries().getFirst().sequence());
        for (ShardStore.Entry entry : page.entries()) {
            if (!isOver(client)) {
                break;
            }
            boolean isDropped = !withheld.contains(entry.sequence()) && drop(client, priority, entry);
            trimmed.looked(priority, entry.sequence(), isDropped && isAllOfQueue);
        }
        if (!isOver(client)) {
            trimming.remove(client);
            return;
        }
        if (!isAllOfQueue) {
            trimmed.looked(priority, page.next() - 1, false);
        }
        if (page.next() <= client.lastSequence()) {
            trim(client, priority, page.next(), PAGE);
        } else {
            trimHigher(client, priority);
        }
    }

    /** Tells whether it was dropped: a client may have been handed it meanwhile. */
    private boolean drop(SessionState client, int priority, ShardStore.Entry entry) {
        boolean unseen = entry.sequence() >= view.firstUnseen(client, priority);
        if (unseen && entry.entry() instanceof QueueEntry.Queued queued && queued.priority() == priority) {
            deliveries.drop(client, entry.sequence(), queued.sizeBytes(), Drop.QUEUE_FULL);
            return true;
        }
        return false;
    }
}
