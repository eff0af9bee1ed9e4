package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.SessionState;
import io.tributary.broker.shard.fold.ShardChanges;
import io.tributary.broker.shard.fold.ShardState;
import io.tributary.common.event.QueueEntry;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.QueuePage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
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
    private static final int PAGE_BYTES = 256 << 10;
    /** Save points that may arrive in the store while a page is read from it; with more, the page is read again. */
    private static final int MOST_ARRIVED = 16;

    private final int shard;
    private final ShardState state;
    private final ShardStore store;
    private final Executor thread;
    private @Nullable ShardChanges saving;
    private long savingApplied;
    private long storedApplied;
    private boolean storeMoved;
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
        if (isOver(client)) {
            then.accept(null);
            return;
        }
        long storedUpTo = storedUpTo(client);
        if (from > storedUpTo) {
            then.accept(readMemory(client, from, max));
            return;
        }
        Reading reading = new Reading();
        reading.expected.add(storedApplied);
        if (saving != null) {
            reading.expected.add(savingApplied);
        }
        readings.add(reading);
        store.readQueue(shard, client.clientId(), from, max, PAGE_BYTES)
                .whenComplete((page, failure) -> thread.execute(() -> {
                    readings.remove(reading);
                    if (page == null || isOver(client)) {
                        then.accept(null);
                    } else if (reading.isOutdated) {
                        read(client, from, max, then);
                    } else if (reading.expected.contains(page.applied())) {
                        then.accept(onlyCurrent(client, page, storedUpTo, reading.arrived));
                    } else {
                        storeMoved = true;
                        then.accept(null);
                    }
                }));
    }

    /**
     * Some entries of a queue.
     *
     * @param next the sequence number to read on from
     */
    record Page(List<ShardStore.Entry> entries, long next) {}

    private Page readMemory(SessionState client, long from, int max) {
        PageBuilder page = new PageBuilder(max);
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
        private final List<ShardStore.Entry> entries = new ArrayList<>();
        private long bytes;

        private PageBuilder(int max) {
            this.max = max;
        }

        boolean isFull() {
            return entries.size() >= max || bytes >= PAGE_BYTES;
        }

        /** Adds an entry, unless it or a later one is there already. */
        void add(long sequence, QueueEntry entry) {
            if (entries.isEmpty() || entries.getLast().sequence() < sequence) {
                entries.add(new ShardStore.Entry(sequence, entry));
                bytes += entry.sizeBytes();
            }
        }

        Page build(SessionState client) {
            long next = isFull() ? entries.getLast().sequence() + 1 : client.lastSequence() + 1;
            return new Page(entries, next);
        }
    }

    private Page onlyCurrent(SessionState client, QueuePage page, long storedUpTo, List<ShardChanges> arrived) {
        List<ShardStore.Entry> entries = new ArrayList<>(page.entries().size());
        long next = page.more() ? page.entries().getLast().sequence() + 1 : storedUpTo + 1;
        for (ShardStore.Entry entry : page.entries()) {
            if (entry.sequence() > storedUpTo) {
                return new Page(entries, storedUpTo + 1);
            }
            QueueEntry current = current(client, entry.sequence(), entry.entry(), arrived);
            if (current != null) {
                entries.add(new ShardStore.Entry(entry.sequence(), current));
            }
        }
        return new Page(entries, next);
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
