package io.tributary.persistence.rocksdb;

import io.tributary.persistence.shard.FencedException;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.SavePoint.SourcePosition;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Claim;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/** Where the stored state of one shard stands, and the fence before it. Confined to the writer thread. */
final class StoredShard {
    private final StateKeys keys;
    private final ColumnFamilyHandle column;
    private final SortedMap<Integer, SourcePosition> sources = new TreeMap<>();
    private long epoch = -1;
    private long applied = ShardStore.NOTHING_APPLIED;
    private long foldedOwner = -1;
    private long snapshotMillis = ShardStore.NO_SNAPSHOT;

    /** Reads where the shard stands. */
    StoredShard(ColumnStore columns, int shard) {
        keys = new StateKeys(shard);
        column = columns.handle(Column.STATE);
        byte @Nullable [] header = columns.get(Column.STATE, keys.header());
        if (header != null) {
            epoch = ByteBuffer.wrap(header).getLong(0);
            applied = appliedIn(header);
            foldedOwner = ByteBuffer.wrap(header).getLong(2 * Long.BYTES);
            snapshotMillis = ByteBuffer.wrap(header).getLong(3 * Long.BYTES);
        }
        readSources(columns);
    }

    /** The applied offset in the value of {@link StateKeys#header}. */
    static long appliedIn(byte[] header) {
        return ByteBuffer.wrap(header).getLong(Long.BYTES);
    }

    StateKeys keys() {
        return keys;
    }

    /** Takes the shard over, unless a newer owner has. */
    Claim claim(long ownerEpoch, WriteBatch batch) throws RocksDBException {
        checkEpoch(ownerEpoch);
        epoch = ownerEpoch;
        putHeader(batch);
        return new Claim(
                applied, LogRecord.NO_LEADER, foldedOwner, snapshotMillis, List.copyOf(sources.values()), null);
    }

    /**
     * Whether the save point is to be applied; false when it has been already.
     *
     * @throws FencedException when it does not fit
     */
    boolean accepts(SavePoint savePoint) {
        checkEpoch(savePoint.ownerEpoch());
        if (savePoint.expectedApplied() == applied) {
            return true;
        }
        if (savePoint.applied() == applied) {
            return false;
        }
        throw new FencedException(
                "the state is at offset " + applied + ", and the save point expects " + savePoint.expectedApplied());
    }

    /** Moves on to where the save point leads. */
    void moveTo(SavePoint savePoint, WriteBatch batch) throws RocksDBException {
        epoch = savePoint.ownerEpoch();
        applied = savePoint.applied();
        foldedOwner = savePoint.foldedOwner();
        snapshotMillis = savePoint.snapshotMillis();
        putHeader(batch);
        for (SourcePosition source : savePoint.sources()) {
            sources.put(source.shard(), source);
            byte[] value = ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
                    .putLong(source.offset())
                    .putInt(source.part())
                    .array();
            batch.put(column, keys.source(source.shard()), value);
        }
    }

    private void checkEpoch(long ownerEpoch) {
        if (ownerEpoch < epoch) {
            throw new FencedException("owner " + epoch + " has claimed the shard after owner " + ownerEpoch);
        }
    }

    private void putHeader(WriteBatch batch) throws RocksDBException {
        byte[] value = ByteBuffer.allocate(4 * Long.BYTES)
                .putLong(epoch)
                .putLong(applied)
                .putLong(foldedOwner)
                .putLong(snapshotMillis)
                .array();
        batch.put(column, keys.header(), value);
    }

    private void readSources(ColumnStore columns) {
        byte[] prefix = keys.sources();
        try (Scan scan = columns.scan(Column.STATE, prefix, Keys.endOf(prefix))) {
            for (boolean valid = scan.first(); valid; valid = scan.next()) {
                int shard = Short.toUnsignedInt(ByteBuffer.wrap(scan.key()).getShort(prefix.length));
                ByteBuffer value = ByteBuffer.wrap(scan.value());
                sources.put(shard, new SourcePosition(shard, value.getLong(), value.getInt()));
            }
        }
    }
}
