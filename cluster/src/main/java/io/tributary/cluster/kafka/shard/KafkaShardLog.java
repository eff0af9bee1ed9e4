package io.tributary.cluster.kafka.shard;

import io.tributary.cluster.kafka.Appending;
import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.KafkaTopics;
import io.tributary.cluster.kafka.OrderedProducer;
import io.tributary.cluster.kafka.PartitionQueue;
import io.tributary.cluster.kafka.ShardMark;
import io.tributary.cluster.kafka.shard.AcknowledgedRecords.LeastEnd;
import io.tributary.persistence.shard.AppendCallback;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The shards' logs as the partitions of one topic, {@code <prefix>.shards}. Which of them this node reads others say
 * ({@link #assign}); how far they are is told the consumer group of the topic's name, which has no members.
 *
 * <p>An append that was accepted is repeated until it is durable, however long Kafka is away; meanwhile further ones
 * are refused when the budget of {@link KafkaConfig.Appends#bufferBytes} is in use. An append larger than
 * {@link KafkaConfig.Appends#maxRecordBytes} fails alone. When Kafka refuses a record for good (a permission that was
 * taken away, a limit of the topic that is too low), the log is broken: all appends fail from then on, and the failure
 * listener is told so that the node stops itself; to go on would be to skip a record.
 *
 * <p>Offsets are Kafka's, dense from 0, and the base of the {@link KafkaConfig.Generation generation}: a log of a
 * later one looks like one whose records below the base were deleted. A record's time is the time at which Kafka's
 * leader of the shard appended it, which goes back if the clock of a new leader is behind that of the old one. Records
 * that retention has deleted are skipped: the first record that comes then has a higher offset than {@code from}.
 * {@link #truncate} deletes nothing, for the state store may go back in time; it tells Kafka's lag tools how far this
 * group is.
 *
 * <p>Callbacks of appends come on the producer's thread, or on that of a caller whose append failed at once; the reader
 * is called on a polling thread of its own. While this node is the {@linkplain #onlyNode only one}, that thread hands
 * out what Kafka has acknowledged, and reads it back later.
 */
public final class KafkaShardLog implements ShardLog, Appending {
    private static final long IDENTITY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final KafkaConfig config;
    private final String clientId;
    private final Duration retention;
    private final InstantSource clock;
    private final KafkaRecorder recorder;
    private final Consumer<Throwable> onBroken;
    private final OrderedProducer producer;
    private final PartitionQueue[] queues;
    private final long base;

    private final Admin admin;
    private long identityNanos = System.nanoTime() - IDENTITY_NANOS; // guarded by this
    private CompletableFuture<Identity> identity =
            CompletableFuture.failedFuture(new KafkaAccessException("not asked")); // guarded by this
    private volatile @Nullable ShardConsumer consumer;
    private volatile boolean isOnlyNode;
    private volatile Consumer<Boolean> takesPart = wanted -> {};
    private boolean closed; // guarded by this

    /**
     * Opens it: connects to Kafka and learns the topic, which blocks for at most the configured time.
     *
     * @param clientId names this node in Kafka's logs and metrics
     * @param shards how many shards there are: the partitions of the topic, see {@link KafkaTopics}
     * @param retention how long the topic keeps a record; zero when that is not said, and then no shard is
     *     {@link #lagging}
     * @param clock the time by which Kafka stamps records
     * @param onBroken told once when appending is broken for good, and once should reading end by a defect; on a thread
     *     of the log or of the appender; must not block
     * @throws KafkaAccessException when Kafka does not answer, or the topic is not there or has other partitions
     */
    public KafkaShardLog(
            KafkaConfig config,
            String clientId,
            int shards,
            Duration retention,
            InstantSource clock,
            KafkaRecorder recorder,
            Consumer<Throwable> onBroken) {
        this.retention = retention;
        this.clock = clock;
        this.config = config;
        this.clientId = clientId;
        this.base = config.generation().base();
        this.recorder = recorder;
        this.onBroken = onBroken;
        this.producer = new OrderedProducer(config, clientId + "-shards", shards, recorder, onBroken);
        String topic = config.shardsTopic();
        try {
            int partitions = producer.await(topic);
            if (partitions < shards) { // those that were added are ignored
                throw new KafkaAccessException("topic " + topic + " has " + partitions + " partitions, not " + shards);
            }
        } catch (RuntimeException e) {
            producer.abandon();
            throw e;
        }
        this.admin = KafkaTopics.connect(config);
        this.queues = new PartitionQueue[shards];
        for (int shard = 0; shard < shards; shard++) {
            queues[shard] = producer.queue(new TopicPartition(topic, shard), ShardMark.HEADERS);
        }
    }

    @Override
    public int shardCount() {
        return queues.length;
    }

    @Override
    public boolean append(int shard, byte[] value, AppendCallback callback) {
        AppendCallback told = inLog(callback);
        ShardConsumer started = consumer;
        if (!isOnlyNode || started == null) {
            return queues[shard].send(null, value, told);
        }
        LeastEnd least = started.early().leastEnd(shard);
        return queues[shard].sendTimed(null, value, (offset, timeMillis, failure) -> {
            if (failure == null && offset >= 0) { // Kafka does not always know the offset of what it was sent twice
                LogRecord record = new LogRecord(offset, LogRecord.NOT_READ_BACK, timeMillis, value);
                started.early().onAcknowledged(shard, record, least);
            }
            told.onAppended(offset, failure);
        });
    }

    /** A callback that is told offsets of the topic. */
    private AppendCallback inLog(AppendCallback callback) {
        return base == 0
                ? callback
                : (offset, failure) -> callback.onAppended(offset < 0 ? offset : offset + base, failure);
    }

    @Override
    public void onRoom(Runnable action) {
        producer.onRoom(action);
    }

    @Override
    public synchronized void start(Reader reader) {
        if (closed) {
            return;
        }
        ShardConsumer started = new ShardConsumer(
                config,
                clientId + "-shards",
                queues.length,
                retention,
                clock,
                () -> isOnlyNode,
                base == 0 ? reader : new RebasedReader(reader, base),
                recorder,
                onBroken);
        consumer = started;
        started.start();
        takesPart.accept(true);
    }

    /** Sets who is told whether this node takes shards, and assigns them; before {@link #start}. */
    public void onTakePart(Consumer<Boolean> listener) {
        takesPart = listener;
    }

    @Override
    public void takePart(boolean wanted) {
        if (consumer != null) {
            takesPart.accept(wanted);
        }
    }

    /**
     * The shards of this node from now on; any thread, never blocks.
     *
     * @param released run, on any thread, once the reader has let go of those that were its own before and are not any
     *     more
     */
    public void assign(Set<Integer> shards, Runnable released) {
        ShardConsumer started = consumer;
        if (started == null) {
            released.run();
        } else {
            started.assign(shards, released);
        }
    }

    /**
     * A shard will be this node's, and is another node's still; any thread, never blocks.
     *
     * @param ready run once, on any thread, when what can be done before is done
     */
    public void expect(int shard, Runnable ready) {
        ShardConsumer started = consumer;
        if (started == null) {
            ready.run();
        } else {
            started.reader().onExpected(shard, ready);
        }
    }

    /** A shard of this node will be another node's soon; any thread, never blocks. */
    public void leave(int shard) {
        ShardConsumer started = consumer;
        if (started != null) {
            started.reader().onLeaving(shard);
        }
    }

    /**
     * Whether this node is the only one that appends, as far as is known: then its records are handed out early where
     * that is allowed. Any thread, never blocks.
     */
    public void onlyNode(boolean isNow) {
        isOnlyNode = isNow;
    }

    @Override
    public void allowEarly(int shard) {
        ShardConsumer started = consumer;
        if (started != null) {
            started.allowEarly(shard);
        }
    }

    @Override
    public int leaderEpoch(int shard, long offset) {
        ShardConsumer started = consumer;
        return started == null ? LogRecord.NO_LEADER : started.leaderEpoch(shard, inTopic(offset));
    }

    @Override
    public void readFrom(int shard, long offset) {
        readFrom(shard, offset, LogRecord.NO_LEADER);
    }

    @Override
    public void readFrom(int shard, long offset, int leaderEpoch) {
        ShardConsumer started = consumer;
        if (started != null) {
            started.readFrom(shard, inTopic(offset), leaderEpoch);
        }
    }

    /** The identifier of the topic, which Kafka gives to each that is created; asked for anew after a second. */
    @Override
    public synchronized CompletionStage<Identity> identity() {
        if (System.nanoTime() - identityNanos > IDENTITY_NANOS || identity.isCompletedExceptionally()) {
            identityNanos = System.nanoTime();
            String topic = config.shardsTopic();
            identity = admin.describeTopics(List.of(topic))
                    .allTopicNames()
                    .toCompletionStage()
                    .toCompletableFuture()
                    .thenApply(found -> identityOf(found.get(topic)));
        }
        return identity;
    }

    private Identity identityOf(@Nullable TopicDescription topic) {
        String id = topic == null ? "" : topic.topicId().toString();
        return new Identity(id, id.equals(config.topics().acceptedLog()));
    }

    @Override
    public void pause(int shard) {
        ShardConsumer started = consumer;
        if (started != null) {
            started.pause(shard);
        }
    }

    @Override
    public void truncate(int shard, long offset) {
        ShardConsumer started = consumer;
        if (started != null) {
            started.commit(shard, inTopic(offset));
        }
    }

    private long inTopic(long offset) {
        return Math.max(0, offset - base);
    }

    @Override
    public Set<Integer> lagging() {
        ShardConsumer started = consumer;
        return started == null ? Set.of() : started.lagging();
    }

    @Override
    public long oldestAppendNanos() {
        return producer.oldestAppendNanos();
    }

    /**
     * Ends reading, then completes what was accepted. Each takes at most {@link KafkaConfig.Appends#closeTimeout} and a
     * second; appends that Kafka has not taken by then fail, though they may have become durable.
     */
    @Override
    public synchronized void close() {
        closed = true;
        ShardConsumer started = consumer;
        if (started != null) {
            started.close();
        }
        producer.close();
        admin.close(Duration.ZERO);
    }
}
