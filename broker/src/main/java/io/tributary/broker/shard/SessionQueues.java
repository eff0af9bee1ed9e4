package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.SessionState;
import io.tributary.broker.shard.fold.ShardChanges;
import io.tributary.broker.shard.fold.ShardState;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.thread.StageFailure;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.ExpiredPage;
import io.tributary.persistence.shard.ShardStore.Priorities;
import io.tributary.persistence.shard.ShardStore.QueuePage;
import io.tributary.persistence.shard.ShardStore.Remnant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The queues of a shard's sessions as one, though a part is in the store, a part in the save point that is being stored
 * and the newest part only in memory. Confined to the thread of the driver; reads complete there.
 *
 * <p>Messages enter a queue in ascending order, so of one client the store has the lowest sequence numbers and memory
 * the highest; only what is owed after a PUBREC may replace a lower one.
 */
final class SessionQueues {
    /** The size of a page, but for its last message. */
    static final int PAGE_BYTES = 256 << 10;

    /** Save points that may arrive in the store while a page is read from it; with more, the page is read again. */
    private static final int MOST_ARRIVED = 16;

    private static final QueueEntry ANY_MESSAGE = new QueueEntry.Queued(
            Message.of("", new byte[0], QoS.AT_LEAST_ONCE), QoS.AT_LEAST_ONCE, false, List.of(), null);

    private final int shard;
    private final ShardState state;
    private final ShardStore store;
    private final Executor thread;
    private @Nullable ShardChanges saving;
    private long savingApplied;
    private long storedApplied;
    private boolean storeMoved;
    private boolean storeFails;
    private Losses losses = (_, _) -> {};
    private final Set<Reading> readings = new HashSet<>();

    /** A page that is being read from the store. */
    private static final class Reading {
        /** The offsets that the store may be at when it is read. */
        private final Set<Long> expected = new HashSet<>();

        /** What has arrived in the store since it was asked for, earliest first; the page may be from before that. */
        private final List<ShardChanges> arrived = new ArrayList<>();

        /** Whether more has arrived than is worth keeping: the page is read again. */
        private boolean isOutdated;

        private void arrived(ShardChanges stored) {
            isOutdated |= arrived.size() == MOST_ARRIVED;
            if (isOutdated) {
                arrived.clear();
            } else {
                arrived.add(stored);
            }
        }
    }

    SessionQueues(int shard, ShardState state, ShardStore store, Executor thread) {
        this.shard = shard;
        this.state = state;
        this.store = store;
        this.thread = thread;
        storedApplied = state.applied();
    }

    /** Told of messages that the store has lost. */
    @FunctionalInterface
    interface Losses {
        /** Entries have been read that are still in the queue, and in no page, for their messages are lost. */
        void lost(SessionState client, List<Remnant> remnants);
    }

    /** Says who is told of lost messages; nobody is until the shard is live. */
    void tellLosses(Losses toTell) {
        losses = toTell;
    }

    /** What changed until now is going to the store, and about to be taken from the state. */
    void saving() {
        saving = state.changes();
        savingApplied = state.applied();
        readings.forEach(reading -> reading.expected.add(savingApplied));
    }

    /** What was going to the store has arrived. */
    void saved() {
        ShardChanges stored = saving;
        if (stored != null) {
            readings.forEach(reading -> reading.arrived(stored));
        }
        saving = null;
        storedApplied = savingApplied;
    }

    /** Whether a page showed the store elsewhere than this owner left it. */
    boolean hasStoreMoved() {
        return storeMoved;
    }

    /** Whether the store could not give the last page that it was asked for. */
    boolean doesStoreFail() {
        return storeFails;
    }

    /** Whether a session has ended. */
    boolean isOver(SessionState client) {
        return state.client(client.clientId()) != client;
    }

    /**
     * Finds the next entries from a sequence number on, in memory or in the store.
     *
     * @param then told on the driver's thread, at once when they are in memory; the page is null when the store failed,
     *     or the session ended meanwhile
     */
    void read(SessionState client, long from, int max, Consumer<@Nullable Page> then) {
        read(client, from, max, Priorities.ALL, then);
    }

