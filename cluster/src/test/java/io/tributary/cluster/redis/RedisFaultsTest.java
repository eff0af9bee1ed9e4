package io.tributary.cluster.redis;

import static io.tributary.persistence.contract.SavePoints.emptySave;
import static io.tributary.persistence.contract.SavePoints.session;
import static io.tributary.persistence.contract.Waiting.assertFails;
import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.resource.Delay;
import io.tributary.cluster.redis.RedisRecorder.Failure;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.StoredSession;
import io.tributary.localcluster.LocalRedis;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.SavePoint.SequenceKey;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.QueuePage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of save points when Redis is killed, goes back in time, fails over, stands still or moves slots. */
class RedisFaultsTest {
    private static final int SHARDS = 4;
    private static final int SHARD = 1;
    private static final int OTHER_SHARD = 0;
    /** The server that has the shard's slot at first. */
    private static final int PRIMARY = 2;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private LocalRedis redis;

    @SuppressWarnings("NullAway.Init")
    private RedisCluster cluster;

    private final CountingRecorder recorder = new CountingRecorder();

    @SuppressWarnings("NullAway.Init")
    private ShardStore store;

    @SuppressWarnings("NullAway.Init")
    private Workload owner;

    private void start(LocalRedis.Builder builder) {
        redis = builder.start();
        cluster = RedisCluster.connect(
                TestRedis.config(redis).withInlineBytes(0).withCommandTimeout(Duration.ofSeconds(2)));
        store = new RedisShardStore(cluster, SHARDS, RecordFormat.alone(), recorder);
        owner = new Workload(store, SHARD);
        owner.claim();
    }

    @AfterEach
    void stop() {
        store.close();
        cluster.close();
        redis.close();
    }

    @Test
    void savePointsAreWholeWhenThePrimaryIsKilledAndComesBack() {
        start(LocalRedis.in(folder).appendOnly(true));
        owner.save(0, 50);
        CompletableFuture<Void> saving = CompletableFuture.runAsync(() -> owner.save(51, 1000));
        until(() -> recorder.calls() > 300);
        redis.kill(PRIMARY);
        until(() -> !recorder.failures().isEmpty());
        redis.restart(PRIMARY);
        get(saving);
        owner.check(1000);
        assertThat(recorder.failures()).doesNotContain(Failure.FENCED, Failure.OTHER);
        assertThat(redis.call(PRIMARY, "KEYS", "*:msg:*").lines())
                .as("no more than queues have")
                .hasSize(10);
    }

