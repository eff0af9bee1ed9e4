package io.tributary.persistence.rocksdb;

import static io.tributary.common.setting.InvalidSettingException.checkAtLeast;
import static io.tributary.common.setting.InvalidSettingException.checkPositive;
import static io.tributary.common.setting.InvalidSettingException.checkWithin;

import io.tributary.common.setting.InvalidSettingException;
import java.time.Duration;

/**
 * How the embedded store of one data folder is set up.
 *
 * @param sync when writes are brought to the disk
 * @param syncInterval how often with {@link StorageSync#INTERVAL}
 * @param shards the number of shards, fixed when the folder is created; 1 to 65,535
 * @param writeBufferBytes what may be held in write buffers, all columns together
 * @param cacheBytes the size of the cache of blocks read from files
 * @param walBytes how large the write-ahead log may grow before write buffers are flushed to shorten it
 * @param appendQueueBytes how much may wait for its commit before appends are refused; once for the logs of all shards,
 *     and once for those of all applications
 */
public record RocksDbOptions(
        StorageSync sync,
        Duration syncInterval,
        int shards,
        long writeBufferBytes,
        long cacheBytes,
        long walBytes,
        long appendQueueBytes) {

    /** How many shards a new data folder gets. */
    public static final int DEFAULT_SHARDS = 16;

    private static final long MIB = 1024L * 1024;

    public RocksDbOptions {
        checkPositive("sync-interval", syncInterval);
        checkWithin("shards", shards, 1, 65_535);
        checkAtLeast("write-buffer-size", writeBufferBytes, MIB);
        checkAtLeast("cache-size", cacheBytes, MIB);
        checkAtLeast("wal-size", walBytes, MIB);
        checkAtLeast("append-queue-size", appendQueueBytes, 1);
    }

    /** The defaults: sync ten times a second, 96 MiB of write buffers, 32 MiB of cache, 64 MiB of waiting appends. */
    public static RocksDbOptions defaults(int shards) {
        return new RocksDbOptions(
                StorageSync.INTERVAL, Duration.ofMillis(100), shards, 96 * MIB, 32 * MIB, 128 * MIB, 64 * MIB);
    }

    /** The defaults, to be changed. */
    public static Builder builder() {
        return new Builder(defaults(DEFAULT_SHARDS));
    }

    /** These values, to be changed. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Collects values under the names of the settings. Not thread-safe. */
    public static final class Builder {
        private StorageSync sync;
        private Duration syncInterval;
        private int shards;
        private long writeBufferSize;
        private long cacheSize;
        private long walSize;
        private long appendQueueSize;

        private Builder(RocksDbOptions from) {
            sync = from.sync;
            syncInterval = from.syncInterval;
            shards = from.shards;
            writeBufferSize = from.writeBufferBytes;
            cacheSize = from.cacheBytes;
            walSize = from.walBytes;
            appendQueueSize = from.appendQueueBytes;
        }

        /** When writes are brought to the disk. */
        public Builder sync(StorageSync value) {
            sync = value;
            return this;
        }

        /** How often with {@link StorageSync#INTERVAL}. */
        public Builder syncInterval(Duration value) {
            syncInterval = value;
            return this;
        }

        /** The number of shards, 1 to 65,535; fixed when the folder is created. */
        public Builder shards(int value) {
            shards = value;
            return this;
        }

        /** What may be held in write buffers, in bytes; at least 1 MiB. */
        public Builder writeBufferSize(long value) {
            writeBufferSize = value;
            return this;
        }

        /** The size of the cache of blocks read from files, in bytes; at least 1 MiB. */
        public Builder cacheSize(long value) {
            cacheSize = value;
            return this;
        }

        /** How large the write-ahead log may grow, in bytes; at least 1 MiB. */
        public Builder walSize(long value) {
            walSize = value;
            return this;
        }

        /** How much may wait for its commit, in bytes. */
        public Builder appendQueueSize(long value) {
            appendQueueSize = value;
            return this;
        }

        /**
         * The whole.
         *
         * @throws InvalidSettingException when a value is not allowed, with the name of its setting
         */
        public RocksDbOptions build() {
            return new RocksDbOptions(sync, syncInterval, shards, writeBufferSize, cacheSize, walSize, appendQueueSize);
        }
    }
}
