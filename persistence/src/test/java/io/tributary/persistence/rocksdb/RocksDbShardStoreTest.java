package io.tributary.persistence.rocksdb;

import io.tributary.persistence.contract.ShardStoreContract;
import io.tributary.persistence.shard.ShardStore;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

class RocksDbShardStoreTest extends ShardStoreContract {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private RocksDbDatabase database;

    @Override
    protected ShardStore open() {
        closeDatabase();
        database = TestDatabase.open(folder, 4);
        return new RocksDbShardStore(database);
    }

    @AfterEach
    void closeDatabase() {
        if (database != null) {
            database.close();
        }
    }
}
