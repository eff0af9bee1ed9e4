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
import io.tributary.common.event.StoredSession;
import io.tributary.localcluster.LocalRedis;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.QueuePage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of save points when Redis is killed, goes back in time, fails over or stands still. */
class RedisFaultsTest extends ShardOnRedis {
    private static final int OTHER_SHARD = 0;

    @Test
    void savePointsAreWholeWhenThePrimaryIsKilledAndComesBack() {
        start(LocalRedis.in(folder).appendOnly(true));
        owner.save(0, 50);
        AtomicBoolean isBack = new AtomicBoolean();
        CompletableFuture<Long> saving = CompletableFuture.supplyAsync(() -> owner.saveUntil(isBack::get, 51));
        until(() -> recorder.calls() > 300);
        redis.kill(PRIMARY);
        until(() -> !recorder.failures().isEmpty());
        redis.restart(PRIMARY);
        isBack.set(true);
        long last = get(saving);
        owner.save(last + 1, last + 50);
        owner.check(last + 50);
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
        start(LocalRedis.in(folder), Duration.ofMinutes(1));
        for (int server = 1; server <= redis.size(); server++) { // else they serve nothing soon, as one of them is gone
            redis.call(server, "CONFIG", "SET", "cluster-node-timeout", "60000");
        }
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

    private boolean hasReplicaAll(int primary) {
        RedisInfo info = RedisInfo.parse(redis.call(primary, "INFO", "replication"));
        return info.get("slave0").contains("offset=" + info.get("master_repl_offset") + ",");
    }
}
