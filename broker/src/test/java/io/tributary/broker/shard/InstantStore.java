package io.tributary.broker.shard;

import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.ShardStore;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A store that remembers only where each shard stands; for owners that never read a queue from it. Thread-safe. */
public final class InstantStore implements ShardStore {
    private final long[] applied;

    public InstantStore(int shards) {
        applied = new long[shards];
        Arrays.fill(applied, NOTHING_APPLIED);
    }

    @Override
    public synchronized CompletionStage<Claim> claim(int shard, Claimant owner) {
        return CompletableFuture.completedStage(new Claim(applied[shard], -1, List.of()));
    }

    @Override
    public CompletionStage<SessionPage> readSessions(int shard, @Nullable String cursor) {
        return CompletableFuture.completedStage(new SessionPage(List.of(), List.of(), null));
    }

    @Override
    public synchronized CompletionStage<QueuePage> readQueue(
            int shard, String clientId, long fromSequence, int maxEntries, int maxBytes, Priorities priorities) {
        return CompletableFuture.completedStage(new QueuePage(List.of(), false, applied[shard]));
    }

    @Override
    public synchronized CompletionStage<ExpiredPage> readExpired(
            int shard, String clientId, long fromSequence, long nowMillis, int maxEntries) {
        return CompletableFuture.completedStage(new ExpiredPage(List.of(), -1, false, applied[shard]));
    }

    @Override
    public synchronized CompletionStage<Long> applied(int shard) {
        return CompletableFuture.completedStage(applied[shard]);
    }

    @Override
    public synchronized CompletionStage<@Nullable Void> save(int shard, SavePoint savePoint) {
        applied[shard] = savePoint.applied();
        return CompletableFuture.completedStage(null);
    }

    @Override
    public void close() {}
}
