package io.tributary.persistence.rocksdb;

import io.tributary.persistence.contract.ReplicatedMapContract;
import io.tributary.persistence.replicated.ReplicatedMap;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

class RocksDbReplicatedMapTest extends ReplicatedMapContract {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private RocksDbDatabase database;

    @Override
    protected ReplicatedMap open(String name) {
        if (database == null) {
            database = TestDatabase.open(folder, 4);
        }
        return new RocksDbReplicatedMap(database, name);
    }

    @AfterEach
    void closeDatabase() {
        database.close();
    }
}
