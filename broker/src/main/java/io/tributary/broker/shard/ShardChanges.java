package io.tributary.broker.shard;

import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.SessionHead;
import io.tributary.common.event.Source;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.SavePoint.SequenceKey;
import io.tributary.persistence.shard.SavePoint.SequencedEntry;
import io.tributary.persistence.shard.SavePoint.SourcePosition;
import io.tributary.persistence.shard.SavePoint.WillKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the fold changed since the last save point. Queue entries that were added and settled in between leave no trace,
 * which is why steady traffic hardly touches the store.
 */
final class ShardChanges {
    private final Set<String> dirty = new LinkedHashSet<>();
    private final Set<String> cleared = new LinkedHashSet<>();
    private final Map<String, TreeMap<Long, QueueEntry>> queued = new HashMap<>();
    private final Map<String, Long> firstAdded = new HashMap<>();
    private final Map<String, Set<Long>> removed = new HashMap<>();
    private final Map<WillKey, @Nullable ClientWill> wills = new HashMap<>();
    private final Map<Integer, SourcePosition> sources = new HashMap<>();
    private long queuedCount;
    private long queuedBytes;

    /** Marks the head of a client as changed. */
    void touch(ClientState client) {
        dirty.add(client.clientId);
    }

    /** Notes the latest source applied. */
    void source(Source source) {
        sources.put(source.shard(), new SourcePosition(source.shard(), source.offset(), source.part()));
    }

    /** Adds a message to a queue. */
    void add(ClientState client, long sequence, QueueEntry.Queued entry) {
        firstAdded.putIfAbsent(client.clientId, sequence);
        put(client, sequence, entry);
    }

    /** Puts what is owed after PUBREC in the place of a message. */
    void release(ClientState client, long sequence) {
        put(client, sequence, new QueueEntry.Released());
    }

    private void put(ClientState client, long sequence, QueueEntry entry) {
        QueueEntry previous =
                queued.computeIfAbsent(client.clientId, _ -> new TreeMap<>()).put(sequence, entry);
        count(entry, previous);
        touch(client);
    }

    /** Removes a queue entry, wherever it is. */
    void remove(ClientState client, long sequence) {
        touch(client);
        TreeMap<Long, QueueEntry> entries = queued.get(client.clientId);
        QueueEntry entry = entries == null ? null : entries.remove(sequence);
        count(null, entry);
        if (entries != null && entries.isEmpty()) {
            queued.remove(client.clientId);
        }
        if (!(entry instanceof QueueEntry.Queued)) {
            removed.computeIfAbsent(client.clientId, _ -> new LinkedHashSet<>()).add(sequence);
        }
    }

    /** Forgets everything of a session that is over, and has the store do the same. */
    void clear(ClientState client) {
        TreeMap<Long, QueueEntry> entries = queued.remove(client.clientId);
        if (entries != null) {
            entries.values().forEach(entry -> count(null, entry));
        }
        removed.remove(client.clientId);
        firstAdded.remove(client.clientId);
        dirty.remove(client.clientId);
        cleared.add(client.clientId);
    }

    /** Sets a will, or what is known of it. */
    void putWill(ClientWill will) {
        wills.put(new WillKey(will.clientId(), will.epoch()), will);
    }

    /** Removes a will. */
    void removeWill(String clientId, long epoch) {
        wills.put(new WillKey(clientId, epoch), null);
    }

    /** The unsaved queue entries of a client by sequence number; empty when there are none. */
    NavigableMap<Long, QueueEntry> queuedOf(String clientId) {
        TreeMap<Long, QueueEntry> entries = queued.get(clientId);
        return entries == null ? new TreeMap<>() : entries;
    }

    /**
     * The lowest sequence number that was added to a client's queue, whether it is still there or not; messages below it
     * are in an earlier save point. {@link Long#MAX_VALUE} when none was added.
     */
    long firstAdded(String clientId) {
        return firstAdded.getOrDefault(clientId, Long.MAX_VALUE);
    }

    /** Whether a session of the client ended: what earlier save points have of its queue is void. */
    boolean isCleared(String clientId) {
        return cleared.contains(clientId);
    }

    /** What has become of a queue entry that an earlier save point has: itself, what took its place, or null when it is gone. */
    @Nullable
    QueueEntry later(String clientId, long sequence, @Nullable QueueEntry before) {
        TreeMap<Long, QueueEntry> entries = queued.get(clientId);
        QueueEntry now = entries == null ? null : entries.get(sequence);
        if (now != null) {
            return now;
        }
        Set<Long> gone = removed.get(clientId);
        boolean isGone = (gone != null && gone.contains(sequence)) || cleared.contains(clientId);
        return isGone ? null : before;
    }

    /** How many sessions have changed. */
    int sessionCount() {
        return dirty.size();
    }

    /** How many queue entries wait to be saved. */
    long queuedCount() {
        return queuedCount;
    }

    /** The size of the messages that wait to be saved, in bytes. */
    long queuedBytes() {
        return queuedBytes;
    }

    List<String> cleared() {
        return List.copyOf(cleared);
    }

    List<SessionHead> heads(Map<String, ClientState> clients) {
        List<SessionHead> heads = new ArrayList<>(dirty.size());
        for (String clientId : dirty) {
            ClientState client = clients.get(clientId);
            if (client != null) {
                heads.add(client.toHead());
            }
        }
        return heads;
    }

    List<SequenceKey> removed() {
        List<SequenceKey> keys = new ArrayList<>();
        removed.forEach(
                (clientId, sequences) -> sequences.forEach(sequence -> keys.add(new SequenceKey(clientId, sequence))));
        return keys;
    }

    List<SequencedEntry> queued() {
        List<SequencedEntry> entries = new ArrayList<>();
        queued.forEach((clientId, byNumber) ->
                byNumber.forEach((sequence, entry) -> entries.add(new SequencedEntry(clientId, sequence, entry))));
        return entries;
    }

    List<SourcePosition> sources() {
        return List.copyOf(sources.values());
    }

    List<WillKey> willsRemoved() {
        List<WillKey> keys = new ArrayList<>();
        wills.forEach((key, will) -> {
            if (will == null) {
                keys.add(key);
            }
        });
        return keys;
    }

    List<ClientWill> wills() {
        List<ClientWill> present = new ArrayList<>();
        for (ClientWill will : wills.values()) {
            if (will != null) {
                present.add(will);
            }
        }
        return present;
    }

    private void count(@Nullable QueueEntry added, @Nullable QueueEntry gone) {
        queuedCount += (added == null ? 0 : 1) - (gone == null ? 0 : 1);
        queuedBytes += sizeOf(added) - sizeOf(gone);
    }

    /** The size of an entry's message, in bytes. */
    static long sizeOf(@Nullable QueueEntry entry) {
        return entry instanceof QueueEntry.Queued queued ? queued.message().sizeBytes() : 0;
    }
}
