package io.tributary.broker.shard.fold;

import io.tributary.common.collection.SequenceMap;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.Source;
import io.tributary.common.event.StoredSession;
import io.tributary.common.mqtt.Will;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.SavePoint.SequenceKey;
import io.tributary.persistence.shard.SavePoint.SequencedEntry;
import io.tributary.persistence.shard.SavePoint.SourcePosition;
import io.tributary.persistence.shard.SavePoint.WillKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The fold's changes since the last save point. Queue entries that were added and settled in between leave no trace,
 * which is why steady traffic hardly touches the store; nor does a session that began and ended in between.
 */
public final class ShardChanges {
    // About what the changes take in memory, and more than what they have in parts of a save point.
    private static final int CLIENT_BYTES = 200;
    private static final int ENTRY_BYTES = 100;
    private static final int REMOVED_BYTES = 64;
    private static final int WILL_BYTES = 200;
    private static final int PACKET_ID_BYTES = 4;

    private final Map<String, OfClient> byClient = new LinkedHashMap<>();

    /** The changes that were asked for last: the next event is often about the same client. */
    private @Nullable OfClient last;

    private final Map<WillKey, @Nullable ClientWill> wills = new HashMap<>();
    private final Map<Integer, SourcePosition> sources = new HashMap<>();
    private int sessionCount;
    private long queuedCount;
    private long queuedBytes;
    private long queuedObjects;
    private long removedCount;
    /** What is neither a queue entry nor removed, in bytes. */
    private long otherBytes;
    /** No save point has anything of sessions that began, and wills that came, behind this offset. */
    private final long savedUpTo;

    /** @param savedUpTo the offset that the latest save point moves the store to */
    ShardChanges(long savedUpTo) {
        this.savedUpTo = savedUpTo;
    }

    /** The changes of one client's sessions. */
    private static final class OfClient {
        private final String clientId;
        private final SequenceMap<QueueEntry> queued = new SequenceMap<>();
        private Set<Long> removed = Set.of();
        private long firstAdded = Long.MAX_VALUE;
        /** The size of the packet identifiers that the stored session has. */
        private int packetIdBytes;
        /** Whether the stored session has changed, or is new. */
        private boolean isDirty;
        /** Whether a session ended. */
        private boolean isCleared;

        private OfClient(String clientId) {
            this.clientId = clientId;
        }
    }

    private OfClient of(SessionState client) {
        String clientId = client.clientId();
        OfClient lastAsked = last;
        if (lastAsked != null && lastAsked.clientId.equals(clientId)) {
            return lastAsked;
        }
        OfClient changes = byClient.get(clientId);
        if (changes == null) {
            changes = new OfClient(clientId);
            byClient.put(clientId, changes);
            otherBytes += CLIENT_BYTES + clientId.length();
        }
        last = changes;
        return changes;
    }

    private OfClient touched(SessionState client) {
        OfClient changes = of(client);
        if (!changes.isDirty) {
            changes.isDirty = true;
            sessionCount++;
        }
        int packetIdBytes = client.unreleased() * PACKET_ID_BYTES;
        otherBytes += packetIdBytes - changes.packetIdBytes;
        changes.packetIdBytes = packetIdBytes;
        return changes;
    }

    /** Marks the stored session of a client as changed. */
    void touch(SessionState client) {
        touched(client);
    }

    /** Notes the latest source applied. */
    void source(Source source) {
        sources.put(source.shard(), new SourcePosition(source.shard(), source.offset(), source.part()));
    }

    /** Adds a message to a queue. */
    void add(SessionState client, long sequence, QueueEntry.Queued entry) {
        OfClient changes = touched(client);
        if (changes.firstAdded == Long.MAX_VALUE) {
            changes.firstAdded = sequence;
        }
        count(entry, changes.queued.put(sequence, entry));
    }

    /** Puts what is owed after PUBREC in the place of a message. */
    void release(SessionState client, long sequence) {
        QueueEntry released = new QueueEntry.Released();
        count(released, touched(client).queued.put(sequence, released));
    }

    /** Removes a queue entry, wherever it is. */
    void remove(SessionState client, long sequence) {
        OfClient changes = touched(client);
        QueueEntry entry = changes.queued.remove(sequence);
        count(null, entry);
        if (!(entry instanceof QueueEntry.Queued)) {
            if (changes.removed.isEmpty()) {
                changes.removed = new LinkedHashSet<>();
            }
            removedCount += changes.removed.add(sequence) ? 1 : 0;
        }
    }

