package io.tributary.persistence.rocksdb;

import java.nio.file.Path;
import java.util.function.UnaryOperator;

/** Opens small databases for tests. */
final class TestDatabase {
    private static final long MIB = 1024 * 1024;

    private TestDatabase() {}

    static RocksDbOptions options(int shards) {
        RocksDbOptions defaults = RocksDbOptions.defaults(shards);
        return new RocksDbOptions(
                StorageSync.OS,
                defaults.syncInterval(),
                shards,
                8 * MIB,
                4 * MIB,
                16 * MIB,
                defaults.appendQueueBytes());
    }

    static RocksDbDatabase open(Path folder, int shards) {
        return open(folder, shards, UnaryOperator.identity());
    }

    static RocksDbDatabase open(Path folder, int shards, UnaryOperator<BatchTarget> wrapper) {
        return RocksDbDatabase.open(folder, options(shards), StorageRecorder.NONE, wrapper);
    }
}
