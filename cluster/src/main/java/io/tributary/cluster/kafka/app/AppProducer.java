package io.tributary.cluster.kafka.app;

import io.tributary.cluster.kafka.Appending;
import io.tributary.cluster.kafka.ClientProperties;
import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaClients;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.persistence.limit.ByteBudget;
import io.tributary.persistence.shard.AppendCallback;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the records of all applications' topics, which come and go. Each topic has an {@link AppTopicQueue}, so none
 * waits for another. A record is kept until it is durable, unless Kafka says for some seconds that there is no such
 * topic and the session that it was for is over; for one that lives the topic is made anew. Safe for all threads;
 * nothing blocks but {@link #close}.
 *
 * <p>Kafka's producer cannot take back what it was given for a topic that is gone, and forgets no topic: there is a new
 * producer then, or after many topics ({@link AppSender}), and each topic changes to it when nothing of its own is
 * under way in the old one.
 */
final class AppProducer implements Appending, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AppProducer.class);

    private static final long PUMP_MILLIS = 25;
    private static final long LOOK_MILLIS = 1000;
    private static final long CLOSE_POLL_MILLIS = 5;

    /** Has topics take larger records. */
    @FunctionalInterface
    interface Raising {
        /**
         * Has a topic take the largest records.
         *
         * @param recordBytes what it is to take at least
         * @return completes in any case
         */
        CompletableFuture<?> raise(String topic, int recordBytes);
    }

    private final KafkaConfig config;
    private final Supplier<AppSender> senders;
    private final AppAdmin admin;
    private final ScheduledExecutorService timer;
    private final KafkaRecorder recorder;
    private final Consumer<Throwable> onBroken;
    private final Consumer<String> makeAnew;
    private final Raising raising;
    private final ByteBudget budget;
    private final Map<TopicPartition, AppTopicQueue> queues = new ConcurrentHashMap<>();
    /** Those with records that the producer did not take, most often as it does not know the topic yet. */
    private final Set<AppTopicQueue> held = ConcurrentHashMap.newKeySet();

    private final AtomicReference<@Nullable Throwable> broken = new AtomicReference<>();
    private final AtomicReference<AppSender> sender;
    /** One that could not be replaced; it is tried again with the next look at the queues. */
    private final AtomicReference<@Nullable AppSender> unreplaced = new AtomicReference<>();

    /** Done when Kafka has answered the last question about topics; confined to the timer. */
    private CompletableFuture<?> answered = CompletableFuture.completedFuture(null);

    private volatile boolean closed;

    /**
     * Creates it.
     *
     * @param senders creates the first sender, and each that replaces another: that is tried again when it fails
     * @param makeAnew creates a topic that is gone
     */
    AppProducer(
            KafkaConfig config,
            Supplier<AppSender> senders,
            AppAdmin admin,
            ScheduledExecutorService timer,
            KafkaRecorder recorder,
            Consumer<String> makeAnew,
            Raising raising,
            Consumer<Throwable> onBroken) {
        this.makeAnew = makeAnew;
        this.raising = raising;
        this.timer = timer;
        this.config = config;
        this.senders = senders;
        this.admin = admin;
        this.recorder = recorder;
        this.onBroken = onBroken;
        this.budget = new ByteBudget(config.appends().bufferBytes());
        this.sender = new AtomicReference<>(senders.get());
        Repeated.every(timer, PUMP_MILLIS, this::pumpHeld);
        Repeated.every(timer, LOOK_MILLIS, () -> lookAtQueues(System.nanoTime()));
    }

    /**
     * Sends a record to its partition.
     *
     * @param isWanted asked when there is no topic whether to wait for one; must not block
     * @return false when there is no room: nothing was sent, the callback will not be called
     */
    boolean append(ProducerRecord<byte[], byte[]> record, BooleanSupplier isWanted, AppendCallback callback) {
        int bytes = AppRecordFormat.sizeBytes(record) + ClientProperties.RECORD_OVERHEAD_BYTES;
        if (!budget.tryAcquire(bytes)) {
            recorder.onRefusal();
            return false;
        }
        TopicPartition partition = new TopicPartition(record.topic(), record.partition());
        while (!queues.computeIfAbsent(partition, key -> new AppTopicQueue(this, key))
                .add(record, bytes, isWanted, callback)) {
            Thread.onSpinWait(); // it was idle and is being removed
        }
        return true;
    }

    void onRoom(Runnable action) {
        budget.onRoom(action);
    }

    @Override
    public long oldestAppendNanos() {
        return oldestAppendNanos(System.nanoTime());
    }

    long oldestAppendNanos(long nowNanos) {
        return queues.values().stream()
                .mapToLong(queue -> queue.waitedNanos(nowNanos))
                .max()
                .orElse(0);
    }

    /** Completes what was accepted, for as long as the configuration says; what is left then fails. */
    @Override
    public void close() {
        closed = true;
        long deadline = System.nanoTime() + config.appends().closeTimeout().toNanos();
        try {
            while (!queues.values().stream().allMatch(AppTopicQueue::isEmpty) && System.nanoTime() < deadline) {
                queues.values().forEach(AppTopicQueue::pump);
                TimeUnit.MILLISECONDS.sleep(CLOSE_POLL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        queues.values().forEach(queue -> queue.fail(new KafkaAccessException("closed before Kafka had answered")));
        sender.get().close();
    }

    /** Why a record is not to be sent, or null when it is. */
    @Nullable
    RuntimeException obstacle(int bytes) {
        if (closed) {
            return new KafkaAccessException("the topics are closed");
        }
        Throwable reason = broken.get();
        if (reason != null) {
            return new KafkaAccessException("broken for good by an earlier failure: " + reason, reason);
        }
        int largest = config.appends().maxRecordBytes() + ClientProperties.RECORD_OVERHEAD_BYTES;
        return bytes <= largest
                ? null
                : new KafkaAccessException(
                        "a record of " + bytes + " bytes is larger than the largest that is sent, " + largest);
    }

    void release(int bytes) {
        budget.release(bytes);
    }

    /** The producer for new records. */
    AppSender sender() {
        return sender.get();
    }

    /** The producer did not take a record of the queue: it is tried again soon. */
    void hold(AppTopicQueue queue) {
        held.add(queue);
    }

    /**
     * A topic has refused a large record of so many bytes: it is made to take that, and the queue is told.
     *
     * @param refusals how often that was so; it is done at once the first time, and later after a while
     */
    void raise(AppTopicQueue queue, String topic, int bytes, int refusals) {
        Runnable action = () -> {
            CompletableFuture<?> _ = raising.raise(topic, bytes).whenComplete((_, _) -> queue.raised());
        };
        Future<?> _ =
                timer.schedule(() -> Repeated.guarded(action), refusals == 1 ? 0 : LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** A sender has records, or topics, that it will never get rid of: it is replaced. */
    void replace(AppSender stuck) {
        Thread.ofVirtual().start(() -> {
            try {
                replaceNow(stuck);
            } catch (RuntimeException | Error e) {
                LOG.warn("there is no new producer yet for the topics of applications; trying again", e);
                recorder.onError();
                unreplaced.set(stuck);
            }
        });
    }

    private void replaceNow(AppSender stuck) {
        if (closed || sender.get() != stuck) {
            return;
        }
        AppSender next = senders.get();
        if (sender.compareAndSet(stuck, next)) {
            LOG.debug("a new producer: the old one has records of a topic that is gone, or has had many topics");
            stuck.retire();
            queues.values().forEach(AppTopicQueue::pump);
            if (closed) {
                next.close();
            }
        } else {
            next.close();
        }
    }

    /** A record that was accepted will never be durable. */
    void failed(AppSender where, Throwable failure, boolean onItsThread) {
        if (closed || !broken.compareAndSet(null, failure)) {
            return;
        }
        LOG.error("a record cannot be written to Kafka; nothing more is sent to any application", failure);
        if (onItsThread) {
            where.abortOnItsThread(); // before anything behind the record is sent
        } else {
            where.abort();
        }
        queues.values().forEach(queue -> queue.fail(new KafkaAccessException("broken by an earlier failure", failure)));
        onBroken.accept(failure);
    }

    private void pumpHeld() {
        for (AppTopicQueue queue : new ArrayList<>(held)) {
            held.remove(queue);
            Repeated.guarded(queue::pump);
        }
    }

    /**
     * Asks for the topics of records that have waited long, forgets queues that nobody uses, and replaces a sender that
     * has had too many topics. On the timer's thread.
     */
    void lookAtQueues(long nowNanos) {
        AppSender stuck = unreplaced.getAndSet(null);
        if (stuck != null) {
            replace(stuck);
        }
        Map<TopicPartition, AppTopicQueue> waited = new HashMap<>();
        for (Map.Entry<TopicPartition, AppTopicQueue> each : List.copyOf(queues.entrySet())) {
            AppTopicQueue queue = each.getValue();
            if (queue.hasWaited(nowNanos)) {
                waited.put(each.getKey(), queue);
            } else if (queue.retireIfIdle(nowNanos)) {
                queues.remove(each.getKey(), queue);
            }
        }
        if (!waited.isEmpty() && answered.isDone()) {
            Repeated.guarded(() -> answered = ask(waited, nowNanos));
        }
        AppSender current = sender.get();
        if (KafkaClients.hasHadTooMany(current.topics(), queues.size())) {
            replace(current);
        }
    }

    /** One request for all topics, as all wait while Kafka is away. */
    private CompletableFuture<?> ask(Map<TopicPartition, AppTopicQueue> waited, long nowNanos) {
        Map<String, CompletableFuture<@Nullable String>> ids = admin.idOfEach(
                waited.keySet().stream().map(TopicPartition::topic).collect(Collectors.toSet()));
        waited.forEach((partition, queue) -> {
            String topic = partition.topic();
            CompletableFuture<?> _ = Objects.requireNonNull(ids.get(topic)).thenAccept(id -> {
                if (queue.asked(nowNanos, id != null)) {
                    LOG.warn(
                            "There is no topic {}, and a session that lives has messages for it: it is made anew",
                            topic);
                    makeAnew.accept(topic);
                }
            });
        });
        return AppAdmin.all(ids.values());
    }
}