    /** Forgets everything of a session that is over, and has the store do the same if it may have something of it. */
    void clear(SessionState client) {
        OfClient before = byClient.remove(client.clientId());
        last = null;
        boolean isStored =
                client.session() <= savedUpTo || client.leftUpTo() > 0; // the latter has the queue of another one
        if (before != null) {
            before.queued.values().forEach(entry -> count(null, entry));
            sessionCount -= before.isDirty ? 1 : 0;
            removedCount -= before.removed.size();
            otherBytes -= CLIENT_BYTES + client.clientId().length() + before.packetIdBytes;
            isStored |= before.isCleared;
        }
        if (isStored) {
            of(client).isCleared = true;
        }
    }

    /** Sets a will, or what is known of it. */
    void putWill(ClientWill will) {
        WillKey key = new WillKey(will.clientId(), will.epoch());
        forgetWill(key);
        wills.put(key, will);
        otherBytes += sizeOf(key, will);
    }

    /** Removes a will. */
    void removeWill(String clientId, long epoch) {
        WillKey key = new WillKey(clientId, epoch);
        forgetWill(key);
        if (epoch <= savedUpTo) {
            wills.put(key, null);
            otherBytes += sizeOf(key, null);
        }
    }

    private void forgetWill(WillKey key) {
        if (wills.containsKey(key)) {
            otherBytes -= sizeOf(key, wills.remove(key));
        }
    }

    private static long sizeOf(WillKey key, @Nullable ClientWill will) {
        return sizeOfWill(key.clientId(), will == null ? null : will.will());
    }

    /** About how much memory a will of a client takes, in bytes, or that there is none. */
    static long sizeOfWill(String clientId, @Nullable Will will) {
        int size = WILL_BYTES + clientId.length();
        return will == null ? size : size + will.message().memoryBytes();
    }

    /** Visits the unsaved queue entries of a client from a sequence number on. */
    public void visitQueued(String clientId, long from, SequenceMap.Visitor<QueueEntry> visitor) {
        OfClient changes = byClient.get(clientId);
        if (changes != null) {
            changes.queued.visitFrom(from, visitor);
        }
    }

    /**
     * The lowest sequence number that was added to a client's queue, whether it is still there or not; messages below
     * it are in an earlier save point. {@link Long#MAX_VALUE} when none was added.
     */
    public long firstAdded(String clientId) {
        OfClient changes = byClient.get(clientId);
        return changes == null ? Long.MAX_VALUE : changes.firstAdded;
    }

    /** Whether a session of the client ended: what earlier save points have of its queue is void. */
    public boolean isCleared(String clientId) {
        OfClient changes = byClient.get(clientId);
        return changes != null && changes.isCleared;
    }

    /**
     * What has become of a queue entry that an earlier save point has: itself, what took its place, or null when it is
     * gone.
     */
    public @Nullable QueueEntry later(String clientId, long sequence, @Nullable QueueEntry before) {
        OfClient changes = byClient.get(clientId);
        if (changes == null) {
            return before;
        }
        QueueEntry now = changes.queued.get(sequence);
        if (now != null) {
            return now;
        }
        return changes.isCleared || changes.removed.contains(sequence) ? null : before;
    }

    /** How many sessions have changed. */
    public int sessionCount() {
        return sessionCount;
    }

    /** How many queue entries wait to be saved. */
    public long queuedCount() {
        return queuedCount;
    }

    /** The size of the messages that wait to be saved, in bytes. */
    public long queuedBytes() {
        return queuedBytes;
    }

    /** About how much memory all of this takes, in bytes. */
    public long weight() {
        return queuedBytes + queuedObjects + queuedCount * ENTRY_BYTES + removedCount * REMOVED_BYTES + otherBytes;
    }

    List<String> cleared() {
        List<String> clients = new ArrayList<>();
        byClient.forEach((clientId, changes) -> {
            if (changes.isCleared) {
                clients.add(clientId);
            }
        });
        return clients;
    }

    List<StoredSession> sessions(Function<String, @Nullable SessionState> clients) {
        List<StoredSession> sessions = new ArrayList<>(sessionCount);
        byClient.forEach((clientId, changes) -> {
            SessionState client = changes.isDirty ? clients.apply(clientId) : null;
            if (client != null) {
                sessions.add(client.toStored());
            }
        });
        return sessions;
    }

    List<SequenceKey> removed() {
        List<SequenceKey> keys = new ArrayList<>();
        byClient.forEach((clientId, changes) ->
                changes.removed.forEach(sequence -> keys.add(new SequenceKey(clientId, sequence))));
        return keys;
    }

    List<SequencedEntry> queued() {
        List<SequencedEntry> entries = new ArrayList<>();
        byClient.forEach((clientId, changes) -> changes.queued.visitFrom(
                0, (sequence, entry) -> entries.add(new SequencedEntry(clientId, sequence, entry))));
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
        queuedBytes += (added == null ? 0 : added.sizeBytes()) - (gone == null ? 0 : gone.sizeBytes());
        queuedObjects += (added == null ? 0 : added.objectsBytes()) - (gone == null ? 0 : gone.objectsBytes());
    }
}
