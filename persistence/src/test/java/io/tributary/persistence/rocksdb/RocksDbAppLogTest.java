package io.tributary.persistence.rocksdb;

import io.tributary.persistence.app.AppLog;
import io.tributary.persistence.contract.AppLogContract;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

class RocksDbAppLogTest extends AppLogContract {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private RocksDbDatabase database;

    @Override
    protected AppLog open() {
        closeDatabase();
        database = TestDatabase.open(folder, 4);
        return new RocksDbAppLog(database);
    }

    @AfterEach
    void closeDatabase() {
        if (database != null) {
            database.close();
        }
    }
}
