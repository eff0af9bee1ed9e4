package io.tributary.cluster.redis;

import static io.tributary.persistence.contract.Waiting.assertFails;
import static io.tributary.persistence.contract.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.redis.RedisRecorder.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReadLimiterTest {
    private static final long LONG = Duration.ofMinutes(1).toNanos();
    private static final int SHARD = 0;
    private static final int OTHER_SHARD = 1;

    private final List<CompletableFuture<Integer>> begun = new ArrayList<>();
    private final CountingRecorder recorder = new CountingRecorder();

    @Test
    void readsWaitTheirTurnWhenEnoughAreOnTheirWay() {
        ReadLimiter gate = new ReadLimiter(3, LONG, recorder); // of which one is left for other shards
        List<CompletionStage<Integer>> results = read(gate, 4);
        assertThat(begun).hasSize(2);
        begun.get(1).complete(11);
        assertThat(get(results.get(1))).isEqualTo(11);
        assertThat(begun).hasSize(3);
        begun.get(2).completeExceptionally(new IllegalStateException("a failure"));
        assertFails(results.get(2), IllegalStateException.class);
        begun.getFirst().complete(0);
        assertThat(begun).hasSize(4);
        assertThat(recorder.waitingReads()).endsWith(1, 0);
    }

    @Test
    void readsFailWhenTheyWaitTooLong() {
        ReadLimiter gate = new ReadLimiter(1, -1, recorder);
        assertFails(read(gate, 1).getFirst(), RejectedExecutionException.class);
        assertThat(begun).isEmpty();
        assertThat(recorder.failures()).containsExactly(Failure.OVERLOADED);
    }

    @Test
    void readsFailWhenTooManyWait() {
        ReadLimiter gate = new ReadLimiter(1, LONG, recorder);
        List<CompletionStage<Integer>> results = read(gate, 50_002);
        assertThat(results.get(50_000).toCompletableFuture()).isNotDone();
        assertFails(results.get(50_001), RejectedExecutionException.class);
        CompletionStage<Integer> ofAnother = gate.pass(OTHER_SHARD, this::begin);
        assertThat(ofAnother.toCompletableFuture()).isNotDone();
        begun.getFirst().complete(0);
        assertThat(begun).hasSize(2);
    }

    @Test
    void readsOfAShardWhoseServerIsSilentHoldUpNoneOfOthers() {
        ReadLimiter gate = new ReadLimiter(4, LONG, recorder);
        read(gate, 20);
        int ofSilent = begun.size();
        gate.pass(OTHER_SHARD, this::begin);
        assertThat(begun).hasSize(ofSilent + 1);
    }

    @Test
    void shardWhoseReadsFailHasOneOnItsWayUntilOneSucceeds() {
        ReadLimiter gate = new ReadLimiter(7, LONG, recorder);
        read(gate, 20);
        assertThat(begun).hasSize(4);
        for (int i = 0; i < 4; i++) {
            begun.get(i).completeExceptionally(new IllegalStateException("no answer"));
        }
        assertThat(begun).hasSize(5);
        begun.get(4).completeExceptionally(new IllegalStateException("no answer"));
        assertThat(begun).hasSize(6);
        begun.get(5).complete(0);
        assertThat(begun).hasSize(10);
    }

    @Test
    void shardsWhoseReadsFailLeaveHalfToOthers() {
        ReadLimiter gate = new ReadLimiter(4, LONG, recorder);
        for (int shard = 0; shard < 8; shard++) {
            gate.pass(shard, () -> CompletableFuture.failedFuture(new IllegalStateException("no answer")));
            gate.pass(shard, this::begin);
        }
        assertThat(begun).hasSize(2);
        gate.pass(8, this::begin);
        assertThat(begun).hasSize(3);
        begun.getFirst().completeExceptionally(new IllegalStateException("no answer"));
        assertThat(begun).as("another one that failed has its turn").hasSize(4);
    }

    @Test
    void shardsWhoseReadsFailOnceMoreLeaveHalfOnceMore() {
        ReadLimiter gate = new ReadLimiter(4, LONG, recorder);
        for (int round = 0; round < 3; round++) {
            begun.clear();
            for (int shard = 0; shard < 8; shard++) {
                gate.pass(shard, () -> CompletableFuture.failedFuture(new IllegalStateException("no answer")));
                gate.pass(shard, this::begin);
            }
            assertThat(begun).hasSize(2);
            for (int i = 0; i < 8; i++) {
                begun.get(i).complete(i);
            }
        }
    }

    @Test
    void shardsTakeTurns() {
        ReadLimiter gate = new ReadLimiter(1, LONG, recorder);
        List<CompletionStage<Integer>> results = read(gate, 3);
        CompletionStage<Integer> ofAnother = gate.pass(OTHER_SHARD, this::begin);
        begun.get(0).complete(0);
        begun.get(1).complete(1);
        begun.get(2).complete(2);
        assertThat(get(ofAnother)).isBetween(1, 2);
        assertThat(results.get(2).toCompletableFuture()).isNotDone();
    }

    @Test
    void manyReadsEndWhenEachFailsAtOnce() {
        ReadLimiter gate = new ReadLimiter(1, LONG, recorder);
        List<CompletionStage<Integer>> results = new ArrayList<>(read(gate, 1));
        for (int i = 0; i < 50_000; i++) {
            results.add(gate.pass(SHARD, () -> CompletableFuture.failedFuture(new IllegalStateException("at once"))));
        }
        begun.getFirst().complete(0);
        assertThat(results).allMatch(result -> result.toCompletableFuture().isDone());
    }

    @Test
    void readsBeginAfterOneThatCouldNotBegin() {
        ReadLimiter gate = new ReadLimiter(1, LONG, recorder);
        CompletionStage<Integer> failing = gate.pass(SHARD, () -> {
            throw new StackOverflowError("as the test wants");
        });
        assertFails(failing, StackOverflowError.class);
        CompletionStage<Integer> next = read(gate, 1).getFirst();
        assertThat(begun).hasSize(1);
        begun.getFirst().complete(11);
        assertThat(get(next)).isEqualTo(11);
    }

    @Test
    void everyReadEndsWhenManyThreadsReadAtOnce() {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            ReadLimiter gate = new ReadLimiter(3, LONG, RedisRecorder.NONE);
            List<CompletableFuture<CompletionStage<Integer>>> passed = IntStream.range(0, 10_000)
                    .mapToObj(i -> CompletableFuture.supplyAsync(
                            () -> gate.pass(
                                    i % 5,
                                    () -> CompletableFuture.supplyAsync(
                                            () -> {
                                                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                                                running.decrementAndGet();
                                                return i;
                                            },
                                            threads)),
                            threads))
                    .toList();
            for (int i = 0; i < passed.size(); i++) {
                int value = get(passed.get(i).thenCompose(stage -> stage));
                assertThat(value).isEqualTo(i);
            }
        }
        assertThat(most.get()).isBetween(1, 3);
    }

    private List<CompletionStage<Integer>> read(ReadLimiter gate, int count) {
        return IntStream.range(0, count)
                .mapToObj(_ -> gate.pass(SHARD, this::begin))
                .toList();
    }

    private CompletionStage<Integer> begin() {
        CompletableFuture<Integer> read = new CompletableFuture<>();
        begun.add(read);
        return read;
    }
}
