package io.tributary.cluster.kafka.layout;

import io.tributary.cluster.kafka.ClientProperties;
import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaClients;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaTopics;
import io.tributary.cluster.kafka.ShardMark;
import io.tributary.cluster.kafka.TopicNeeds;
import io.tributary.cluster.kafka.TopicRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.RecordTooLargeException;

/**
 * The topic of one generation's logs, as who changes the shards needs it. Every method blocks, and throws a
 * {@link KafkaAccessException} when Kafka does not answer or refuses. For one thread.
 */
public final class ShardsTopic implements AutoCloseable {
    /** So small that no record fits. */
    private static final String NOTHING = "1";

    private static final Duration POLL = Duration.ofMillis(200);
    private static final long PROBE_MILLIS = 200;

    /** Takes records. */
    @FunctionalInterface
    public interface RecordReader {
        /** The next record of a shard. */
        void read(int shard, byte[] value);
    }

    private final KafkaConfig config;
    private final int shards;
    private final Admin admin;

    /**
     * Connects.
     *
     * @param config with the generation that is meant
     * @param shards how many shards that has
     */
    public ShardsTopic(KafkaConfig config, int shards) {
        this.config = config;
        this.shards = shards;
        admin = KafkaTopics.connect(config);
    }

    private String name() {
        return config.shardsTopic();
    }

    private List<TopicPartition> partitions() {
        return IntStream.range(0, shards)
                .mapToObj(shard -> new TopicPartition(name(), shard))
                .toList();
    }

    /** The offset behind the last record of each shard. */
    public long[] ends() {
        return ends(partitions());
    }

    /** The end of a map: that of the node table moves while a node is there. */
    public long endOfMap(String map) {
        return ends(List.of(new TopicPartition(config.mapTopic(map), 0)))[0];
    }

    private long[] ends(List<TopicPartition> partitions) {
        var found = await(admin.listOffsets(KafkaTopics.ends(partitions)).all());
        return partitions.stream()
                .mapToLong(partition ->
                        Objects.requireNonNull(found.get(partition)).offset())
                .toArray();
    }

    /** The largest record that it takes, in bytes; says nothing where {@link #closeForWriting} was called. */
    public int maxRecordBytes() {
        return maxRecordBytes(name());
    }

