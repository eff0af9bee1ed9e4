package io.tributary.cluster.redis;

import static io.tributary.persistence.contract.SavePoints.emptySave;
import static io.tributary.persistence.contract.Waiting.assertFails;
import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import io.tributary.cluster.redis.RedisRecorder.Failure;
import io.tributary.localcluster.LocalRedis;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.SavePoint.SequenceKey;
import io.tributary.persistence.shard.ShardStore.QueuePage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What becomes of save points when a slot moves from one primary to another. */
class RedisSlotMovesTest extends ShardOnRedis {
    @Test
    void savePointsGoOnWhenTheSlotMoves() {
        start(LocalRedis.in(folder));
        owner.save(0, 50);
        AtomicBoolean hasMoved = new AtomicBoolean();
        CompletableFuture<Long> saving = CompletableFuture.supplyAsync(() -> owner.saveUntil(hasMoved::get, 51));
        until(() -> recorder.calls() > 200);
        moveSlot(SlotHash.getSlot(SlotTags.of(SHARDS).get(SHARD)), PRIMARY, 3);
        hasMoved.set(true);
        long last = get(saving);
        owner.save(last + 1, last + 50);
        owner.check(last + 50);
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
