package io.tributary.persistence.rocksdb;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.IndexType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The native database with its columns. Owns every native object that lives as long as the database. */
final class ColumnStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ColumnStore.class);
    private static final int MAX_OPEN_FILES = 512;
    private static final int BLOOM_BITS = 10;

    /** Few threads read; by default the cache has 64 parts, and what is larger than one of them is never kept. */
    private static final int CACHE_SHARD_BITS = 1;

    private static final long BYTES_PER_SYNC = 1024 * 1024;

    private final Deque<AutoCloseable> natives = new ArrayDeque<>();
    private final Map<Column, ColumnFamilyHandle> handles = new EnumMap<>(Column.class);
    private final WriteOptions waiting;
    private final WriteOptions notWaiting;
    private final RocksDB db;
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private boolean isClosed;

    private ColumnStore(Path folder, RocksDbOptions options) throws RocksDBException {
        RocksDB.loadLibrary();
        boolean sync = options.sync() == StorageSync.ALWAYS;
        waiting = owned(new WriteOptions().setSync(sync));
        notWaiting = owned(new WriteOptions().setSync(sync).setNoSlowdown(true));
        List<ColumnFamilyDescriptor> descriptors = descriptors(options);
        List<ColumnFamilyHandle> opened = new ArrayList<>();
        try {
            db = owned(RocksDB.open(dbOptions(options), folder.toString(), descriptors, opened));
        } catch (RocksDBException e) {
            closeNatives();
            throw e;
        }
        Iterator<ColumnFamilyHandle> inOrder = opened.iterator();
        for (Column column : Column.values()) {
            handles.put(column, owned(inOrder.next()));
        }
    }

    /** Opens the database in the folder, and creates it when there is none. */
    static ColumnStore open(Path folder, RocksDbOptions options) {
        try {
            return new ColumnStore(folder, options);
        } catch (RocksDBException e) {
            String message = String.valueOf(e.getMessage());
            if (message.replace(folder.toString(), "").contains("lock ")) {
                throw new StorageException("the data folder " + folder + " is in use by another process", e);
            }
            throw new StorageException("the database in " + folder + " cannot be opened: " + message, e);
        }
    }

    ColumnFamilyHandle handle(Column column) {
        ColumnFamilyHandle handle = handles.get(column);
        if (handle == null) {
            throw new IllegalStateException("no column " + column);
        }
        return handle;
    }

    byte @Nullable [] get(Column column, byte[] key) {
        try {
            return db.get(handle(column), key);
        } catch (RocksDBException e) {
            throw Scan.unreadable(e);
        }
    }

    /** Reads the keys from the first (inclusive) to the last (exclusive). The caller closes the scan. */
    Scan scan(Column column, byte[] from, byte[] to) {
        return new Scan(db, handle(column), from, to);
    }

    /**
     * Writes a batch; where RocksDB would slow it down because it cannot keep up, that is waited for, or is an error.
     */
    void write(WriteBatch batch, boolean mayWait) throws RocksDBException {
        db.write(mayWait ? waiting : notWaiting, batch);
    }

    /** Brings all that was written to the disk. */
    void sync() throws RocksDBException {
        db.syncWal();
    }

    /** Drops the files that hold nothing but keys of the range, at once and without reading them. */
    void dropFiles(Column column, byte[] from, byte[] to) {
        try {
            db.deleteFilesInRanges(handle(column), List.of(from, to), false);
        } catch (RocksDBException e) {
            throw new StorageException("files cannot be dropped: " + e.getMessage(), e);
        }
    }

    /**
     * What the database has in memory, in bytes: write buffers, cached blocks and what it keeps of open files. 0 while
     * it closes and afterwards, and where RocksDB does not say.
     */
    long memoryBytes() {
        Lock use = lock.readLock();
        if (!use.tryLock()) {
            return 0;
        }
        try {
            return isClosed
                    ? 0
                    : db.getAggregatedLongProperty("rocksdb.size-all-mem-tables")
                            + db.getAggregatedLongProperty("rocksdb.estimate-table-readers-mem")
                            + db.getLongProperty("rocksdb.block-cache-usage"); // one cache for all columns
        } catch (RocksDBException e) {
            LOG.debug("no figures of memory", e);
            return 0;
        } finally {
            use.unlock();
        }
    }

    /** Closes the database; nobody uses it any more but for {@link #memoryBytes}. */
    @Override
    public void close() {
        lock.writeLock().lock();
        try {
            isClosed = true;
            closeNatives();
        } finally {
            lock.writeLock().unlock();
        }
    }

    private void closeNatives() {
        while (!natives.isEmpty()) {
            try {
                natives.pop().close();
            } catch (Exception e) {
                throw new StorageException("the database did not close: " + e.getMessage(), e);
            }
        }
    }

    private List<ColumnFamilyDescriptor> descriptors(RocksDbOptions options) {
        BlockBasedTableConfig table = new BlockBasedTableConfig()
                .setBlockCache(owned(new LRUCache(options.cacheBytes(), CACHE_SHARD_BITS)))
                .setCacheIndexAndFilterBlocks(true)
                .setPinL0FilterAndIndexBlocksInCache(true)
                .setIndexType(IndexType.kTwoLevelIndexSearch) // a whole index may be larger than a part of the cache
                .setPartitionFilters(true)
                .setPinTopLevelIndexAndFilter(true)
                .setFilterPolicy(owned(new BloomFilter(BLOOM_BITS)));
        List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
        for (Column column : Column.values()) {
            ColumnFamilyOptions columnOptions = owned(column.options(options, table));
            descriptors.add(new ColumnFamilyDescriptor(column.nameBytes(), columnOptions));
        }
        return descriptors;
    }

    /**
     * Each write reaches the operating system before it returns, so that a killed process loses none; after a power
     * failure what is whole in the write-ahead log, up to the first gap, is recovered.
     */
    private DBOptions dbOptions(RocksDbOptions options) {
        return owned(new DBOptions())
                .setCreateIfMissing(true)
                .setCreateMissingColumnFamilies(true)
                .setManualWalFlush(false)
                .setWalRecoveryMode(WALRecoveryMode.PointInTimeRecovery)
                .setMaxTotalWalSize(options.walBytes())
                .setDbWriteBufferSize(options.writeBufferBytes())
                .setBytesPerSync(BYTES_PER_SYNC)
                .setWalBytesPerSync(BYTES_PER_SYNC)
                .setMaxOpenFiles(MAX_OPEN_FILES)
                .setMaxBackgroundJobs(2)
                .setAllowConcurrentMemtableWrite(false)
                .setEnableWriteThreadAdaptiveYield(false)
                .setManifestPreallocationSize(64 * 1024)
                .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                .setKeepLogFileNum(2)
                .setMaxLogFileSize(1024 * 1024)
                .setStatsDumpPeriodSec(0)
                .setStatsPersistPeriodSec(0);
    }

    /** Objects are closed in the reverse order of their creation. */
    private <T extends AutoCloseable> T owned(T object) {
        natives.push(object);
        return object;
    }
}
