package io.tributary.broker.shard;

import io.tributary.common.event.EventCodec;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.shard.AppendCallback;
import io.tributary.persistence.shard.ShardLog;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Appends events to the logs of shards. Any thread; never blocks. Appends are always accepted: what the log has no room for
 * waits here in order, and {@link #isCongested} asks everybody to bring no more. Thread-safe.
 */
final class LogAppender {
    private final ShardLog log;
    private final long maxAgeMillis;
    private final LongSupplier clockMillis;
    private final Queue<Waiting> waiting = new ArrayDeque<>(); // guarded by itself
    private final List<Runnable> onRoom = new ArrayList<>(); // guarded by waiting
    private volatile boolean congested;

    @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
    private record Waiting(int shard, byte[] value, AppendCallback callback) {}

    /** Creates one whose messages wait in queues as long as their publishers wish. */
    LogAppender(ShardLog log) {
        this(log, Duration.ZERO, () -> 0);
    }

    /**
     * Creates one.
     *
     * @param maxAge how long a message may wait in a queue before it expires; zero for as long as its publisher wishes
     */
    LogAppender(ShardLog log, Duration maxAge, LongSupplier clockMillis) {
        this.log = log;
        this.clockMillis = clockMillis;
        maxAgeMillis = maxAge.toMillis();
    }

    /** The shard of a client identifier: a fixed function of the identifier and the number of shards. */
    int shardOf(String clientId) {
        int hash = clientId.hashCode() * 0x9E3779B9;
        return Integer.remainderUnsigned(hash ^ (hash >>> 16), log.shardCount());
    }

    void append(int shard, ShardEvent event, AppendCallback callback) {
        byte[] value = EventCodec.encode(event);
        if (!congested && log.append(shard, value, callback)) {
            return;
        }
        synchronized (waiting) {
            if (waiting.isEmpty() && log.append(shard, value, callback)) {
                return;
            }
            waiting.add(new Waiting(shard, value, callback));
            if (!congested) {
                congested = true;
                log.onRoom(this::appendWaiting);
            }
        }
    }

    /**
     * Appends a message for the recipients, in as many records as their shards and {@link ShardEvent#MAX_RECIPIENTS} need.
     *
     * @param source the source of the next record for a shard
     * @param callback called once, when all are durable or one failed
     */
    void publish(
            Message published,
            List<Recipient> recipients,
            IntFunction<@Nullable Source> source,
            AppendCallback callback) {
        Message message = expiring(published);
        if (recipients.size() == 1) {
            int shard = shardOf(recipients.getFirst().clientId());
            append(shard, new ShardEvent.Publish(message, recipients, source.apply(shard)), callback);
            return;
        }
        Map<Integer, List<Recipient>> byShard = new TreeMap<>();
        for (Recipient recipient : recipients) {
            byShard.computeIfAbsent(shardOf(recipient.clientId()), _ -> new ArrayList<>())
                    .add(recipient);
        }
        int records = 0;
        for (List<Recipient> ofShard : byShard.values()) {
            records += (ofShard.size() + ShardEvent.MAX_RECIPIENTS - 1) / ShardEvent.MAX_RECIPIENTS;
        }
        AppendCallback all = countingDown(records, callback);
        byShard.forEach((shard, ofShard) -> {
            for (int from = 0; from < ofShard.size(); from += ShardEvent.MAX_RECIPIENTS) {
                int to = Math.min(ofShard.size(), from + ShardEvent.MAX_RECIPIENTS);
                append(shard, new ShardEvent.Publish(message, ofShard.subList(from, to), source.apply(shard)), all);
            }
        });
    }

    private Message expiring(Message message) {
        if (maxAgeMillis == 0) {
            return message;
        }
        long latest = clockMillis.getAsLong() + maxAgeMillis;
        return message.expiresAtMillis() <= latest ? message : message.withExpiry(latest);
    }

    boolean isCongested() {
        return congested;
    }

    /** Runs the action once when there is room, perhaps at once. */
    void onRoom(Runnable action) {
        synchronized (waiting) {
            if (congested) {
                onRoom.add(action);
                return;
            }
        }
        action.run();
    }

    private void appendWaiting() {
        List<Runnable> actions;
        synchronized (waiting) {
            for (Waiting next = waiting.peek(); next != null; next = waiting.peek()) {
                if (!log.append(next.shard, next.value, next.callback)) {
                    log.onRoom(this::appendWaiting);
                    return;
                }
                waiting.remove();
            }
            congested = false;
            actions = List.copyOf(onRoom);
            onRoom.clear();
        }
        actions.forEach(Runnable::run);
    }

    private static AppendCallback countingDown(int count, AppendCallback callback) {
        AtomicInteger left = new AtomicInteger(count);
        AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
        return (offset, failure) -> {
            if (failure != null) {
                failed.set(failure);
            }
            if (left.decrementAndGet() == 0) {
                callback.onAppended(failed.get() == null ? offset : -1, failed.get());
            }
        };
    }
}
