package io.tributary.cluster.kafka;

import io.tributary.common.time.LineAMinute;
import io.tributary.persistence.limit.ByteBudget;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A producer that skips nothing: a record that was accepted is sent until it is durable, and when one cannot be, none
 * after it is. It never blocks: what Kafka's own buffers cannot take is refused. Records are sent through a
 * {@link PartitionQueue} for each partition. Safe for all threads.
 *
 * <pre>
 * OPEN     --close----------------------------------------> CLOSED   what was accepted is completed, in bounded time
 * OPEN     --a record fails though nobody is closing------> BROKEN   nothing more is sent, the node is told to stop
 * </pre>
 */
public final class OrderedProducer implements Appending, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OrderedProducer.class);
    private static final Duration GRACE = Duration.ofSeconds(1);
    private static final long STALL_MILLIS = 100;
    private static final long METADATA_POLL_MILLIS = 20;

    private final Producer<byte[], byte[]> producer;
    private final LongSupplier nanos;
    private final LineAMinute lateLines;
    private final ByteBudget budget;
    private final KafkaConfig config;
    private final KafkaRecorder recorder;
    private final Consumer<Throwable> onBroken;
    private final Executor afterStall = CompletableFuture.delayedExecutor(STALL_MILLIS, TimeUnit.MILLISECONDS);
    private final AtomicReference<@Nullable Throwable> broken = new AtomicReference<>();
    private final List<PartitionQueue> queues = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    /**
     * Creates it; it connects by itself.
     *
     * @param partitions how many partitions it will send to
     * @param onBroken told once, on a thread of Kafka's or a caller's, when a record could not be made durable; must
     *     not block
     * @throws KafkaAccessException when the addresses of Kafka are not good
     */
    public OrderedProducer(
            KafkaConfig config, String clientId, int partitions, KafkaRecorder recorder, Consumer<Throwable> onBroken) {
        this(
                config,
                KafkaClients.producer(config, ClientProperties.producer(config, clientId, partitions)),
                recorder,
                onBroken,
                System::nanoTime);
    }

    /** One with a producer and a clock that are given. */
    OrderedProducer(
            KafkaConfig config,
            Producer<byte[], byte[]> producer,
            KafkaRecorder recorder,
            Consumer<Throwable> onBroken,
            LongSupplier nanos) {
        this.config = config;
        this.recorder = recorder;
        this.onBroken = onBroken;
        this.budget = new ByteBudget(config.appends().bufferBytes());
        this.producer = producer;
        this.nanos = nanos;
        this.lateLines = new LineAMinute(nanos);
    }

    /**
     * Waits until the topic is known, so that sends to it need not wait.
     *
     * @return how many partitions it has
     * @throws KafkaAccessException when it is not known within the configured time
     */
    public int await(String topic) {
        long deadline = System.nanoTime() + config.startTimeout().toNanos();
        while (true) {
            try {
                return producer.partitionsFor(topic).size();
            } catch (TimeoutException e) {
                if (System.nanoTime() - deadline >= 0) {
                    throw new KafkaAccessException(KafkaAccessFailure.words(config, e) + " (topic " + topic + ")", e);
                }
                pause();
            } catch (KafkaException e) {
                throw new KafkaAccessException(KafkaAccessFailure.words(config, e) + " (topic " + topic + ")", e);
            }
        }
    }

    /** The way to a partition; one for each. */
    public PartitionQueue queue(TopicPartition partition) {
        return queue(partition, List.of());
    }

    /** The same for records with headers. */
    public PartitionQueue queue(TopicPartition partition, List<Header> headers) {
        PartitionQueue queue = new PartitionQueue(this, partition, headers);
        queues.add(queue);
        return queue;
    }

    /** Runs the action once when there is room again for what was refused. */
    public void onRoom(Runnable action) {
        budget.onRoom(action);
    }

    @Override
    public long oldestAppendNanos() {
        long now = nanos();
        return queues.stream().mapToLong(queue -> queue.waitedNanos(now)).max().orElse(0);
    }

    /**
     * Completes what was accepted, for as long as the configuration says and a second; what is left then fails. Kafka's
     * own thread may take longer to end when a server is silent.
     */
    @Override
    public void close() {
        closed = true;
        Duration timeout = config.appends().closeTimeout();
        Thread closing = Thread.ofVirtual().start(() -> complete(timeout));
        try {
            if (!closing.join(timeout.plus(GRACE))) {
                LOG.warn("Kafka's producer takes long to close; what it has not sent is given up");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        queues.forEach(PartitionQueue::giveUp);
    }

    private void complete(Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        queues.forEach(queue -> queue.awaitHeld(deadline));
        producer.close(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
    }

    /** Closes a producer that has accepted no record, without waiting. */
    public void abandon() {
        closed = true;
        Thread.ofVirtual().start(this::abort);
    }

    boolean acquire(int bytes) {
        boolean acquired = budget.tryAcquire(bytes);
        if (!acquired) {
            recorder.onRefusal();
        }
        return acquired;
    }

    void release(int bytes) {
        budget.release(bytes);
    }

    /** The time by a clock that only goes forward. */
    long nanos() {
        return nanos.getAsLong();
    }

    /** Does something soon, when what Kafka could not take it may. */
    void later(Runnable action) {
        afterStall.execute(action);
    }

    /** Kafka has not acknowledged a record for long; said now and then. How often it is noticed says nothing. */
    void late(TopicPartition partition, long lateNanos) {
        if (lateLines.happened() != null) {
            LOG.warn(
                    "Kafka has not acknowledged a record of {} for {} s; what is behind it waits, too",
                    partition,
                    TimeUnit.NANOSECONDS.toSeconds(lateNanos));
        }
    }

    /** Why nothing is sent any more, also of what was accepted; null as long as it is. */
    @Nullable
    Throwable broken() {
        return broken.get();
    }

    /** Why a record of this size is not to be sent, or null when it is. */
    @Nullable
    RuntimeException obstacle(int bytes) {
        if (closed) {
            return new KafkaAccessException("closed");
        }
        Throwable reason = broken.get();
        if (reason != null) {
            return new KafkaAccessException("broken for good by an earlier failure: " + reason, reason);
        }
        int largest = config.appends().maxRecordBytes() + ClientProperties.RECORD_OVERHEAD_BYTES;
        if (bytes > largest) {
            return new KafkaAccessException(
                    "a record of " + bytes + " bytes is larger than the largest that is sent, " + largest);
        }
        return null;
    }

    /** Gives a record to Kafka; a failure may come on the calling thread, before this returns. */
    @SuppressWarnings("FutureReturnValueIgnored") // the callback is told
    void send(ProducerRecord<byte[], byte[]> record, Callback callback) {
        try {
            producer.send(record, callback);
        } catch (RuntimeException e) {
            callback.onCompletion(null, e);
        } catch (Error e) { // nobody knows what became of the record
            callback.onCompletion(null, new KafkaAccessException("Kafka's producer failed", e));
        }
    }

    /** Kafka cannot take a record at the moment: no other thread tries until that may have changed. */
    void stall() {
        recorder.onRefusal();
        budget.block();
        afterStall.execute(budget::unblock);
    }

    /** A record that was accepted will never be durable. */
    void failed(Throwable failure, boolean onProducerThread) {
        if (closed || !broken.compareAndSet(null, failure)) {
            return;
        }
        LOG.error("a record cannot be written to Kafka; nothing more is sent", failure);
        if (onProducerThread) {
            abort(); // before anything behind the record is sent
        } else {
            Thread.ofVirtual().start(this::abort); // it waits for the producer's thread
        }
        onBroken.accept(failure);
    }

    private void abort() {
        producer.close(Duration.ZERO);
    }

    private static void pause() {
        try {
            Thread.sleep(METADATA_POLL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaAccessException("interrupted while Kafka was asked about a topic", e);
        }
    }
}
