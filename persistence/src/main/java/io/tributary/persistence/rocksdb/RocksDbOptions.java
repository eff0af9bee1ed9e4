package io.tributary.persistence.rocksdb;

import java.time.Duration;

/**
 * How the embedded store of one data folder is set up.
 *
 * @param sync when writes are brought to the disk
 * @param syncInterval how often with {@link StorageSync#INTERVAL}
 * @param shards the number of shards, fixed when the folder is created; 1 to 65,535
 * @param memtableBytes what may be held in write buffers, all columns together
 * @param cacheBytes the size of the cache of blocks read from files
 * @param walBytes how large the write-ahead log may grow before write buffers are flushed to shorten it
 * @param appendQueueBytes how much may wait for its commit before appends are refused; once for the logs of all shards,
 *     and once for those of all applications
 */
public record RocksDbOptions(
        StorageSync sync,
        Duration syncInterval,
        int shards,
        long memtableBytes,
        long cacheBytes,
        long walBytes,
        long appendQueueBytes) {

    private static final long MIB = 1024L * 1024;

    public RocksDbOptions {
        if (shards < 1 || shards > 65_535) {
            throw new IllegalArgumentException("shards " + shards + ": must be 1 to 65,535");
        }
        if (syncInterval.isNegative() || syncInterval.isZero()) {
            throw new IllegalArgumentException("sync interval " + syncInterval + ": must be positive");
        }
        if (memtableBytes < MIB || cacheBytes < MIB || walBytes < MIB || appendQueueBytes < 1) {
            throw new IllegalArgumentException("write buffers, cache and write-ahead log: at least 1 MiB each");
        }
    }

    /** The defaults: sync once a second, 96 MiB of write buffers, 32 MiB of cache, 64 MiB of waiting appends. */
    public static RocksDbOptions defaults(int shards) {
        return new RocksDbOptions(
                StorageSync.INTERVAL, Duration.ofSeconds(1), shards, 96 * MIB, 32 * MIB, 128 * MIB, 64 * MIB);
    }

    /** The same options with another way to bring writes to the disk. */
    public RocksDbOptions withSync(StorageSync newSync) {
        return new RocksDbOptions(newSync, syncInterval, shards, memtableBytes, cacheBytes, walBytes, appendQueueBytes);
    }

    /** The same options with another limit of what may wait for its commit. */
    public RocksDbOptions withAppendQueueBytes(long newAppendQueueBytes) {
        return new RocksDbOptions(sync, syncInterval, shards, memtableBytes, cacheBytes, walBytes, newAppendQueueBytes);
    }
}
