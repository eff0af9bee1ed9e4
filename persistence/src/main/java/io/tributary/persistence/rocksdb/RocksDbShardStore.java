package io.tributary.persistence.rocksdb;

import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.StateCodec;
import io.tributary.common.event.StoredSession;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.ShardStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/**
 * The shards' state in the embedded database. Fences are checked on the database's writer thread, in the order of the
 * calls; stages of writes complete on that thread, those of reads on one of its readers.
 */
public final class RocksDbShardStore implements ShardStore {
    private static final int HEAD_OVERHEAD_BYTES = 128;
    private static final int PAGE_BYTES = 256 * 1024;
    /** How many bytes of messages that are not wanted a page of a queue passes over. */
    private static final long MOST_PASSED_BYTES = 4 << 20;

    private final RocksDbDatabase database;
    private final StoredShard[] shards;
    private volatile boolean closed;

    /** The shards that the group to be committed next has a save point of. Confined to the writer thread. */
    private final BitSet savedInGroup = new BitSet();

    /** Creates it on an open database. */
    public RocksDbShardStore(RocksDbDatabase database) {
        this.database = database;
        this.shards = new StoredShard[database.options().shards()];
        for (int shard = 0; shard < shards.length; shard++) {
            shards[shard] = new StoredShard(database.columns(), shard);
        }
        database.committer().join(new Member());
    }

    @Override
    public CompletionStage<Claim> claim(int shard, Claimant owner) {
        return submit(new ClaimWrite(shards[shard], owner.epoch()));
    }

    @Override
    public CompletionStage<SessionPage> readSessions(int shard, @Nullable String cursor) {
        return database.read(() -> sessionPage(shards[shard].keys(), cursor));
    }

    @Override
    public CompletionStage<QueuePage> readQueue(
            int shard, String clientId, long fromSequence, int maxEntries, int maxBytes, Priorities priorities) {
        StateKeys keys = shards[shard].keys();
        return database.read(() -> queuePage(keys, clientId, fromSequence, maxEntries, maxBytes, priorities));
    }

    @Override
    public CompletionStage<ExpiredPage> readExpired(
            int shard, String clientId, long fromSequence, long nowMillis, int maxEntries) {
        StateKeys keys = shards[shard].keys();
        return database.read(() -> expiredPage(keys, clientId, fromSequence, nowMillis, maxEntries));
    }

    @Override
    public CompletionStage<Long> applied(int shard) {
        StateKeys keys = shards[shard].keys();
        return database.read(() -> {
            byte @Nullable [] header = database.columns().get(Column.STATE, keys.header());
            return header == null ? NOTHING_APPLIED : StoredShard.appliedIn(header);
        });
    }

    @Override
    public CompletionStage<@Nullable Void> save(int shard, SavePoint savePoint) {
        return submit(new Save(shard, savePoint));
    }

    @Override
    public void close() {
        closed = true;
        database.committer().drain();
    }

    private <T extends @Nullable Object> CompletionStage<T> submit(StateWrite<T> write) {
        if (closed) {
            write.failed(new StorageException("the store is closed"));
        } else {
            database.committer().submit(write);
        }
        return write.result;
    }

    /** The cursor is the key of the last entry of the page, in hexadecimal. */
    private SessionPage sessionPage(StateKeys keys, @Nullable String cursor) {
        List<StoredSession> sessions = new ArrayList<>();
        List<ClientWill> wills = new ArrayList<>();
        byte[] from = cursor == null ? keys.sessions() : HexFormat.of().parseHex(cursor + "00");
        int bytes = 0;
        try (Scan scan = database.columns().scan(Column.STATE, from, keys.endOfWills())) {
            for (boolean valid = scan.first(); valid; valid = scan.next()) {
                bytes += HEAD_OVERHEAD_BYTES + addTo(sessions, wills, scan);
                if (bytes >= PAGE_BYTES) {
                    return new SessionPage(sessions, wills, HexFormat.of().formatHex(scan.key()));
                }
            }
        }
        return new SessionPage(sessions, wills, null);
    }

    /** Adds what the scan stands at to where it belongs, and gives its size. */
    private static int addTo(List<StoredSession> sessions, List<ClientWill> wills, Scan scan) {
        byte[] key = scan.key();
        byte[] value = scan.value();
        if (StateKeys.isWill(key)) {
            StateCodec.StoredWill stored = StateCodec.decodeWill(value);
            wills.add(new ClientWill(StateKeys.clientOfWill(key), Keys.lastLong(key), stored.will(), stored.due()));
        } else {
            sessions.add(StateCodec.decodeSession(value));
        }
        return value.length;
    }

