package io.tributary.persistence.rocksdb;

import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.persistence.app.AppTopics.AppTopic;
import io.tributary.persistence.contract.RecordingReader;
import io.tributary.persistence.shard.ShardStore.Claimant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

class RocksDbDatabaseTest {
    private static final long MIB = 1024 * 1024;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void openingIsRefusedWhenTheFolderIsInUse() {
        try (RocksDbDatabase _ = TestDatabase.open(folder, 4)) {
            assertThatThrownBy(() -> TestDatabase.open(folder, 4))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("is in use by another process");
        }
    }

    @Test
    void openingIsRefusedWhenTheShardCountDiffers() {
        TestDatabase.open(folder, 4).close();
        assertThatThrownBy(() -> TestDatabase.open(folder, 8))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("created for 4 shards");
    }

    @Test
    void openingIsRefusedInWordsWhenTheDatabaseIsDamaged() throws IOException {
        TestDatabase.open(folder, 4).close();
        Files.writeString(folder.resolve("db/CURRENT"), "nonsense");
        assertThatThrownBy(() -> TestDatabase.open(folder, 4))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("cannot be opened");
    }

    @Test
    void openingIsRefusedWhenTheDatabaseIsLost() throws IOException {
        TestDatabase.open(folder, 4).close();
        TestDatabase.open(folder, 4).close();
        Files.delete(folder.resolve("db/CURRENT"));
        assertIsLost();
        try (Stream<Path> files = Files.list(folder.resolve("db"))) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        assertIsLost();
        Files.delete(folder.resolve("db"));
        assertIsLost();
    }

    private void assertIsLost() {
        assertThatThrownBy(() -> TestDatabase.open(folder, 4))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("has lost its database: restore the whole folder");
        assertThat(folder.resolve("db/CURRENT")).doesNotExist();
    }

    @Test
    void nothingIsCommittedOfAWriteThatFailsHalfway() {
        byte[] key = {7};
        try (RocksDbDatabase database = TestDatabase.open(folder, 4)) {
            Write halfway = new Write() {
                @Override
                public int bytes() {
                    return 0;
                }

                @Override
                public void stage(WriteBatch batch) throws RocksDBException {
                    batch.put(database.columns().handle(Column.META), key, key);
                    throw new StorageException("cannot be read");
                }
            };
            Task next = new Task(() -> {});
            database.committer().submit(halfway);
            database.committer().submit(next);
            get(next.done());
            assertThat(database.columns().get(Column.META, key)).isNull();
        }
    }

    @Test
    void memoryIsThatOfWhatWasWritten() {
        RocksDbDatabase database = TestDatabase.open(folder, 4);
        try (database) {
            RocksDbReplicatedMap map = new RocksDbReplicatedMap(database, "names");
            long before = database.memoryBytes();
            get(map.put("key", new byte[(int) MIB / 4]));
            assertThat(database.memoryBytes() - before).isBetween(MIB / 4, 2 * MIB);
        }
        assertThat(database.memoryBytes()).isZero();
    }

    @Test
    void diskUseStaysSmallWhenRecordsAreTruncatedBehindSavePoints() throws IOException {
        try (RocksDbDatabase database = TestDatabase.open(folder, 4)) {
            RocksDbShardLog log = new RocksDbShardLog(database, InstantSource.system());
            byte[] value = new byte[100];
            for (int round = 0; round < 1000; round++) {
                int shard = round % 4;
                long last = append(log, shard, value, 1000);
                log.truncate(shard, last + 1);
            }
            log.close();
        }
        assertThat(diskUse()).isLessThan(60 * MIB);
    }

    @Test
    void readingIsDenseWhenAlmostEverythingWasTruncated() {
        try (RocksDbDatabase database = TestDatabase.open(folder, 1)) {
            RocksDbShardLog log = new RocksDbShardLog(database, InstantSource.system());
            for (int round = 0; round < 30; round++) {
                long last = append(log, 0, new byte[100], 10_000);
                log.truncate(0, last);
            }
            RecordingReader reader = new RecordingReader();
            log.start(reader);
            log.readFrom(0, 299_999);
            until(() -> reader.count(0) == 1);
            assertThat(reader.records(0).getFirst().offset()).isEqualTo(299_999);
        }
    }

    @Test
    void recorderHearsOfCommitsAndSyncsWhenWritten() {
        AtomicInteger writes = new AtomicInteger();
        List<Long> syncs = new CopyOnWriteArrayList<>();
        StorageRecorder recorder = new StorageRecorder() {
            @Override
            public void onCommit(int count, long bytes, long nanos) {
                assertThat(bytes).isPositive();
                writes.addAndGet(count);
            }

            @Override
            public void onSync(long nanos) {
                syncs.add(nanos);
            }
        };
        RocksDbOptions syncing = TestDatabase.options(1).toBuilder()
                .sync(StorageSync.INTERVAL)
                .syncInterval(Duration.ofMillis(5))
                .build();
        try (RocksDbDatabase database = RocksDbDatabase.open(folder, syncing, recorder)) {
            append(new RocksDbShardLog(database, InstantSource.system()), 0, new byte[100], 50);
            assertThat(writes).hasValue(50);
            until(() -> !syncs.isEmpty());
        }
    }

    @Test
    void everythingIsThereWhenAdaptersShareADatabaseAndItIsReopened() {
        try (RocksDbDatabase database = TestDatabase.open(folder, 2)) {
            append(new RocksDbShardLog(database, InstantSource.system()), 1, new byte[3], 7);
            get(new RocksDbShardStore(database).claim(1, new Claimant(5)));
            get(new RocksDbAppTopics(database, InstantSource.system()).create(new AppTopic("t", false)));
            get(new RocksDbReplicatedMap(database, "m").put("k", new byte[1]));
        }
        try (RocksDbDatabase database = TestDatabase.open(folder, 2)) {
            assertThat(append(new RocksDbShardLog(database, InstantSource.system()), 1, new byte[3], 1))
                    .isEqualTo(7);
            AtomicInteger entries = new AtomicInteger();
            get(new RocksDbReplicatedMap(database, "m").follow((key, value) -> entries.incrementAndGet()));
            assertThat(entries).hasValue(1);
        }
    }

    private static long append(RocksDbShardLog log, int shard, byte[] value, int count) {
        CompletableFuture<Long> last = new CompletableFuture<>();
        for (int i = 1; i < count; i++) {
            assertThat(log.append(shard, value, (offset, failure) -> {})).isTrue();
        }
        assertThat(log.append(shard, value, (offset, failure) -> last.complete(offset)))
                .isTrue();
        return get(last);
    }

    private long diskUse() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }
}
