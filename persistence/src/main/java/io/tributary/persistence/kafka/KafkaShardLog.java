package io.tributary.persistence.kafka;

import io.tributary.persistence.shard.AppendCallback;
import io.tributary.persistence.shard.ShardLog;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The shards' logs as the partitions of one topic, {@code <prefix>.shards}; the nodes of a cluster are a consumer group of
 * the same name, which shares the shards out.
 *
 * <p>An append that was accepted is repeated until it is durable, however long Kafka is away; meanwhile further ones are
 * refused when the budget of {@link KafkaConfig.Appends#bufferBytes} is in use. An append larger than
 * {@link KafkaConfig.Appends#maxRecordBytes} fails alone. When Kafka refuses a record for good (a permission that was taken
 * away, a limit of the topic that is too low), the log is broken: all appends fail from then on, and the failure listener
 * is told so that the node stops itself; to go on would be to skip a record.
 *
 * <p>Offsets are Kafka's: dense from 0. A record's time is the time at which Kafka's leader of the shard appended it, which
 * goes back if the clock of a new leader is behind that of the old one. Records that retention has deleted are skipped: the
 * first record that comes then has a higher offset than {@code from}. {@link #truncate} deletes nothing, for the state
 * store may go back in time; it tells Kafka's lag tools how far this group is.
 *
 * <p>Callbacks of appends come on the producer's thread, or on that of a caller whose append failed at once; the reader is
 * called on a polling thread of its own.
 */
public final class KafkaShardLog implements ShardLog {
    private final KafkaConfig config;
    private final String clientId;
    private final KafkaRecorder recorder;
    private final Consumer<Throwable> onBroken;
    private final OrderedProducer producer;
    private final Lane[] lanes;

    private volatile @Nullable ShardConsumer consumer;
    private boolean closed; // guarded by this

    /**
     * Opens it: connects to Kafka and learns the topic, which blocks for at most the configured time.
     *
     * @param clientId names this node in Kafka's logs and metrics
     * @param shards how many shards there are: the partitions of the topic, see {@link KafkaTopics}
     * @param onBroken told once when appending is broken for good, and once should reading end by a defect; on a thread of
     *     the log or of whoever appended; must not block
     * @throws KafkaAccessException when Kafka does not answer, or the topic is not there or has other partitions
     */
    public KafkaShardLog(
            KafkaConfig config, String clientId, int shards, KafkaRecorder recorder, Consumer<Throwable> onBroken) {
        this.config = config;
        this.clientId = clientId;
        this.recorder = recorder;
        this.onBroken = onBroken;
        this.producer = new OrderedProducer(config, clientId + "-shards", shards, recorder, onBroken);
        String topic = config.shardsTopic();
        try {
            int partitions = producer.await(topic);
            if (partitions != shards) {
                throw new KafkaAccessException("topic " + topic + " has " + partitions + " partitions, not " + shards);
            }
        } catch (RuntimeException e) {
            producer.abandon();
            throw e;
        }
        this.lanes = new Lane[shards];
        for (int shard = 0; shard < shards; shard++) {
            lanes[shard] = producer.lane(new TopicPartition(topic, shard));
        }
    }

    @Override
    public int shardCount() {
        return lanes.length;
    }

    @Override
    public boolean append(int shard, byte[] value, AppendCallback callback) {
        return lanes[shard].send(null, value, callback);
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
        ShardConsumer started =
                new ShardConsumer(config, clientId + "-shards", lanes.length, reader, recorder, onBroken);
        consumer = started;
        started.start();
    }

    @Override
    public void readFrom(int shard, long offset) {
        ShardConsumer started = consumer;
        if (started != null) {
            started.readFrom(shard, offset);
        }
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
            started.commit(shard, offset);
        }
    }

    /**
     * Leaves the group, which tells the reader that the shards are revoked, then completes what was accepted. Each takes at
     * most {@link KafkaConfig.Appends#closeTimeout} and a second; appends that Kafka has not taken by then fail, though they may have
     * become durable.
     */
    @Override
    public synchronized void close() {
        closed = true;
        ShardConsumer started = consumer;
        if (started != null) {
            started.close();
        }
        producer.close();
    }
}
