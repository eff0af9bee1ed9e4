package io.tributary.persistence.rocksdb;

import static io.tributary.persistence.contract.SavePoints.emptySave;
import static io.tributary.persistence.contract.SavePoints.message;
import static io.tributary.persistence.contract.SavePoints.session;
import static io.tributary.persistence.contract.Waiting.assertFails;
import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.thread.Turn;
import io.tributary.persistence.app.AppTopics.AppTopic;
import io.tributary.persistence.app.AppTopics.Page;
import io.tributary.persistence.contract.RecordingReader;
import io.tributary.persistence.contract.Waiting;
import io.tributary.persistence.shard.ShardStore.Claimant;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the adapters do while nothing can be written. */
class WriteFailureTest {
    private static final AppTopic APP = new AppTopic("app", false);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final FailingTarget disk = new FailingTarget();

    @SuppressWarnings("NullAway.Init")
    private RocksDbDatabase database;

    @BeforeEach
    void open() {
        database = TestDatabase.open(folder, 2, disk::before);
    }

    @AfterEach
    void close() {
        Turn.begin(() -> false); // the next test has this thread, too
        disk.fail(false);
        database.close();
    }

    @Test
    void nothingIsAcknowledgedNorHandedOutWhenCommitsFail() {
        RocksDbShardLog log = new RocksDbShardLog(database, InstantSource.system());
        RecordingReader reader = new RecordingReader();
        log.start(reader);
        log.readFrom(0, 0);
        disk.fail(true);
        List<Long> acknowledged = appendMany(log);
        until(() -> disk.failures() >= 3);
        assertThat(acknowledged).isEmpty();
        assertThat(reader.count(0)).isZero();
        assertThat(database.problem()).contains("No space left on device");
    }

    @Test
    void everythingIsAcknowledgedInOrderWhenCommitsWorkAgain() {
        RocksDbShardLog log = new RocksDbShardLog(database, InstantSource.system());
        RecordingReader reader = new RecordingReader();
        log.start(reader);
        log.readFrom(0, 0);
        disk.fail(true);
        List<Long> acknowledged = appendMany(log);
        until(() -> disk.failures() >= 3);
        disk.fail(false);
        until(() -> acknowledged.size() == 100 && reader.count(0) == 100);
        assertThat(acknowledged).isEqualTo(LongStream.range(0, 100).boxed().toList());
        until(() -> database.problem() == null);
    }

    @Test
    void callerCommitsAtTheEndOfItsTurnWhenTheWriterIsIdle() {
        RocksDbShardLog log = new RocksDbShardLog(database, InstantSource.system());
        List<Thread> tellers = new CopyOnWriteArrayList<>();
        Turn turn = Turn.begin(() -> true);
        for (int i = 0; i < 100_000 && !tellers.contains(Thread.currentThread()); i++) {
            assertThat(log.append(0, new byte[10], (offset, failure) -> tellers.add(Thread.currentThread())))
                    .isTrue();
            turn.end();
        }
        assertThat(tellers).contains(Thread.currentThread());
    }

    @Test
    void writerCommitsWhatACallerCannot() {
        RocksDbShardLog log = new RocksDbShardLog(database, InstantSource.system());
        List<Long> acknowledged = new CopyOnWriteArrayList<>();
        Turn turn = Turn.begin(() -> true);
        disk.fail(true);
        for (int i = 0; i < 10; i++) {
            assertThat(log.append(0, new byte[10], (offset, failure) -> acknowledged.add(offset)))
                    .isTrue();
            turn.end();
        }
        until(() -> disk.failures() >= 3);
        assertThat(acknowledged).isEmpty();
        assertThat(database.problem()).contains("No space left on device");
        disk.fail(false);
        until(() -> acknowledged.size() == 10);
        assertThat(acknowledged).isEqualTo(LongStream.range(0, 10).boxed().toList());
    }

    @Test
    void nobodyWaitsForTheDiskWhenEachCommitIsSynced(@TempDir Path synced) {
        RocksDbOptions always =
                TestDatabase.options(2).toBuilder().sync(StorageSync.ALWAYS).build();
        List<Thread> tellers = new CopyOnWriteArrayList<>();
        Turn turn = Turn.begin(() -> true);
        try (RocksDbDatabase other = RocksDbDatabase.open(synced, always, StorageRecorder.NONE)) {
            RocksDbShardLog log = new RocksDbShardLog(other, InstantSource.system());
            for (int i = 1; i <= 20; i++) {
                int count = i;
                assertThat(log.append(0, new byte[10], (offset, failure) -> tellers.add(Thread.currentThread())))
                        .isTrue();
                turn.end();
                until(() -> tellers.size() == count);
            }
        }
        assertThat(tellers).doesNotContain(Thread.currentThread());
    }

    @Test
    void queueIsSeenToGrowWhileCommitsFail() {
        RocksDbShardLog log = new RocksDbShardLog(database, InstantSource.system());
        disk.fail(true);
        assertThat(log.append(0, new byte[1000], (offset, failure) -> {})).isTrue();
        until(() -> disk.failures() >= 1);
        assertThat(database.queuedBytes()).isBetween(1000L, 1999L);
        assertThat(log.append(0, new byte[1000], (offset, failure) -> {})).isTrue();
        assertThat(database.queuedBytes()).isGreaterThanOrEqualTo(2000);
        disk.fail(false);
        until(() -> database.queuedBytes() == 0);
    }