    /**
     * The same of messages of some priorities; what is no message any more, for only its PUBREL is owed, has the
     * highest one, or may still have its own. A page may be empty though there are more behind it.
     */
    void read(SessionState client, long from, int max, Priorities priorities, Consumer<@Nullable Page> then) {
        if (isOver(client)) {
            then.accept(null);
            return;
        }
        long storedUpTo = storedUpTo(client);
        if (from > storedUpTo) {
            then.accept(readMemory(client, from, max, priorities));
            return;
        }
        Reading reading = beginReading();
        store.readQueue(shard, client.clientId(), from, max, PAGE_BYTES, priorities)
                .whenComplete((page, failure) -> thread.execute(() -> {
                    readings.remove(reading);
                    if (failure == null
                            || !(StageFailure.cause(failure) instanceof RejectedExecutionException)) { // it was asked
                        storeFails = failure != null;
                    }
                    if (page == null || isOver(client)) {
                        then.accept(null);
                    } else if (reading.isOutdated) {
                        read(client, from, max, priorities, then);
                    } else if (reading.expected.contains(page.applied())) {
                        then.accept(onlyCurrent(client, page, storedUpTo, reading.arrived));
                    } else {
                        storeMoved = true;
                        then.accept(null);
                    }
                }));
    }

    /**
     * Finds messages in the store that have expired.
     *
     * @param from the lowest sequence number wanted
     * @param max no more entries are looked at
     * @param then told on the driver's thread what of it is still in the queue; null when the store failed or too much
     *     has changed meanwhile
     */
    void readExpired(SessionState client, long from, long nowMillis, int max, Consumer<@Nullable ExpiredPage> then) {
        long storedUpTo = storedUpTo(client);
        Reading reading = beginReading();
        store.readExpired(shard, client.clientId(), from, nowMillis, max)
                .whenComplete((page, failure) -> thread.execute(() -> {
                    readings.remove(reading);
                    if (page == null || isOver(client) || reading.isOutdated) {
                        then.accept(null);
                    } else if (reading.expected.contains(page.applied())) {
                        List<Remnant> expired = page.expired().stream()
                                .filter(one -> isStillQueued(client, one.sequence(), storedUpTo, reading.arrived))
                                .toList();
                        then.accept(new ExpiredPage(expired, page.upTo(), page.more(), page.applied()));
                    } else {
                        storeMoved = true;
                        then.accept(null);
                    }
                }));
    }

    private boolean isStillQueued(SessionState client, long sequence, long storedUpTo, List<ShardChanges> arrived) {
        return ofStored(client, sequence, ANY_MESSAGE, storedUpTo, arrived) instanceof QueueEntry.Queued;
    }

    private Reading beginReading() {
        Reading reading = new Reading();
        reading.expected.add(storedApplied);
        if (saving != null) {
            reading.expected.add(savingApplied);
        }
        readings.add(reading);
        return reading;
    }

    /**
     * Some entries of a queue.
     *
     * @param next the sequence number to read on from
     */
    record Page(List<ShardStore.Entry> entries, long next) {}

    private Page readMemory(SessionState client, long from, int max, Priorities priorities) {
        PageBuilder page = new PageBuilder(max, priorities);
        ShardChanges changes = state.changes();
        if (saving != null && !changes.isCleared(client.clientId())) {
            addFrom(from, saving, client, page);
        }
        addFrom(from, changes, client, page);
        return page.build(client);
    }

    private void addFrom(long from, ShardChanges changes, SessionState client, PageBuilder page) {
        changes.visitQueued(client.clientId(), from, (sequence, entry) -> {
            if (page.isFull()) {
                return false;
            }
            QueueEntry current = current(client, sequence, entry, List.of());
            if (current != null) {
                page.add(sequence, current);
            }
            return true;
        });
    }

