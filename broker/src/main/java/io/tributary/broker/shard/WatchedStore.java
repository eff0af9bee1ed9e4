package io.tributary.broker.shard;

import io.tributary.common.thread.StageFailure;
import io.tributary.persistence.shard.FencedException;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.ShardStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store that notices for which shards it does not work, and says so once for all of them: at the beginning, once a
 * minute, and at the end. Being fenced is no failure. Any thread.
 */
final class WatchedStore implements ShardStore {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedStore.class);
    /**
     * Owners try again each second, and a call takes some: where none has failed for so long, the shard has another
     * owner.
     */
    private static final long FORGET_NANOS = Duration.ofSeconds(30).toNanos();

    private static final long REPEAT_NANOS = Duration.ofMinutes(1).toNanos();

    private enum Call {
        CLAIM,
        READ_SESSIONS,
        READ_QUEUE,
        SAVE
    }

    private record Failure(Call call, long nanoTime) {}

    private final ShardStore store;
    private final LongSupplier nanoTime;
    private volatile boolean troubled;

    // Guarded by this.
    private final Map<Integer, Failure> failing = new HashMap<>();
    private String newest = "";
    private long sinceNanos;
    private long saidNanos;

    WatchedStore(ShardStore store, LongSupplier nanoTime) {
        this.store = store;
        this.nanoTime = nanoTime;
    }

    /** What does not work at the moment, or null. */
    synchronized @Nullable StoreTrouble trouble() {
        forget();
        Duration duration = Duration.ofNanos(nanoTime.getAsLong() - sinceNanos);
        return failing.isEmpty() ? null : new StoreTrouble(failing.size(), duration, newest);
    }

    @Override
    public CompletionStage<Claim> claim(int shard, Claimant owner) {
        return watched(shard, Call.CLAIM, store.claim(shard, owner));
    }

    @Override
    public CompletionStage<SessionPage> readSessions(int shard, @Nullable String cursor) {
        return watched(shard, Call.READ_SESSIONS, store.readSessions(shard, cursor));
    }

    @Override
    public CompletionStage<QueuePage> readQueue(
            int shard, String clientId, long fromSequence, int maxEntries, int maxBytes, Priorities priorities) {
        return watched(
                shard,
                Call.READ_QUEUE,
                store.readQueue(shard, clientId, fromSequence, maxEntries, maxBytes, priorities));
    }

    @Override
    public CompletionStage<ExpiredPage> readExpired(
            int shard, String clientId, long fromSequence, long nowMillis, int maxEntries) {
        return watched(shard, Call.READ_QUEUE, store.readExpired(shard, clientId, fromSequence, nowMillis, maxEntries));
    }

    @Override
    public CompletionStage<@Nullable Void> save(int shard, SavePoint savePoint) {
        return watched(shard, Call.SAVE, store.save(shard, savePoint));
    }

    @Override
    public CompletionStage<Long> applied(int shard) {
        return store.applied(shard);
    }

    @Override
    public void close() {
        store.close();
    }

    private <T extends @Nullable Object> CompletionStage<T> watched(int shard, Call call, CompletionStage<T> stage) {
        CompletionStage<T> _ = stage.whenComplete((_, failure) -> {
            if (failure != null && FencedException.of(failure) == null) {
                failed(shard, call, words(failure));
            } else if (troubled) {
                worked(shard, call);
            }
        });
        return stage;
    }

    private static String words(Throwable failure) {
        return String.valueOf(StageFailure.cause(failure).getMessage());
    }

    private synchronized void failed(int shard, Call call, String failure) {
        forget();
        long now = nanoTime.getAsLong();
        boolean begins = failing.isEmpty();
        failing.put(shard, new Failure(call, now));
        newest = failure;
        troubled = true;
        if (begins) {
            sinceNanos = now;
        }
        if (begins || now - saidNanos >= REPEAT_NANOS) {
            saidNanos = now;
            LOG.warn(
                    "the store of the shards' state does not work for {} shards of this node, for {} s; tried again each"
                            + " second, and nothing is lost: {}",
                    failing.size(),
                    Duration.ofNanos(now - sinceNanos).toSeconds(),
                    failure);
        }
    }

    /** A save point that is stored says that all is well; other calls, that this one works. */
    private synchronized void worked(int shard, Call call) {
        Failure failure = failing.get(shard);
        if (failure != null && (call == Call.SAVE || call == failure.call)) {
            failing.remove(shard);
        }
        forget();
    }

    private void forget() {
        long now = nanoTime.getAsLong();
        failing.values().removeIf(failure -> now - failure.nanoTime >= FORGET_NANOS);
        if (troubled && failing.isEmpty()) {
            troubled = false;
            LOG.info(
                    "the store of the shards' state works again, after {} s",
                    Duration.ofNanos(now - sinceNanos).toSeconds());
        }
    }
}
