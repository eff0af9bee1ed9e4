package io.tributary.broker.shard;

import io.tributary.common.event.QueueEntry;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.ShardStore;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A store of one shard that answers when the test says so: a request takes effect and is answered at two moments. */
final class HeldStore implements ShardStore {
    final SimStore.Shard content = new SimStore.Shard();
    /** The most sessions that a save point has cleared. */
    int mostCleared;
    /** From which sequence number on queues were read. */
    final List<Long> queueReads = new ArrayList<>();

    /** How many entries were asked for, each time. */
    final List<Integer> queueReadSizes = new ArrayList<>();

    /** Where it was looked for what has expired: client, from which sequence number on, at how many at most. */
    final List<String> expiredReads = new ArrayList<>();

    /** Sequence numbers, of any client, whose messages are lost. */
    final Set<Long> lost = new HashSet<>();

    /** How many times the first page of sessions was read. */
    int sessionReads;

    private final Queue<Held<?>> arriving = new ArrayDeque<>();
    private final Queue<Runnable> answers = new ArrayDeque<>();

    private record Held<T extends @Nullable Object>(Supplier<T> request, CompletableFuture<T> answer) {}

    /** How many requests have not taken effect. */
    int waiting() {
        return arriving.size();
    }

    /** Lets the oldest request take effect; its answer is held. */
    void arrive() {
        arrive(arriving.remove());
    }

    private <T extends @Nullable Object> void arrive(Held<T> held) {
        T answer = held.request.get();
        answers.add(() -> held.answer.complete(answer));
    }

    /** Gives the oldest answer. */
    void answer() {
        answers.remove().run();
    }

    /** Lets everything take effect and answers it, also what is asked for thereupon. */
    void answerAll() {
        while (!arriving.isEmpty() || !answers.isEmpty()) {
            if (answers.isEmpty()) {
                arrive();
            }
            answer();
        }
    }

    /** Lets the oldest request fail. */
    void fail(Throwable failure) {
        arriving.remove().answer.completeExceptionally(failure);
    }

    void fail() {
        fail(new IOException("no answer"));
    }

    @Override
    public CompletionStage<Claim> claim(int shard, Claimant owner) {
        return hold(() -> content.claim(owner));
    }

    @Override
    public CompletionStage<SessionPage> readSessions(int shard, @Nullable String cursor) {
        sessionReads++;
        return hold(() ->
                new SessionPage(List.copyOf(content.sessions.values()), List.copyOf(content.wills.values()), null));
    }

    @Override
    public CompletionStage<QueuePage> readQueue(
            int shard, String clientId, long fromSequence, int maxEntries, int maxBytes, Priorities priorities) {
        queueReads.add(fromSequence);
        queueReadSizes.add(maxEntries);
        return hold(() -> {
            NavigableMap<Long, QueueEntry> queue = content.queues.getOrDefault(clientId, new TreeMap<>());
            List<Entry> page = new ArrayList<>();
            List<Remnant> remnants = new ArrayList<>();
            long upTo = -1;
            for (Map.Entry<Long, QueueEntry> entry :
                    queue.tailMap(fromSequence, true).entrySet()) {
                if (page.size() + remnants.size() == maxEntries) {
                    return new QueuePage(page, remnants, upTo, true, content.applied);
                }
                upTo = entry.getKey();
                if (!priorities.has(entry.getValue())) {
                    continue;
                }
                if (lost.contains(entry.getKey()) && entry.getValue() instanceof QueueEntry.Queued queued) {
                    long expiresAt = queued.message().expiresAtMillis();
                    remnants.add(new Remnant(
                            entry.getKey(),
                            queued.sizeBytes(),
                            expiresAt,
                            queued.message().priority()));
                } else {
                    page.add(new Entry(entry.getKey(), entry.getValue()));
                }
            }
            return new QueuePage(page, remnants, upTo, false, content.applied);
        });
    }

    @Override
    public CompletionStage<ExpiredPage> readExpired(
            int shard, String clientId, long fromSequence, long nowMillis, int maxEntries) {
        expiredReads.add(clientId + " " + fromSequence + " " + maxEntries);
        return hold(() -> content.expired(clientId, fromSequence, nowMillis, maxEntries));
    }

    @Override
    public CompletionStage<Long> applied(int shard) {
        return hold(() -> content.applied);
    }

    @Override
    public CompletionStage<@Nullable Void> save(int shard, SavePoint savePoint) {
        return hold(() -> {
            mostCleared = Math.max(mostCleared, savePoint.cleared().size());
            content.apply(savePoint);
            return null;
        });
    }

    @Override
    public void close() {}

    private <T extends @Nullable Object> CompletionStage<T> hold(Supplier<T> request) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        arriving.add(new Held<>(request, answer));
        return answer;
    }
}
