package io.tributary.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.persistence.shard.FencedException;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Claimant;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WatchedStoreTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Answering answering = new Answering();
    private long nowNanos = 9;
    private final WatchedStore store = new WatchedStore(answering, () -> nowNanos);

    @Test
    void saysForHowManyShardsAndSinceWhenAStoreDoesNotWork() {
        assertThat(store.trouble()).isNull();
        answering.failure = new IllegalStateException("no connection");
        store.claim(3, new Claimant(1));
        pass(SECOND);
        store.claim(3, new Claimant(1));
        answering.failure = new IllegalStateException("timed out");
        store.claim(4, new Claimant(1));

        assertThat(store.trouble()).isEqualTo(new StoreTrouble(2, SECOND, "timed out"));
    }

    @Test
    void allIsWellWhenTheCallThatFailedWorks() {
        answering.failure = new IllegalStateException("no connection");
        store.claim(3, new Claimant(1));
        store.readSessions(4, null);
        answering.failure = null;
        store.claim(3, new Claimant(1));
        store.claim(4, new Claimant(1)); // says nothing about reading

        assertThat(store.trouble()).isEqualTo(new StoreTrouble(1, Duration.ZERO, "no connection"));
        store.readSessions(4, null);
        assertThat(store.trouble()).isNull();
    }

    @Test
    void aShardThatIsNotTriedAnyMoreIsForgotten() {
        answering.failure = new IllegalStateException("no connection");
        store.claim(3, new Claimant(1));
        pass(Duration.ofSeconds(29));
        assertThat(store.trouble()).isNotNull();
        pass(SECOND);
        assertThat(store.trouble()).isNull();

        store.claim(3, new Claimant(1));
        assertThat(store.trouble()).isEqualTo(new StoreTrouble(1, Duration.ZERO, "no connection"));
    }

    @Test
    void aNewerOwnerIsNoTrouble() {
        answering.failure = new FencedException("shard 3: owner 9 has claimed it");
        store.claim(3, new Claimant(1));

        assertThat(store.trouble()).isNull();
    }

    private void pass(Duration time) {
        nowNanos += time.toNanos();
    }

    /** Fails every call, or none. */
    private static final class Answering implements ShardStore {
        @Nullable
        RuntimeException failure;

        @Override
        public CompletionStage<Claim> claim(int shard, Claimant owner) {
            return answer(new Claim(NOTHING_APPLIED, -1, List.of()));
        }

        @Override
        public CompletionStage<SessionPage> readSessions(int shard, @Nullable String cursor) {
            return answer(new SessionPage(List.of(), List.of(), null));
        }

        @Override
        public CompletionStage<QueuePage> readQueue(
                int shard, String clientId, long fromSequence, int maxEntries, int maxBytes, Priorities priorities) {
            return answer(new QueuePage(List.of(), false, 0));
        }

        @Override
        public CompletionStage<ExpiredPage> readExpired(
                int shard, String clientId, long fromSequence, long nowMillis, int maxEntries) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Long> applied(int shard) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<@Nullable Void> save(int shard, SavePoint savePoint) {
            return answer(null);
        }

        @Override
        public void close() {}

        private <T extends @Nullable Object> CompletionStage<T> answer(T answer) {
            return failure == null ? CompletableFuture.completedStage(answer) : CompletableFuture.failedStage(failure);
        }
    }
}
