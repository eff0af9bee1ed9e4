package io.tributary.broker.shard;

import io.tributary.common.event.Destinations;
import io.tributary.common.event.EventCodec;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.RoutingFormat;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends events to the logs of shards, and messages to the topics of applications. Any thread; never blocks. Appends
 * are always accepted: events for which a log has no room wait here in order, and {@link #isCongested} asks all callers
 * to bring no more. What waits is not encoded yet, and shares the payload of its message with all else that has it:
 * only a log, whose bytes have a limit, has records. Thread-safe.
 */
final class LogAppender {
    private static final Logger LOG = LoggerFactory.getLogger(LogAppender.class);
    private static final byte[] NOTHING = {};
    /**
     * The parts of a record's room for the recipients of a message, and for the destinations of one that is forwarded
     * later.
     */
    private static final int PART_FOR_RECIPIENTS = 8;

    private static final int PART_FOR_DESTINATIONS = 2;

    private final ShardLog log;
    private final AppTopics topics;
    private final long maxAgeMillis;
    private final LongSupplier timeMillis;
    private final RecordFormat format;
    private final Outlet toShards;
    private final Outlet toApplications;
    private final List<Runnable> onRoom = new ArrayList<>(); // guarded by itself

    /**
     * Creates one.
     *
     * @param maxAge how long a message may wait in a queue before it expires; zero for as long as its publisher wishes
     * @param timeMillis the time by which messages expire, the same on all nodes
     * @param format says in which format events are written
     */
    LogAppender(ShardLog log, AppTopics topics, Duration maxAge, LongSupplier timeMillis, RecordFormat format) {
        this.format = format;
        this.log = log;
        this.topics = topics;
        this.timeMillis = timeMillis;
        maxAgeMillis = maxAge.toMillis();
        toShards = new Outlet(log::onRoom);
        toApplications = new Outlet(topics::onRoom);
    }

    /** The shard of a client identifier: a fixed function of the identifier and the number of shards. */
    int shardOf(String clientId) {
        return shardOf(clientId, log.shardCount());
    }

    static int shardOf(String clientId, int shards) {
        int hash = clientId.hashCode() * 0x9E3779B9;
        return Integer.remainderUnsigned(hash ^ (hash >>> 16), shards);
    }

    /** Whether every live node reads records of a format. */
    boolean writes(int ofFormat) {
        return format.toWrite() >= ofFormat;
    }

    /** How many bytes a record may have besides an MQTT packet. */
    int roomBytes() {
        return log.roomBytes();
    }

    /** The destinations as a record can name them: too many are matched later. */
    Destinations bounded(Destinations destinations) {
        return RoutingFormat.largestSizeOf(destinations) <= log.roomBytes() / PART_FOR_DESTINATIONS
                ? destinations
                : Destinations.MATCHED_LATER;
    }

    /**
     * Cuts recipients in one shard into those of one record each. The parts depend on nothing but the recipients and
     * the room that a log's records have for ever, so that cutting again gives the same ones.
     */
    List<List<Recipient>> records(List<Recipient> ofShard) {
        return RecordParts.of(
                ofShard,
                RoutingFormat::largestSizeOf,
                log.roomBytes() / PART_FOR_RECIPIENTS,
                ShardEvent.MAX_RECIPIENTS);
    }

    /**
     * Appends an event. One that cannot be encoded fails with an exception; where it had to wait, the callback is told.
     */
    void append(int shard, ShardEvent event, AppendCallback callback) {
        toShards.append(() -> log.append(shard, EventCodec.encode(event, format.toWrite()), callback), callback);
    }

    /** Appends a record that says nothing, only to use an offset. */
    void appendNothing(int shard, AppendCallback callback) {
        toShards.append(() -> log.append(shard, NOTHING, callback), callback);
    }

    /**
     * Appends a message for the recipients, in as many records as their shards, their number, the length of their names
     * and the topics of applications need.
     *
     * @param source the source of the next record for a destination: the number of a shard, or the topic of an
     *     application
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
            if (recipient.kind().isApplication()) {
                inTopics.add(recipient);
            } else {
                byShard.computeIfAbsent(shardOf(recipient.clientId()), _ -> new ArrayList<>())
                        .add(recipient);
            }
        }
        int count = inTopics.size();
        Map<Integer, List<List<Recipient>>> recordsByShard = new TreeMap<>();
        for (Map.Entry<Integer, List<Recipient>> ofShard : byShard.entrySet()) {
            List<List<Recipient>> records = records(ofShard.getValue());
            recordsByShard.put(ofShard.getKey(), records);
            count += records.size();
        }
        AppendCallback all = countingDown(count, callback);
        Message expiring = byShard.isEmpty() ? message : expiring(message);
        recordsByShard.forEach((shard, records) -> {
            for (List<Recipient> record : records) {
                append(shard, new ShardEvent.Publish(expiring, record, source.apply(shard)), all);
            }
        });
        for (Recipient recipient : inTopics) {
            publish(message, recipient, source, all);
        }
    }

    private void publish(
            Message message, Recipient recipient, Function<Object, @Nullable Source> sources, AppendCallback callback) {
        if (!recipient.kind().isApplication()) {
            int shard = shardOf(recipient.clientId());
            append(
                    shard,
                    new ShardEvent.Publish(expiring(message), List.of(recipient), sources.apply(shard)),
                    callback);
            return;
        }
        AppTopic topic = AppTopic.of(recipient.clientId(), recipient.kind());
        Source source = sources.apply(topic);
        toApplications.append(() -> topics.append(topic, message, recipient, source, callback), callback);
    }

    private Message expiring(Message message) {
        if (maxAgeMillis == 0) {
            return message;
        }
        long latest = timeMillis.getAsLong() + maxAgeMillis;
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

    /**
     * What waits for room in a log.
     *
     * @param attempt appends it, or fails for good, or gives false when there is no room
     * @param callback told when it fails: whoever brought it is gone
     */
    private record Waiting(BooleanSupplier attempt, AppendCallback callback) {}

    /** The way to one log, and the events that wait for room in it, in order. */
    private final class Outlet {
        private final Consumer<Runnable> roomOfLog;
        private final Queue<Waiting> waiting = new ArrayDeque<>(); // guarded by itself
        private volatile boolean congested;

        private Outlet(Consumer<Runnable> roomOfLog) {
            this.roomOfLog = roomOfLog;
        }

        void append(BooleanSupplier attempt, AppendCallback callback) {
            if (!congested && attempt.getAsBoolean()) {
                return;
            }
            synchronized (waiting) {
                if (waiting.isEmpty() && attempt.getAsBoolean()) {
                    return;
                }
                waiting.add(new Waiting(attempt, callback));
                if (!congested) {
                    congested = true;
                    roomOfLog.accept(this::appendWaiting);
                }
            }
        }

        private void appendWaiting() {
            boolean goesOn;
            do {
                goesOn = appendNext();
            } while (goesOn);
            runWaiting();
        }

        /** Takes the lock for one event alone: to encode all that there is room for may take long. */
        private boolean appendNext() {
            Waiting next;
            Throwable failure = null;
            synchronized (waiting) {
                next = waiting.peek();
                if (next == null) {
                    congested = false;
                    return false;
                }
                boolean isOver = true;
                try {
                    isOver = next.attempt.getAsBoolean();
                } catch (RuntimeException | Error e) { // others wait behind it
                    failure = e;
                }
                if (!isOver) {
                    roomOfLog.accept(this::appendWaiting);
                    return false;
                }
                waiting.remove();
            }
            if (failure != null) {
                fail(next.callback, failure);
            }
            return true;
        }

        private static void fail(AppendCallback callback, Throwable failure) {
            try {
                callback.onAppended(-1, failure);
            } catch (RuntimeException | Error e) {
                LOG.error("who waited for a record that could not be appended failed, too", e);
            }
        }
    }
}
