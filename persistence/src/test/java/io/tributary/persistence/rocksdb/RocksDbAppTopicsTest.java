package io.tributary.persistence.rocksdb;

import static io.tributary.persistence.contract.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.app.AppTopics.AppTopic;
import io.tributary.persistence.contract.AppTopicsContract;
import java.nio.file.Path;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksDbAppTopicsTest extends AppTopicsContract {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private RocksDbDatabase database;

    @Override
    protected AppTopics open() {
        closeDatabase();
        database = TestDatabase.open(folder, 4);
        return new RocksDbAppTopics(database, InstantSource.system());
    }

    @AfterEach
    void closeDatabase() {
        if (database != null) {
            database.close();
        }
    }

    @Test
    void topicOfAClientThatWouldShareIsItsOwn() {
        AppTopic own = new AppTopic("small", false);
        AppTopic shared = new AppTopic("small", true);
        get(topics().create(own));
        get(topics().create(shared));
        appendAll(shared, 3);
        assertThat(end(own)).isZero();
        assertThat(get(topics().deletable())).contains(own, shared);
        get(topics().delete(shared));
        assertThat(get(topics().create(shared)).end()).isZero();
    }
}