    private int maxRecordBytes(String topic) {
        var described =
                await(admin.describeConfigs(List.of(resource(topic))).all()).get(resource(topic));
        ConfigEntry entry = described == null ? null : described.get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG);
        if (entry == null) {
            throw new KafkaAccessException("topic " + topic + " has no " + TopicConfig.MAX_MESSAGE_BYTES_CONFIG);
        }
        return Integer.parseInt(entry.value());
    }

    /** Has the topics of the maps take records of the size that is needed: more shards need larger ones. */
    public void widen(TopicNeeds needs) {
        for (String map : needs.maps()) {
            String topic = config.mapTopic(map);
            if (maxRecordBytes(topic) < needs.largestMapRecordBytes()) {
                setMaxRecordBytes(topic, Integer.toString(needs.largestMapRecordBytes()));
            }
        }
    }

    /** Whether {@link #closeForWriting} was called, perhaps by a process before. */
    public boolean isClosedForWriting() {
        return maxRecordBytes() == Integer.parseInt(NOTHING);
    }

    /**
     * Has Kafka refuse each record from now on, whoever sends it: a node that was paused, and does not know yet that it
     * is none any more, would acknowledge what nobody reads. Returns when all of Kafka's servers do so.
     */
    public void closeForWriting() {
        setMaxRecordBytes(name(), NOTHING);
        awaitTaking(false);
    }

    /** Waits until all of Kafka's servers take records, or refuse them, as was set just now. */
    private void awaitTaking(boolean wanted) {
        long deadline = System.nanoTime() + config.startTimeout().toNanos();
        try (KafkaProducer<byte[], byte[]> producer =
                KafkaClients.producer(config, ClientProperties.ingestProducer(config, name() + "-closing"))) {
            for (TopicPartition partition : partitions()) {
                while (takes(producer, partition) != wanted) {
                    if (System.nanoTime() - deadline >= 0) {
                        throw new KafkaAccessException(name() + (wanted ? " takes no" : " still takes")
                                + " records, though " + TopicConfig.MAX_MESSAGE_BYTES_CONFIG + " was set");
                    }
                    pause();
                }
            }
        }
    }

    /** Sends a record of ours that says nothing. */
    private boolean takes(KafkaProducer<byte[], byte[]> producer, TopicPartition partition) {
        try {
            byte[] nothing = {};
            var _ = producer.send(new ProducerRecord<byte[], byte[]>(
                            partition.topic(), partition.partition(), null, null, nothing, ShardMark.HEADERS))
                    .get();
            return true;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RecordTooLargeException) {
                return false;
            }
            throw new KafkaAccessException(partition + " cannot be asked whether it is closed: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaAccessException("interrupted while " + partition + " was closed", e);
        }
    }

    /** Has Kafka take records again. */
    public void openForWriting(int maxRecordBytes) {
        if (isClosedForWriting()) {
            setMaxRecordBytes(name(), Integer.toString(maxRecordBytes));
            awaitTaking(true);
        }
    }

    private void setMaxRecordBytes(String topic, String bytes) {
        AlterConfigOp change = new AlterConfigOp(
                new ConfigEntry(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, bytes), AlterConfigOp.OpType.SET);
        await(admin.incrementalAlterConfigs(Map.of(resource(topic), List.of(change)))
                .all());
    }

    private static ConfigResource resource(String topic) {
        return new ConfigResource(ConfigResource.Type.TOPIC, topic);
    }

    /** Whether it is there. */
    public boolean exists() {
        return await(admin.listTopics().names()).contains(name());
    }

    /**
     * Makes it, and waits until Kafka's servers know it.
     *
     * @param maxRecordBytes the largest record that the topic before took: what came so may still be queued
     * @return the largest record that this one takes
     */
    public int create(TopicNeeds needs, int maxRecordBytes) {
        NewTopic topic = TopicRules.shards(config, needs).newTopic();
        Map<String, String> settings = new HashMap<>(topic.configs());
        int largest = Math.max(maxRecordBytes, Integer.parseInt(settings.get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG)));
        settings.put(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(largest));
        await(admin.createTopics(List.of(topic.configs(settings))).all());
        long deadline = System.nanoTime() + config.startTimeout().toNanos();
        while (!exists()) {
            if (System.nanoTime() - deadline >= 0) {
                throw new KafkaAccessException("topic " + name() + " was made and is not there");
            }
            pause();
        }
        return largest;
    }

    /** Deletes it, and what is known of the group of its readers. */
    public void delete() {
        if (exists()) {
            await(admin.deleteTopics(List.of(name())).all());
        }
        try {
            await(admin.deleteConsumerGroups(Set.of(name())).all());
        } catch (KafkaAccessException e) {
            // there is none, or nobody may delete it: Kafka forgets groups that nobody uses
        }
    }

    /** The records of some shards that say something, from these offsets to the ends as they are now, in order. */
    public void read(Map<Integer, Long> from, RecordReader reader) {
        Map<TopicPartition, Long> left = new HashMap<>();
        from.keySet().forEach(shard -> left.put(new TopicPartition(name(), shard), 0L));
        List<TopicPartition> all = new ArrayList<>(left.keySet());
        long[] ends = ends(all);
        for (int i = 0; i < ends.length; i++) {
            left.put(all.get(i), ends[i]);
        }
        try (KafkaConsumer<byte[], byte[]> consumer =
                KafkaClients.consumer(config, ClientProperties.topicConsumer(config, name() + "-reading"))) {
            consumer.assign(all);
            all.forEach(partition -> consumer.seek(partition, from.getOrDefault(partition.partition(), 0L)));
            long deadline = System.nanoTime() + config.startTimeout().toNanos();
            while (!isRead(consumer, left)) {
                var polled = consumer.poll(POLL);
                polled.forEach(record -> {
                    if (record.value() != null && record.value().length > 0) {
                        reader.read(record.partition(), record.value());
                    }
                });
                if (!polled.isEmpty()) {
                    deadline = System.nanoTime() + config.startTimeout().toNanos();
                } else if (System.nanoTime() - deadline >= 0) {
                    throw new KafkaAccessException("topic " + name() + " cannot be read");
                }
            }
        }
    }

    private static boolean isRead(KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends) {
        return ends.entrySet().stream().allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
    }

    /** Kafka's identifier of it. */
    public String identity() {
        return await(admin.describeTopics(List.of(name())).allTopicNames())
                .values()
                .iterator()
                .next()
                .topicId()
                .toString();
    }

    private static void pause() {
        try {
            Thread.sleep(PROBE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaAccessException("interrupted while Kafka was waited for", e);
        }
    }

    private <T> T await(KafkaFuture<T> answer) {
        return KafkaTopics.await(config, answer, config.startTimeout());
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
    }
}
