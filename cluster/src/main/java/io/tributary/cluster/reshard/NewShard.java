package io.tributary.cluster.reshard;

import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.Source;
import io.tributary.common.event.StoredSession;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.Will;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.SavePoint.SequencedEntry;
import io.tributary.persistence.shard.SavePoint.SourcePosition;
import io.tributary.persistence.shard.ShardStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A shard of the new generation on its way into the store: what comes is gathered, and saved in parts. Until the last
 * part the store is at an offset below {@link ShardStore#NOTHING_APPLIED}. For one thread, which waits where a part is
 * to be saved and the one before is still on its way.
 */
final class NewShard {
    private static final int SESSION_BYTES = 512; // about
    private static final int PART_CHANGES = 2_000;
    private static final long PARTS_BYTES = 64 << 20; // of all shards together

    private final int shard;
    private final ShardStore store;
    private final long epoch;

    private long applied = ShardStore.NOTHING_APPLIED;
    private @Nullable CompletionStage<@Nullable Void> saving;

    private final Map<String, StoredSession> sessions = new LinkedHashMap<>();
    private final List<SequencedEntry> queued = new ArrayList<>();
    private final List<ClientWill> wills = new ArrayList<>();
    /** Messages that are equal are one object, by which the store knows what to keep apart from queues. */
    private final Map<Message, Message> messages = new HashMap<>();

    private final long partBytes;
    private long bytes;

    /**
     * Creates one.
     *
     * @param count how many new shards there are
     * @param epoch the owner's, whose record is the first of the shard's log
     */
    NewShard(int shard, int count, ShardStore store, long epoch) {
        partBytes = Math.min(1 << 20, PARTS_BYTES / count);
        this.shard = shard;
        this.store = store;
        this.epoch = epoch;
    }

    /** A session, or what has become of one: it is in the store no later than its queue. */
    void add(StoredSession session) {
        sessions.put(session.clientId(), session);
        bytes += SESSION_BYTES;
        saveIfLarge();
    }

    void add(StoredSession session, Will will) {
        wills.add(new ClientWill(session.clientId(), session.epoch(), will, false));
        bytes += will.message().memoryBytes();
    }

    /** An entry of a session's queue; with the session, for what the store lets go by itself depends on both. */
    void add(StoredSession session, long sequence, QueueEntry entry) {
        sessions.put(session.clientId(), session);
        queued.add(new SequencedEntry(session.clientId(), sequence, interned(entry)));
        bytes += entry.memoryBytes();
        saveIfLarge();
    }

    private QueueEntry interned(QueueEntry entry) {
        if (entry instanceof Queued one) {
            Message known = messages.putIfAbsent(one.message(), one.message());
            return known == null ? one : new Queued(known, one.qos(), one.retain(), one.subscriptionIds(), one.group());
        }
        return entry;
    }

    private void saveIfLarge() {
        if (sessions.size() + queued.size() >= PART_CHANGES || bytes >= partBytes) {
            save(Math.min(applied, ShardStore.NOTHING_APPLIED) - 1, ShardStore.NO_SNAPSHOT, List.of());
        }
    }

    /**
     * Saves what is left, and where the state stands: at an offset of the log.
     *
     * @param nowMillis the time, when the log has a snapshot of all of it
     * @param ingested the latest record of each partition of back-ends
     */
    void finish(long offset, long nowMillis, Collection<Source> ingested) {
        save(
                offset,
                nowMillis,
                ingested.stream()
                        .map(source -> new SourcePosition(source.shard(), source.offset(), source.part()))
                        .toList());
        await();
    }

    private void save(long upTo, long snapshotMillis, List<SourcePosition> sources) {
        await();
        SavePoint part = new SavePoint(
                epoch,
                applied,
                upTo,
                LogRecord.NO_LEADER,
                epoch,
                snapshotMillis,
                sources,
                List.of(),
                List.copyOf(sessions.values()),
                List.of(),
                List.copyOf(queued),
                List.of(),
                List.copyOf(wills));
        saving = store.save(shard, part);
        applied = upTo;
        sessions.clear();
        queued.clear();
        wills.clear();
        messages.clear();
        bytes = 0;
    }

    private void await() {
        if (saving != null) {
            Answers.awaitEnd(saving);
            saving = null;
        }
    }
}
