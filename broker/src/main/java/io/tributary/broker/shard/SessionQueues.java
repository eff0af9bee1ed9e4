package io.tributary.broker.shard;

import io.tributary.common.event.QueueEntry;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.QueuePage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The queues of a shard's sessions as one, though a part is in the store, a part in the save point that is being stored and
 * the newest part only in memory. Confined to the thread of the driver; reads complete there.
 *
 * <p>Messages enter a queue in ascending order, so of one client the store has the lowest sequence numbers and memory the
 * highest; only what is owed after a PUBREC may replace a lower one.
 */
final class SessionQueues {
    private static final int PAGE_BYTES = 256 << 10;

    private final int shard;
    private final ShardState state;
    private final ShardStore store;
    private final Executor thread;
    private @Nullable ShardChanges saving;
    private long savingApplied;
    private long storedApplied;
    private long saves;
    private boolean storeMoved;

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
        saves++;
    }

    /** What was going to the store has arrived. */
    void saved() {
        saving = null;
        storedApplied = savingApplied;
        saves++;
    }

    /** Whether a page showed the store elsewhere than this owner left it. */
    boolean hasStoreMoved() {
        return storeMoved;
    }

    /** Whether a session has ended. */
    boolean isOver(ClientState client) {
        return state.client(client.clientId) != client;
    }

    /**
     * Finds the next entries from a sequence number on, in memory or in the store.
     *
     * @param then told on the driver's thread, at once when they are in memory; the page is null when the store failed, or
     *     the session ended meanwhile
     */
    void read(ClientState client, long from, int max, Consumer<@Nullable Page> then) {
        if (isOver(client)) {
            then.accept(null);
            return;
        }
        long storedUpTo = storedUpTo(client);
        if (from > storedUpTo) {
            then.accept(readMemory(client, from, max));
            return;
        }
        long savesBefore = saves;
        store.readQueue(shard, client.clientId, from, max, PAGE_BYTES)
                .whenComplete((page, failure) -> thread.execute(() -> {
                    if (page == null || isOver(client)) {
                        then.accept(null);
                    } else if (saves != savesBefore) { // the page may have what was removed meanwhile
                        read(client, from, max, then);
                    } else if (isExpected(page.applied())) {
                        then.accept(onlyCurrent(client, page, storedUpTo));
                    } else {
                        storeMoved = true;
                        then.accept(null);
                    }
                }));
    }

    private boolean isExpected(long applied) {
        return applied == storedApplied || (saving != null && applied == savingApplied);
    }

    /**
     * Some entries of a queue.
     *
     * @param next the sequence number to read on from
     */
    record Page(List<ShardStore.Entry> entries, long next) {}

    private Page readMemory(ClientState client, long from, int max) {
        PageBuilder page = new PageBuilder(max);
        ShardChanges changes = state.changes();
        if (saving != null && !changes.isCleared(client.clientId)) {
            addFrom(saving.queuedOf(client.clientId).tailMap(from, true), client, page);
        }
        addFrom(changes.queuedOf(client.clientId).tailMap(from, true), client, page);
        return page.build(client);
    }

    private void addFrom(Map<Long, QueueEntry> queued, ClientState client, PageBuilder page) {
        for (Map.Entry<Long, QueueEntry> entry : queued.entrySet()) {
            if (page.isFull()) {
                return;
            }
            QueueEntry current = current(client, entry.getKey(), entry.getValue());
            if (current != null) {
                page.add(entry.getKey(), current);
            }
        }
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
                bytes += entry instanceof QueueEntry.Queued queued
                        ? queued.message().sizeBytes()
                        : 0;
            }
        }

        Page build(ClientState client) {
            long next = isFull() ? entries.getLast().sequence() + 1 : client.lastSequence + 1;
            return new Page(entries, next);
        }
    }

    private Page onlyCurrent(ClientState client, QueuePage page, long storedUpTo) {
        List<ShardStore.Entry> entries = new ArrayList<>(page.entries().size());
        long next = page.more() ? page.entries().getLast().sequence() + 1 : storedUpTo + 1;
        for (ShardStore.Entry entry : page.entries()) {
            if (entry.sequence() > storedUpTo) {
                return new Page(entries, storedUpTo + 1);
            }
            QueueEntry current = current(client, entry.sequence(), entry.entry());
            if (current != null) {
                entries.add(new ShardStore.Entry(entry.sequence(), current));
            }
        }
        return new Page(entries, next);
    }

    /** What memory knows of an entry that an earlier save point has; null when it is gone. */
    private @Nullable QueueEntry current(ClientState client, long sequence, QueueEntry stored) {
        ShardChanges changes = state.changes();
        if (changes.isCleared(client.clientId) || changes.isRemoved(client.clientId, sequence)) {
            return changes.queuedOf(client.clientId).get(sequence);
        }
        QueueEntry replaced = changes.queuedOf(client.clientId).get(sequence);
        if (replaced == null && saving != null) {
            if (saving.isRemoved(client.clientId, sequence)) {
                return null;
            }
            replaced = saving.queuedOf(client.clientId).get(sequence);
        }
        return replaced == null ? stored : replaced;
    }

    private long storedUpTo(ClientState client) {
        ShardChanges changes = state.changes();
        if (changes.isCleared(client.clientId)) {
            return 0;
        }
        if (saving == null) {
            return before(changes.firstAdded(client.clientId), client);
        }
        if (saving.isCleared(client.clientId)) {
            return 0;
        }
        return before(Math.min(saving.firstAdded(client.clientId), changes.firstAdded(client.clientId)), client);
    }

    private static long before(long firstAdded, ClientState client) {
        return firstAdded == Long.MAX_VALUE ? client.lastSequence : firstAdded - 1;
    }
}
