package io.tributary.broker.shard;

import io.tributary.common.event.EventCodec;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.app.AppTopics.AppTopic;
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
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Appends events to the logs of shards, and messages to the topics of applications. Any thread; never blocks. Appends are
 * always accepted: what a log has no room for waits here in order, and {@link #isCongested} asks everybody to bring no more.
 * Thread-safe.
 */
final class LogAppender {
    private final ShardLog log;
    private final AppTopics topics;
    private final long maxAgeMillis;
    private final LongSupplier clockMillis;
    private final Outlet toShards;
    private final Outlet toApplications;
    private final List<Runnable> onRoom = new ArrayList<>(); // guarded by itself

    /**
     * Creates one.
     *
     * @param maxAge how long a message may wait in a queue before it expires; zero for as long as its publisher wishes
     */
    LogAppender(ShardLog log, AppTopics topics, Duration maxAge, LongSupplier clockMillis) {
        this.log = log;
        this.topics = topics;
        this.clockMillis = clockMillis;
        maxAgeMillis = maxAge.toMillis();
        toShards = new Outlet(log::onRoom);
        toApplications = new Outlet(topics::onRoom);
    }

    /** The shard of a client identifier: a fixed function of the identifier and the number of shards. */
    int shardOf(String clientId) {
        int hash = clientId.hashCode() * 0x9E3779B9;
        return Integer.remainderUnsigned(hash ^ (hash >>> 16), log.shardCount());
    }

    void append(int shard, ShardEvent event, AppendCallback callback) {
        byte[] value = EventCodec.encode(event);
        toShards.append(() -> log.append(shard, value, callback));
    }

    /**
     * Appends a message for the recipients, in as many records as their shards, {@link ShardEvent#MAX_RECIPIENTS} and the topics
     * of applications need.
     *
     * @param source the source of the next record for a destination: the number of a shard, or the topic of an application
     * @param callback called once, when all are durable or one failed
     */
    void publish(
            Message message,
            List<Recipient> recipients,
            Function<Object, @Nullable Source> source,
            AppendCallback callback) {
        if (recipients.size() == 1) {
            publish(message, recipients.getFirst(), source, callback);
            return;
        }
        Map<Integer, List<Recipient>> byShard = new TreeMap<>();
        List<Recipient> inTopics = new ArrayList<>();
        for (Recipient recipient : recipients) {
            if (recipient.queue().isApplication()) {
                inTopics.add(recipient);
            } else {
                byShard.computeIfAbsent(shardOf(recipient.clientId()), _ -> new ArrayList<>())
                        .add(recipient);
            }
        }
        int records = inTopics.size();
        for (List<Recipient> ofShard : byShard.values()) {
            records += (ofShard.size() + ShardEvent.MAX_RECIPIENTS - 1) / ShardEvent.MAX_RECIPIENTS;
        }
        AppendCallback all = countingDown(records, callback);
        Message expiring = byShard.isEmpty() ? message : expiring(message);
        byShard.forEach((shard, ofShard) -> {
            for (int from = 0; from < ofShard.size(); from += ShardEvent.MAX_RECIPIENTS) {
                int to = Math.min(ofShard.size(), from + ShardEvent.MAX_RECIPIENTS);
                append(shard, new ShardEvent.Publish(expiring, ofShard.subList(from, to), source.apply(shard)), all);
            }
        });
        for (Recipient recipient : inTopics) {
            publish(message, recipient, source, all);
        }
    }

    private void publish(
            Message message, Recipient recipient, Function<Object, @Nullable Source> sources, AppendCallback callback) {
        if (!recipient.queue().isApplication()) {
            int shard = shardOf(recipient.clientId());
            append(
                    shard,
                    new ShardEvent.Publish(expiring(message), List.of(recipient), sources.apply(shard)),
                    callback);
            return;
        }
        AppTopic topic = ClientState.topicOf(recipient.clientId(), recipient.queue());
        Source source = sources.apply(topic);
        toApplications.append(() -> topics.append(topic, message, recipient, source, callback));
    }

    private Message expiring(Message message) {
        if (maxAgeMillis == 0) {
            return message;
        }
        long latest = clockMillis.getAsLong() + maxAgeMillis;
        return message.expiresAtMillis() <= latest ? message : message.withExpiry(latest);
    }

    boolean isCongested() {
        return toShards.congested || toApplications.congested;
    }

    /** Runs the action once when there is room, perhaps at once. */
    void onRoom(Runnable action) {
        synchronized (onRoom) {
            if (isCongested()) {
                onRoom.add(action);
                return;
            }
        }
        action.run();
    }

    private void runWaiting() {
        List<Runnable> actions;
        synchronized (onRoom) {
            if (isCongested()) {
                return;
            }
            actions = List.copyOf(onRoom);
            onRoom.clear();
        }
        actions.forEach(Runnable::run);
    }

    /** Calls back once, when that many appends have called what is returned. */
    static AppendCallback countingDown(int count, AppendCallback callback) {
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

    /** The way to one log, and what waits for room in it, in order. */
    private final class Outlet {
        private final Consumer<Runnable> roomOfLog;
        private final Queue<BooleanSupplier> waiting = new ArrayDeque<>(); // guarded by itself
        private volatile boolean congested;

        private Outlet(Consumer<Runnable> roomOfLog) {
            this.roomOfLog = roomOfLog;
        }

        /** @param attempt appends, or gives false when there is no room */
        void append(BooleanSupplier attempt) {
            if (!congested && attempt.getAsBoolean()) {
                return;
            }
            synchronized (waiting) {
                if (waiting.isEmpty() && attempt.getAsBoolean()) {
                    return;
                }
                waiting.add(attempt);
                if (!congested) {
                    congested = true;
                    roomOfLog.accept(this::appendWaiting);
                }
            }
        }

        private void appendWaiting() {
            synchronized (waiting) {
                for (BooleanSupplier next = waiting.peek(); next != null; next = waiting.peek()) {
                    if (!next.getAsBoolean()) {
                        roomOfLog.accept(this::appendWaiting);
                        return;
                    }
                    waiting.remove();
                }
                congested = false;
            }
            runWaiting();
        }
    }
}