    /** A page in the making: as bounded as those of the store. */
    private static final class PageBuilder {
        private final int max;
        private final Priorities priorities;
        private final List<ShardStore.Entry> entries = new ArrayList<>();
        private long bytes;

        private PageBuilder(int max, Priorities priorities) {
            this.max = max;
            this.priorities = priorities;
        }

        boolean isFull() {
            return entries.size() >= max || bytes >= PAGE_BYTES;
        }

        /** Adds an entry, unless it or a later one is there already, or it is not wanted. */
        void add(long sequence, QueueEntry entry) {
            if (priorities.has(entry) && (entries.isEmpty() || entries.getLast().sequence() < sequence)) {
                entries.add(new ShardStore.Entry(sequence, entry));
                bytes += entry.memoryBytes();
            }
        }

        Page build(SessionState client) {
            long next = isFull() ? entries.getLast().sequence() + 1 : client.lastSequence() + 1;
            return new Page(entries, next);
        }
    }

    private Page onlyCurrent(SessionState client, QueuePage page, long storedUpTo, List<ShardChanges> arrived) {
        List<ShardStore.Entry> entries = new ArrayList<>(page.entries().size());
        for (ShardStore.Entry entry : page.entries()) {
            QueueEntry current = ofStored(client, entry.sequence(), entry.entry(), storedUpTo, arrived);
            if (current != null) {
                entries.add(new ShardStore.Entry(entry.sequence(), current));
            }
        }
        if (!page.remnants().isEmpty()) {
            addOwed(entries, client, page.remnants(), storedUpTo, arrived);
        }
        boolean isAll = !page.more() || page.upTo() > storedUpTo;
        return new Page(entries, 1 + (isAll ? storedUpTo : page.upTo()));
    }

    /** Of messages that the store has lost, those whose PUBREC came meanwhile are not needed, and PUBREL is owed. */
    private void addOwed(
            List<ShardStore.Entry> entries,
            SessionState client,
            List<Remnant> remnants,
            long storedUpTo,
            List<ShardChanges> arrived) {
        List<Remnant> lost = new ArrayList<>();
        for (Remnant remnant : remnants) {
            QueueEntry current = ofStored(client, remnant.sequence(), ANY_MESSAGE, storedUpTo, arrived);
            if (current instanceof QueueEntry.Released) {
                entries.add(new ShardStore.Entry(remnant.sequence(), current));
            } else if (current != null) {
                lost.add(remnant);
            }
        }
        entries.sort(Comparator.comparingLong(ShardStore.Entry::sequence));
        losses.lost(client, lost);
    }

    /** What an entry that was read from the store has become; null when it is gone, or memory has it. */
    private @Nullable QueueEntry ofStored(
            SessionState client, long sequence, QueueEntry stored, long storedUpTo, List<ShardChanges> arrived) {
        return sequence > storedUpTo ? null : current(client, sequence, stored, arrived);
    }

    /**
     * What memory knows of an entry that an earlier save point has; null when it is gone.
     *
     * @param arrived later save points that are stored by now, earliest first
     */
    private @Nullable QueueEntry current(
            SessionState client, long sequence, QueueEntry stored, List<ShardChanges> arrived) {
        QueueEntry current = stored;
        for (ShardChanges each : arrived) {
            current = each.later(client.clientId(), sequence, current);
        }
        if (saving != null) {
            current = saving.later(client.clientId(), sequence, current);
        }
        return state.changes().later(client.clientId(), sequence, current);
    }

    private long storedUpTo(SessionState client) {
        ShardChanges changes = state.changes();
        if (changes.isCleared(client.clientId())) {
            return 0;
        }
        if (saving == null) {
            return before(changes.firstAdded(client.clientId()), client);
        }
        if (saving.isCleared(client.clientId())) {
            return 0;
        }
        return before(Math.min(saving.firstAdded(client.clientId()), changes.firstAdded(client.clientId())), client);
    }

    private static long before(long firstAdded, SessionState client) {
        return firstAdded == Long.MAX_VALUE ? client.lastSequence() : firstAdded - 1;
    }
}