    /** One scan reads the applied offset and the queue, so that both are of the same state. */
    private QueuePage queuePage(
            StateKeys keys, String clientId, long fromSequence, int maxEntries, int maxBytes, Priorities priorities) {
        PageOfQueue page = new PageOfQueue(maxEntries, maxBytes, priorities);
        byte[] end = Keys.endOf(keys.queue(clientId));
        try (Scan scan = database.columns().scan(Column.STATE, keys.header(), end)) {
            long applied = readApplied(scan, keys);
            boolean valid = scan.ceiling(keys.queueEntry(clientId, Math.max(0, fromSequence)));
            for (; valid && page.hasRoom(); valid = scan.next()) {
                page.add(Keys.lastLong(scan.key()), StateCodec.decodeQueueEntry(scan.value()));
            }
            return new QueuePage(page.entries, List.of(), page.upTo, valid, applied);
        }
    }

    private ExpiredPage expiredPage(
            StateKeys keys, String clientId, long fromSequence, long nowMillis, int maxEntries) {
        List<Remnant> expired = new ArrayList<>();
        long upTo = -1;
        byte[] end = Keys.endOf(keys.queue(clientId));
        try (Scan scan = database.columns().scan(Column.STATE, keys.header(), end)) {
            long applied = readApplied(scan, keys);
            boolean valid = scan.ceiling(keys.queueEntry(clientId, Math.max(0, fromSequence)));
            for (int left = Math.max(1, maxEntries); valid && left > 0; left--, valid = scan.next()) {
                upTo = Keys.lastLong(scan.key());
                if (StateCodec.decodeQueueEntry(scan.value()) instanceof QueueEntry.Queued queued
                        && queued.message().isExpiredAt(nowMillis)) {
                    Message message = queued.message();
                    expired.add(new Remnant(upTo, queued.sizeBytes(), message.expiresAtMillis(), message.priority()));
                }
            }
            return new ExpiredPage(expired, upTo, valid, applied);
        }
    }

    private static long readApplied(Scan scan, StateKeys keys) {
        boolean found = scan.first() && Arrays.equals(scan.key(), keys.header());
        return found ? StoredShard.appliedIn(scan.value()) : NOTHING_APPLIED;
    }

    /** A page of a queue while it is read. */
    private static final class PageOfQueue {
        final List<Entry> entries = new ArrayList<>();
        long upTo = -1;
        private final int maxEntries;
        private final int maxBytes;
        private final Priorities priorities;
        private long bytes;
        private int passed;
        private long passedBytes;

        PageOfQueue(int maxEntries, int maxBytes, Priorities priorities) {
            this.maxEntries = Math.max(1, maxEntries);
            this.maxBytes = maxBytes;
            this.priorities = priorities;
        }

        boolean hasRoom() {
            return entries.size() < maxEntries
                    && (entries.isEmpty() || bytes < maxBytes)
                    && passed < MOST_PASSED
                    && passedBytes < MOST_PASSED_BYTES;
        }

        void add(long sequence, QueueEntry entry) {
            upTo = sequence;
            if (priorities.has(entry)) {
                entries.add(new Entry(sequence, entry));
                bytes += entry.memoryBytes();
            } else {
                passed++;
                passedBytes += entry.sizeBytes();
            }
        }
    }

    /** A write whose result a stage tells. */
    private abstract static class StateWrite<T extends @Nullable Object> implements Write {
        final CompletableFuture<T> result = new CompletableFuture<>();

        @Override
        public void failed(RuntimeException reason) {
            result.completeExceptionally(reason);
        }
    }

    /** A claim on its way into the database. */
    private static final class ClaimWrite extends StateWrite<Claim> {
        private final StoredShard shard;
        private final long ownerEpoch;
        private @Nullable Claim claim;

        private ClaimWrite(StoredShard shard, long ownerEpoch) {
            this.shard = shard;
            this.ownerEpoch = ownerEpoch;
        }

        @Override
        public int bytes() {
            return 0;
        }

        @Override
        public void stage(WriteBatch batch) throws RocksDBException {
            claim = shard.claim(ownerEpoch, batch);
        }

        @Override
        public void committed() {
            result.complete(claim);
        }
    }

    /** A save point on its way into the database. */
    private final class Save extends StateWrite<@Nullable Void> {
        private final int shard;
        private final SavePoint savePoint;
        private final StateChanges changes;

        private Save(int shard, SavePoint savePoint) {
            this.shard = shard;
            this.savePoint = savePoint;
            this.changes = new StateChanges(shards[shard].keys(), savePoint);
        }

        @Override
        public int bytes() {
            return changes.bytes();
        }

        @Override
        public void stage(WriteBatch batch) throws RocksDBException {
            if (shards[shard].accepts(savePoint)) {
                changes.addTo(batch, database.columns(), !savedInGroup.get(shard));
                shards[shard].moveTo(savePoint, batch);
                savedInGroup.set(shard);
            }
        }

        @Override
        public void committed() {
            result.complete(null);
        }
    }

    /** Notices where one group ends and the next begins. */
    private final class Member implements CommitParticipant {
        @Override
        public void beforeCommit(WriteBatch batch) {}

        @Override
        public void afterCommit() {
            savedInGroup.clear();
        }
    }
}