    @Test
    void savePointsTopicsAndMapsWaitWhenCommitsFail() {
        RocksDbShardStore store = new RocksDbShardStore(database);
        RocksDbAppTopics apps = new RocksDbAppTopics(database, InstantSource.system());
        RocksDbReplicatedMap map = new RocksDbReplicatedMap(database, "m");
        get(store.claim(0, new Claimant(1)));
        get(apps.create(APP));
        List<String> followed = new CopyOnWriteArrayList<>();
        get(map.follow((key, value) -> followed.add(key)));
        disk.fail(true);
        CompletionStage<@Nullable Void> saved = store.save(
                0, emptySave(1, -1, 5).sessions(List.of(session("a", 1))).build());
        CompletableFuture<Long> appended = new CompletableFuture<>();
        assertThat(append(apps, message(1), appended)).isTrue();
        CompletableFuture<Page> read = apps.read(APP, null, 0, 10, 1000);
        CompletionStage<@Nullable Void> put = map.put("k", new byte[1]);
        until(() -> disk.failures() >= 3);
        assertThat(List.of(saved, appended, read, put))
                .noneMatch(stage -> stage.toCompletableFuture().isDone());
        assertThat(followed).isEmpty();
        disk.fail(false);
        get(saved);
        assertThat(get(appended)).isZero();
        assertThat(get(read).records()).hasSize(1);
        get(put);
        assertThat(followed).containsExactly("k");
    }

    @Test
    void mapRefusesWritesWhenTooMuchWaits() {
        RocksDbReplicatedMap map = new RocksDbReplicatedMap(database, "m");
        disk.fail(true);
        byte[] value = new byte[1 << 20];
        List<CompletableFuture<@Nullable Void>> accepted = new ArrayList<>();
        CompletionStage<@Nullable Void> last = map.put("k", value);
        for (int i = 0; i < 100 && !last.toCompletableFuture().isDone(); i++) {
            accepted.add(last.toCompletableFuture());
            last = map.put("k", value);
        }
        assertFails(last, StorageException.class);
        assertThat(accepted).hasSizeBetween(60, 64);
        disk.fail(false);
        accepted.forEach(Waiting::get);
        get(map.put("k", value));
    }

    @Test
    void whatWaitsFailsWhenClosedWhileCommitsFail() {
        RocksDbReplicatedMap map = new RocksDbReplicatedMap(database, "m");
        RocksDbShardLog log = new RocksDbShardLog(database, InstantSource.system());
        disk.fail(true);
        CompletionStage<@Nullable Void> put = map.put("k", new byte[1]);
        until(() -> disk.failures() >= 1);
        CompletableFuture<Throwable> failed = new CompletableFuture<>();
        assertThat(log.append(0, new byte[1], (offset, failure) -> failed.complete(failure)))
                .isTrue();
        database.close();
        assertFails(put, StorageException.class);
        assertThat(get(failed)).isInstanceOf(StorageException.class);
        disk.fail(false);
        database = TestDatabase.open(folder, 2, disk::before);
        assertThat(get(new RocksDbShardStore(database).claim(0, new Claimant(1)))
                        .applied())
                .isEqualTo(-1);
    }

    @Test
    void appendsAreRefusedWhenTooMuchWaits() {
        RocksDbAppTopics apps = new RocksDbAppTopics(database, InstantSource.system());
        RocksDbShardLog log = new RocksDbShardLog(database, InstantSource.system());
        get(apps.create(APP));
        disk.fail(true);
        byte[] large = new byte[1024 * 1024];
        int accepted = 0;
        while (log.append(0, large, (offset, failure) -> {})) {
            accepted++;
        }
        assertThat(accepted).isBetween(60, 65);
        Message message = new Message("t", large, QoS.AT_LEAST_ONCE, false, PublishProperties.NONE, Message.NEVER, "");
        accepted = 0;
        CompletableFuture<Long> appended = new CompletableFuture<>();
        while (append(apps, message, appended)) {
            accepted++;
        }
        assertThat(accepted).isBetween(60, 65);
        CompletableFuture<Boolean> room = new CompletableFuture<>();
        apps.onRoom(() -> room.complete(true));
        assertThat(room).isNotDone();
        disk.fail(false);
        get(room);
        get(appended);
    }

    @Test
    void othersAreCalledWhenACallbackThrows() {
        RocksDbShardLog log = new RocksDbShardLog(database, InstantSource.system());
        log.append(0, new byte[1], (offset, failure) -> {
            throw new IllegalStateException("a mistake of the caller's");
        });
        CompletableFuture<Long> next = new CompletableFuture<>();
        log.append(0, new byte[1], (offset, failure) -> next.complete(offset));
        assertThat(get(next)).isEqualTo(1);
    }

    @Test
    void theWriterLivesOnWhenACallbackFailsWithAnError() {
        RocksDbShardLog log = new RocksDbShardLog(database, InstantSource.system());
        log.append(0, new byte[1], (offset, failure) -> {
            throw new AssertionError("a mistake of the caller's");
        });
        CompletableFuture<Long> next = new CompletableFuture<>();
        log.append(0, new byte[1], (offset, failure) -> next.complete(offset));
        assertThat(get(next)).isEqualTo(1);
        assertThat(database.problem()).isNull();
    }

    private static boolean append(RocksDbAppTopics apps, Message message, CompletableFuture<Long> appended) {
        Recipient recipient =
                new Recipient("app", 1, QoS.AT_LEAST_ONCE, false, List.of(), null, ClientKind.APPLICATION);
        return apps.append(APP, message, recipient, null, (position, failure) -> appended.complete(position));
    }

    private static List<Long> appendMany(RocksDbShardLog log) {
        List<Long> acknowledged = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 100; i++) {
            assertThat(log.append(0, new byte[10], (offset, failure) -> acknowledged.add(offset)))
                    .isTrue();
        }
        return acknowledged;
    }
}
