package io.tributary.server.settings;

import io.tributary.persistence.rocksdb.RocksDbOptions;
import io.tributary.persistence.rocksdb.StorageSync;
import io.tributary.server.settings.check.Allowed;
import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How the embedded store keeps sessions, messages and subscriptions in the data folder.
 *
 * @param sync When writes are brought to the disk. {@code always}: before anything is acknowledged, so that nothing
 *     acknowledged is lost even when the power fails. {@code interval}: every {@code sync-interval}; a crash of the
 *     broker loses nothing, a power failure what was acknowledged since. {@code os}: when the operating system likes.
 * @param syncInterval How often writes are brought to the disk with {@code sync=interval}.
 * @param shards The number of shards, fixed when the data folder is created: with another one, the broker does not
 *     start.
 * @param writeBufferSize How much may be held in write buffers.
 * @param cacheSize The size of the cache of blocks read from files.
 * @param walSize How large the write-ahead log may grow before write buffers are flushed to shorten it.
 * @param appendQueueSize How much may wait for its commit; beyond that, publishers are read more slowly.
 */
public record StorageSettings(
        @DefaultValue("interval") StorageSync sync,
        @DefaultValue("100ms") @Allowed(min = "1ms") Duration syncInterval,

        @DefaultValue("16") @Allowed(min = "1", max = "65535")
        int shards,

        @DefaultValue("96MB") @Allowed(min = "1MB") DataSize writeBufferSize,
        @DefaultValue("32MB") @Allowed(min = "1MB") DataSize cacheSize,
        @DefaultValue("128MB") @Allowed(min = "1MB") DataSize walSize,
        @DefaultValue("64MB") @Allowed(min = "1MB") DataSize appendQueueSize) {

    void change(RocksDbOptions.Builder to) {
        to.sync(sync)
                .syncInterval(syncInterval)
                .shards(shards)
                .writeBufferSize(writeBufferSize.toBytes())
                .cacheSize(cacheSize.toBytes())
                .walSize(walSize.toBytes())
                .appendQueueSize(appendQueueSize.toBytes());
    }
}
