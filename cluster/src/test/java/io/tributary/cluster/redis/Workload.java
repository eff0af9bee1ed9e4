package io.tributary.cluster.redis;

import static io.tributary.persistence.contract.SavePoints.emptySave;
import static io.tributary.persistence.contract.SavePoints.message;
import static io.tributary.persistence.contract.SavePoints.queued;
import static io.tributary.persistence.contract.SavePoints.session;
import static io.tributary.persistence.contract.SavePoints.will;
import static io.tributary.persistence.contract.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.StoredSession;
import io.tributary.common.mqtt.QoS;
import io.tributary.persistence.contract.Waiting;
import io.tributary.persistence.shard.FencedException;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.SavePoint.SequenceKey;
import io.tributary.persistence.shard.SavePoint.SequencedEntry;
import io.tributary.persistence.shard.SavePoint.WillKey;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Claim;
import io.tributary.persistence.shard.ShardStore.Claimant;
import io.tributary.persistence.shard.ShardStore.Entry;
import io.tributary.persistence.shard.ShardStore.QueuePage;
import io.tributary.persistence.shard.ShardStore.SessionPage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * What an owner does to a shard while Redis is in trouble: save points one after the other, each tried again until it
 * is stored or refused. After save point n, three clients' stored sessions say n, and their queues end with n and begin
 * with n - 9; the messages of all three are equal.
 */
final class Workload {
    private static final long OWNER = 3;
    private static final int KEPT = 10;
    static final List<String> CLIENTS = List.of("a", "b", "c");

    private final ShardStore store;
    private final int shard;

    Workload(ShardStore store, int shard) {
        this.store = store;
        this.shard = shard;
    }

    Claim claim() {
        return retried(() -> store.claim(shard, new Claimant(OWNER)));
    }

    /** Makes the save points from one number up to another. */
    void save(long from, long to) {
        for (long number = from; number <= to; number++) {
            SavePoint savePoint = savePoint(number);
            retried(() -> store.save(shard, savePoint));
        }
    }

    /**
     * Makes save points from one number on, until it is told that they are enough.
     *
     * @return the number of the last one
     */
    long saveUntil(BooleanSupplier enough, long from) {
        long number = from;
        save(number, number);
        while (!enough.getAsBoolean()) {
            number++;
            save(number, number);
        }
        return number;
    }

    /** Checks that the state is that after save point n, wholly. */
    void check(long number) {
        assertThat(claim().applied()).isEqualTo(number);
        SessionPage page = retried(() -> store.readSessions(shard, null));
        assertThat(page.sessions()).extracting(StoredSession::clientId).containsExactlyInAnyOrderElementsOf(CLIENTS);
        assertThat(page.sessions()).extracting(StoredSession::session).containsOnly(number);
        for (String client : CLIENTS) {
            QueuePage queue = retried(() -> store.readQueue(shard, client, 0, 100, 1 << 20));
            assertThat(queue.applied()).isEqualTo(number);
            assertThat(queue.entries())
                    .extracting(Entry::sequence)
                    .hasSize(KEPT)
                    .startsWith(number - KEPT + 1);
            assertThat(queue.entries())
                    .allSatisfy(entry -> assertThat(entry.entry()).isEqualTo(queued(entry.sequence())));
        }
    }

    /** Calls again after a failure that may pass, as owners do; not after a refusal. */
    static <T extends @Nullable Object> T retried(Supplier<CompletionStage<T>> call) {
        List<T> result = new ArrayList<>();
        Awaitility.await()
                .atMost(Waiting.LIMIT)
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .ignoreException(RedisStoreException.class)
                .until(() -> {
                    result.add(once(call.get()));
                    return true;
                });
        return result.getLast();
    }

    private static <T extends @Nullable Object> T once(CompletionStage<T> stage)
            throws InterruptedException, TimeoutException {
        try {
            return stage.toCompletableFuture().get(Waiting.LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RedisStoreException failure) {
                throw failure;
            }
            if (e.getCause() instanceof FencedException fenced) {
                throw fenced;
            }
            throw new AssertionError(e);
        }
    }

    SavePoint savePoint(long number) {
        return emptySave(OWNER, number - 1, number)
                .sessions(
                        CLIENTS.stream().map(client -> session(client, number)).toList())
                .queued(CLIENTS.stream()
                        .map(client -> new SequencedEntry(client, number, queued(number)))
                        .toList())
                .removed(CLIENTS.stream()
                        .filter(_ -> number >= KEPT)
                        .map(client -> new SequenceKey(client, number - KEPT))
                        .toList())
                .build();
    }

    /** Calls every command that the scripts have, if messages lie apart from the queues. */
    static void useEverything(ShardStore store, int shard) {
        get(store.claim(shard, new Claimant(OWNER)));
        get(store.save(
                shard,
                emptySave(OWNER, -1, 1)
                        .sessions(List.of(session("a", 1)))
                        .queued(List.of(
                                new SequencedEntry("a", 1, queued(1)),
                                new SequencedEntry(
                                        "a",
                                        2,
                                        new Queued(
                                                message(2).withExpiry(1L << 45),
                                                QoS.AT_LEAST_ONCE,
                                                false,
                                                List.of(),
                                                null)),
                                new SequencedEntry("b", 1, queued(1))))
                        .wills(List.of(will("a", 1)))
                        .build()));
        assertThat(get(store.readQueue(shard, "a", 0, 10, 1000)).entries()).hasSize(2);
        get(store.save(
                shard,
                emptySave(OWNER, 1, 2)
                        .cleared(List.of("a"))
                        .removed(List.of(new SequenceKey("b", 1)))
                        .willsRemoved(List.of(new WillKey("a", 1)))
                        .queued(List.of(new SequencedEntry("a", 1, queued(1))))
                        .build()));
        get(store.save(shard, emptySave(OWNER, 2, 3).build()));
        assertThat(get(store.readSessions(shard, null)).sessions()).isEmpty();
        assertThat(get(store.readQueue(shard, "a", 0, 10, 1000)).entries()).hasSize(1);
    }
}
