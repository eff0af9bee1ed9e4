package io.tributary.persistence.rocksdb;

import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.stall;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.app.AppTopics.AppTopic;
import io.tributary.persistence.contract.AppTopicsContract;
import io.tributary.persistence.contract.Waiting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

class RocksDbAppTopicsTest extends AppTopicsContract {
    /** So many files of the first level are compacted. */
    private static final int COMPACTED_FILES = 4;

    /** How many of the files to be dropped were there, at each sync. */
    private final List<Long> thereAtSync = new CopyOnWriteArrayList<>();

    /** Whether other threads might commit, at each sync. */
    private final List<Boolean> mightCommitAtSync = new CopyOnWriteArrayList<>();

    private volatile List<Path> dropped = List.of();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private RocksDbDatabase database;

    @Override
    protected AppTopics open() {
        closeDatabase();
        database = RocksDbDatabase.open(folder, TestDatabase.options(4), new StorageRecorder() {
            @Override
            public void onSync(long nanos) {
                thereAtSync.add(dropped.stream().filter(Files::exists).count());
                mightCommitAtSync.add(database.commitsAtOnce());
            }
        });
        return new RocksDbAppTopics(database, InstantSource.system());
    }

    /** After a power cut before, the topic would begin with messages that are gone. */
    @Test
    void filesOfATopicGoOnceItsDeletionIsOnTheDisk() {
        AppTopic topic = new AppTopic("erp", false);
        Random random = new Random(7);
        for (int i = 0; i < 100; i++) {
            byte[] payload = new byte[64 * 1024];
            random.nextBytes(payload);
            get(append(topic, Message.of("a/topic", payload, QoS.AT_LEAST_ONCE)));
        }
        until(this::hasSettled);
        dropped = files(level -> level > 0);
        topics().acknowledged(topic, null, end(topic));
        until(() -> {
            ((RocksDbAppTopics) topics()).dropFiles();
            return dropped.stream().noneMatch(Files::exists);
        });
        assertThat(thereAtSync.getFirst()).isEqualTo(dropped.size());
    }

    @Test
    void manyTopicsCostOneSyncDuringWhichNoOtherThreadCommits() {
        List<AppTopic> many = IntStream.range(0, 50)
                .mapToObj(i -> new AppTopic("a" + i, false))
                .toList();
        many.forEach(topic -> {
            get(topics().create(topic));
            appendAll(topic, 2);
        });
        many.forEach(topic -> topics().acknowledged(topic, null, end(topic)));
        truncateAndDrop();
        assertThat(mightCommitAtSync).containsOnly(false).hasSizeLessThan(5);
    }

    /** A block of the log goes when all of it was acknowledged. */
    @Test
    void topicOfWhichNothingCanBeDeletedCostsNoSync() {
        AppTopic topic = new AppTopic("erp", false);
        CountDownLatch queued = new CountDownLatch(1);
        database.committer().submit(new Task(() -> stall(queued)));
        Message message = Message.of("a/topic", new byte[10], QoS.AT_LEAST_ONCE);
        List<CompletableFuture<Long>> inOneBlock = List.of(append(topic, message), append(topic, message));
        queued.countDown();
        inOneBlock.forEach(Waiting::get);
        topics().acknowledged(topic, null, 1);
        truncateAndDrop();
        truncateAndDrop();
        assertThat(thereAtSync).isEmpty();
    }

    private void truncateAndDrop() {
        ((RocksDbAppTopics) topics()).truncateAll();
        database.committer().drain();
        ((RocksDbAppTopics) topics()).dropFiles();
    }

    /**
     * Whether there are files that RocksDB can drop, which are below the first level, and none of them is rewritten.
     */
    private boolean hasSettled() {
        return !files(level -> level > 0).isEmpty()
                && files(level -> level == 0).size() < COMPACTED_FILES;
    }

    /** The files of topics at some levels, as another process sees them. */
    private List<Path> files(IntPredicate levels) {
        List<ColumnFamilyDescriptor> columns = Arrays.stream(Column.values())
                .map(column -> new ColumnFamilyDescriptor(column.nameBytes()))
                .toList();
        try (RocksDB seen = RocksDB.openReadOnly(folder.resolve("db").toString(), columns, new ArrayList<>())) {
            return seen.getLiveFilesMetaData().stream()
                    .filter(file -> levels.test(file.level()))
                    .filter(file -> Arrays.equals(file.columnFamilyName(), Column.APPS.nameBytes()))
                    .map(file -> Path.of(file.path() + file.fileName()))
                    .toList();
        } catch (RocksDBException e) {
            throw new AssertionError(e);
        }
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