    @Test
    void connectionsAreTriedOftenHoweverLongTheyAreBroken() {
        start(LocalRedis.in(folder));
        Delay delay = cluster.connection().getResources().reconnectDelay();
        assertThat(delay.createDelay(1)).isPositive();
        assertThat(delay.createDelay(1000)).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void nextSavePointIsRefusedWhenThePrimaryComesBackWithAnOldSnapshot() {
        start(LocalRedis.in(folder));
        owner.save(0, 50);
        Path snapshot = redis.snapshot(PRIMARY);
        owner.save(51, 60);
        redis.kill(PRIMARY);
        redis.restartWith(PRIMARY, snapshot);
        assertThatThrownBy(() -> owner.save(61, 61))
                .hasStackTraceContaining(
                        "FencedException: shard 1: the state is at offset 50, and the save point expects 60");
        owner.check(50);
        owner.save(51, 61); // brings some of the messages again that Redis had once
        owner.check(61);
        assertThat(redis.call(PRIMARY, "KEYS", "*:msg:*").lines()).hasSize(10);
    }

    @Test
    void nextSavePointIsRefusedWhenThePrimaryComesBackEmpty() {
        start(LocalRedis.in(folder));
        owner.save(0, 20);
        redis.kill(PRIMARY);
        redis.restartEmpty(PRIMARY);
        assertThatThrownBy(() -> owner.save(21, 21))
                .hasStackTraceContaining(
                        "FencedException: shard 1: the state is at offset -1, and the save point expects 20");
        assertThat(owner.claim().applied()).isEqualTo(ShardStore.NOTHING_APPLIED);
    }

    @Tag("long")
    @Test
    void replicaGoesOnWhenThePrimaryIsKilled() {
        start(LocalRedis.in(folder).replicas(1));
        owner.save(0, 50);
        List<StoredSession> sessions =
                IntStream.range(0, 5000).mapToObj(i -> session("c" + i, i)).toList();
        Workload.retried(
                () -> store.save(0, emptySave(1, -1, 1).sessions(sessions).build()));
        String cursor = Workload.retried(() -> store.readSessions(0, null)).cursor();
        owner.save(51, 60);
        until(() -> hasReplicaAll(1) && hasReplicaAll(PRIMARY));
        redis.kill(PRIMARY);
        owner.save(61, 100);
        owner.check(100);
        redis.kill(1);
        assertThatThrownBy(() -> Workload.retried(() -> store.readSessions(0, cursor)))
                .hasStackTraceContaining("RESTART");
        assertThat(Workload.retried(() -> store.readSessions(0, null)).sessions())
                .isNotEmpty();
    }

    @Test
    void callsEndInTimeWhenThePrimaryStandsStill() {
        start(LocalRedis.in(folder));
        owner.save(0, 20);
        redis.pause(PRIMARY);
        assertFails(store.save(SHARD, owner.savePoint(21)), RedisStoreException.class);
        assertThat(recorder.failures()).containsOnly(Failure.TIMEOUT);
        redis.resume(PRIMARY);
        owner.save(21, 40); // the first of them may have been applied though it failed
        owner.check(40);
    }

    @Test
    void queuesOfOtherShardsAreReadWhileThePrimaryStandsStill() {
        start(LocalRedis.in(folder));
        assertThat(primaryOf(SHARD)).isNotEqualTo(primaryOf(OTHER_SHARD));
        get(store.readQueue(OTHER_SHARD, "a", 0, 100, 1 << 20));
        redis.pause(PRIMARY);
        List<CompletableFuture<QueuePage>> silent = IntStream.range(0, 300)
                .mapToObj(_ -> store.readQueue(SHARD, "a", 0, 100, 1 << 20).toCompletableFuture())
                .toList();
        get(store.readQueue(OTHER_SHARD, "a", 0, 100, 1 << 20));
        assertThat(silent).noneMatch(CompletableFuture::isDone);
        redis.resume(PRIMARY);
    }

    private String primaryOf(int shard) {
        int slot = SlotHash.getSlot(SlotTags.of(SHARDS).get(shard));
        return cluster.connection().getPartitions().getPartitionBySlot(slot).getNodeId();
    }

    @Test
    void savePointsGoOnWhenTheSlotMoves() {
        start(LocalRedis.in(folder));
        owner.save(0, 50);
        CompletableFuture<Void> saving = CompletableFuture.runAsync(() -> owner.save(51, 1000));
        until(() -> recorder.calls() > 200);
        moveSlot(SlotHash.getSlot(SlotTags.of(SHARDS).get(SHARD)), PRIMARY, 3);
        get(saving);
        owner.check(1000);
        assertThat(recorder.failures()).doesNotContain(Failure.FENCED, Failure.OTHER);
        assertThat(redis.call(3, "KEYS", "*")).contains("queue:a");
        assertThat(redis.call(3, "KEYS", "*:msg:*").lines())
                .as("no more than queues have")
                .hasSize(10);
    }

    /** None of its references is counted off, and its queue stays what it is. */
    @Test
    void nothingIsWrittenWhileAMessageIsOnAnotherNode() {
        start(LocalRedis.in(folder));
        owner.save(0, 20);
        String slot = Integer.toString(SlotHash.getSlot(SlotTags.of(SHARDS).get(SHARD)));
        openSlot(slot, PRIMARY, 3);
        String prefix = "tributary:{" + SlotTags.of(SHARDS).get(SHARD) + "}:";
        String queue = redis.call(PRIMARY, "DUMP", prefix + "queue:a");
        List<String> messages =
                redis.call(PRIMARY, "KEYS", prefix + "msg:*").lines().toList();
        assertThat(messages).hasSize(10);
        migrate(messages, PRIMARY, 3);
        SavePoint freeing = freeing();
        assertFails(store.save(SHARD, freeing), RedisStoreException.class);
        assertFails(store.readQueue(SHARD, "a", 0, 100, 1 << 20), RedisStoreException.class);
        assertThat(recorder.failures()).containsOnly(Failure.UNAVAILABLE);
        assertThat(redis.call(PRIMARY, "DUMP", prefix + "queue:a")).isEqualTo(queue);
        assertThat(redis.call(PRIMARY, "HGET", prefix + "shard", "applied").strip())
                .isEqualTo("20");
        moveRest(slot, PRIMARY, 3);
        Workload.retried(() -> store.save(SHARD, freeing));
        assertThat(redis.call(3, "KEYS", prefix + "msg:*").lines()).hasSize(9);
        assertThat(Workload.retried(() -> store.readQueue(SHARD, "a", 0, 100, 1 << 20))
                        .entries())
                .hasSize(9);
    }

    /** Where a slot arrives, Redis says of a key that has not come yet that it is not there. */
    @Test
    void messageThatHasNotComeYetIsNotTakenForLost() {
        start(LocalRedis.in(folder));
        owner.save(0, 20);
        String slot = Integer.toString(SlotHash.getSlot(SlotTags.of(SHARDS).get(SHARD)));
        String prefix = "tributary:{" + SlotTags.of(SHARDS).get(SHARD) + "}:";
        List<String> first = redis.call(PRIMARY, "KEYS", prefix + "*")
                .lines()
                .filter(key -> !key.contains(":msg:"))
                .toList();
        openSlot(slot, PRIMARY, 3);
        migrate(first, PRIMARY, 3);
        SavePoint freeing = freeing();
        assertFails(store.readQueue(SHARD, "a", 0, 100, 1 << 20), RedisStoreException.class);
        assertFails(store.save(SHARD, freeing), RedisStoreException.class);
        assertThat(recorder.failures()).containsOnly(Failure.UNAVAILABLE);
        moveRest(slot, PRIMARY, 3);
        Workload.retried(() -> store.save(SHARD, freeing));
        assertThat(redis.call(3, "KEYS", prefix + "msg:*").lines()).hasSize(9);
        QueuePage page = Workload.retried(() -> store.readQueue(SHARD, "a", 0, 100, 1 << 20));
        assertThat(page.entries()).hasSize(9);
        assertThat(page.remnants()).isEmpty();
    }

    /** Frees one message, which all queues have. */
    private static SavePoint freeing() {
        return emptySave(3, 20, 21)
                .removed(Workload.CLIENTS.stream()
                        .map(client -> new SequenceKey(client, 11))
                        .toList())
                .build();
    }

    private boolean hasReplicaAll(int primary) {
        RedisInfo info = RedisInfo.parse(redis.call(primary, "INFO", "replication"));
        return info.get("slave0").contains("offset=" + info.get("master_repl_offset") + ",");
    }

    private void moveSlot(int number, int from, int to) {
        String slot = Integer.toString(number);
        openSlot(slot, from, to);
        moveRest(slot, from, to);
    }

    private void openSlot(String slot, int from, int to) {
        String source = redis.call(from, "CLUSTER", "MYID").strip();
        String target = redis.call(to, "CLUSTER", "MYID").strip();
        redis.call(to, "CLUSTER", "SETSLOT", slot, "IMPORTING", source);
        redis.call(from, "CLUSTER", "SETSLOT", slot, "MIGRATING", target);
    }

    private void moveRest(String slot, int from, int to) {
        String target = redis.call(to, "CLUSTER", "MYID").strip();
        List<String> keys;
        do {
            keys = redis.call(from, "CLUSTER", "GETKEYSINSLOT", slot, "1")
                    .lines()
                    .filter(line -> !line.isBlank())
                    .toList();
            if (!keys.isEmpty()) {
                migrate(keys, from, to);
            }
        } while (!keys.isEmpty());
        redis.call(to, "CLUSTER", "SETSLOT", slot, "NODE", target);
        redis.call(from, "CLUSTER", "SETSLOT", slot, "NODE", target);
    }

    private void migrate(List<String> keys, int from, int to) {
        List<String> migrate = new ArrayList<>(
                List.of("MIGRATE", "127.0.0.1", Integer.toString(redis.port(to)), "", "0", "5000", "KEYS"));
        migrate.addAll(keys);
        redis.call(from, migrate.toArray(String[]::new));
    }
}
