package io.tributary.persistence.rocksdb;

import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.StateCodec;
import io.tributary.common.event.StoredSession;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.SavePoint.SequenceKey;
import io.tributary.persistence.shard.SavePoint.SequencedEntry;
import io.tributary.persistence.shard.SavePoint.WillKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The changes of a save point, encoded on the thread of its owner so that the writer has only to copy it. */
final class StateChanges {
    private static final Logger LOG = LoggerFactory.getLogger(StateChanges.class);

    /** A queue that is longer is deleted as a range: cheap to write, but a burden for readers until it is compacted. */
    private static final int MAX_SINGLE_DELETES = 64;

    private final List<Change> changes = new ArrayList<>();
    private int bytes;

    StateChanges(StateKeys keys, SavePoint savePoint) {
        for (String clientId : savePoint.cleared()) {
            delete(keys.session(clientId));
            add(new DeleteQueue(keys.queue(clientId)), clientId.length());
        }
        for (StoredSession stored : savePoint.sessions()) {
            put(keys.session(stored.clientId()), StateCodec.encodeSession(stored, RecordFormat.NEWEST));
        }
        for (SequenceKey removed : savePoint.removed()) {
            delete(keys.queueEntry(removed.clientId(), removed.sequence()));
        }
        for (SequencedEntry queued : savePoint.queued()) {
            put(
                    keys.queueEntry(queued.clientId(), queued.sequence()),
                    StateCodec.encodeQueueEntry(queued.entry(), RecordFormat.NEWEST));
        }
        for (WillKey will : savePoint.willsRemoved()) {
            delete(keys.will(will.clientId(), will.epoch()));
        }
        for (ClientWill will : savePoint.wills()) {
            put(
                    keys.will(will.clientId(), will.epoch()),
                    StateCodec.encodeWill(will.will(), will.due(), RecordFormat.NEWEST));
        }
    }

    int bytes() {
        return bytes;
    }

    /**
     * Adds the changes to a batch, in their order. Writer thread.
     *
     * @param alone whether the batch has no other changes of the shard's queues, so that the database has all of them
     */
    void addTo(WriteBatch batch, ColumnStore columns, boolean alone) throws RocksDBException {
        ColumnFamilyHandle column = columns.handle(Column.STATE);
        for (Change change : changes) {
            switch (change) {
                case Put(byte[] key, byte[] value) -> batch.put(column, key, value);
                case Delete(byte[] key) -> batch.delete(column, key);
                case DeleteQueue(byte[] prefix) -> deleteQueue(prefix, batch, columns, alone);
            }
        }
    }

    private static void deleteQueue(byte[] prefix, WriteBatch batch, ColumnStore columns, boolean alone)
            throws RocksDBException {
        ColumnFamilyHandle column = columns.handle(Column.STATE);
        byte[] end = Keys.endOf(prefix);
        List<byte[]> few = alone ? fewKeys(columns, prefix, end) : null;
        if (few == null) {
            batch.deleteRange(column, prefix, end);
            return;
        }
        for (byte[] key : few) {
            batch.delete(column, key);
        }
    }

    /** Null where there are many, or cannot be read: what is damaged goes, too. */
    private static @Nullable List<byte[]> fewKeys(ColumnStore columns, byte[] from, byte[] to) {
        List<byte[]> found = new ArrayList<>();
        try (Scan scan = columns.scan(Column.STATE, from, to)) {
            for (boolean valid = scan.first(); valid && found.size() <= MAX_SINGLE_DELETES; valid = scan.next()) {
                found.add(scan.key());
            }
        } catch (StorageException e) {
            LOG.warn("a queue that is deleted cannot be read: {}", e.getMessage());
            return null;
        }
        return found.size() > MAX_SINGLE_DELETES ? null : found;
    }

    private void put(byte[] key, byte[] value) {
        add(new Put(key, value), key.length + value.length);
    }

    private void delete(byte[] key) {
        add(new Delete(key), key.length);
    }

    private void add(Change change, int size) {
        changes.add(change);
        bytes += size;
    }

    @SuppressWarnings("ArrayRecordComponent") // short-lived, never compared
    private sealed interface Change {}

    @SuppressWarnings("ArrayRecordComponent")
    private record Put(byte[] key, byte[] value) implements Change {}

    @SuppressWarnings("ArrayRecordComponent")
    private record Delete(byte[] key) implements Change {}

    @SuppressWarnings("ArrayRecordComponent")
    private record DeleteQueue(byte[] prefix) implements Change {}
}
