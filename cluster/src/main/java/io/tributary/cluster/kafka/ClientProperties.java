package io.tributary.cluster.kafka;

import io.tributary.cluster.kafka.KafkaConfig.GroupProtocol;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The properties of Kafka's clients: those of the configuration, and those on which our promises rest. Each map is the
 * caller's own.
 */
public final class ClientProperties {
    /** What a record needs besides its key and value, in bytes, here and in Kafka. */
    public static final int RECORD_OVERHEAD_BYTES = 128;

    /** A topic that nothing was sent to for a while is not to be forgotten: the next send would wait for it. */
    private static final long TEN_YEARS_MILLIS = 10L * 365 * 24 * 3600 * 1000;

    /**
     * A size of a socket's buffer that the operating system chooses and adapts. Kafka's own, 64 to 128 KB, is about a
     * segment of the loopback interface: what is behind one waits for TCP's timers, 200 ms.
     */
    private static final int BUFFER_OF_THE_SYSTEM = -1;

    private static final int REPLAY_POLL_RECORDS = 10_000;
    private static final int REPLAY_FETCH_BYTES = 4 * 1024 * 1024;

    /** How many topics of applications may have a batch under way at a time, in a producer's own buffer. */
    private static final int APP_BATCHES = 256;

    private static final long APP_IDLE_MILLIS = 5 * 60 * 1000;
    private static final int APP_FETCH_BYTES = 8 * 1024 * 1024;
    private static final int APP_PARTITION_FETCH_BYTES = 128 * 1024;

    private static final int INGEST_POLL_RECORDS = 500;
    private static final int INGEST_FETCH_BYTES = 8 * 1024 * 1024;
    private static final int INGEST_PARTITION_FETCH_BYTES = 1024 * 1024;
    private static final int REQUEST_MILLIS = 30_000;

    /** So long a group waits for a member that does not hear that its partitions are to be shared out anew. */
    private static final int REBALANCE_MILLIS = 60_000;

    /** How long a producer of {@link #ingestProducer} waits for a topic to become known, or for room. */
    public static final Duration INGEST_BLOCK = Duration.ofSeconds(2);

    private ClientProperties() {}

    /** A producer that gives up nothing and never blocks its callers. */
    static Map<String, Object> producer(KafkaConfig config, String clientId, int partitions) {
        KafkaConfig.Appends appends = config.appends();
        int largestRequestBytes = appends.maxRecordBytes() + RECORD_OVERHEAD_BYTES;
        Map<String, Object> properties = common(config, clientId);
        properties.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        properties.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        properties.put(ProducerConfig.ACKS_CONFIG, "all");
        properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        properties.put(ProducerConfig.RETRIES_CONFIG, Integer.MAX_VALUE);
        properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Integer.MAX_VALUE);
        properties.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 5);
        properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 0);
        properties.put(ProducerConfig.METADATA_MAX_IDLE_CONFIG, TEN_YEARS_MILLIS);
        properties.put(ProducerConfig.LINGER_MS_CONFIG, appends.linger().toMillis());
        properties.put(ProducerConfig.BATCH_SIZE_CONFIG, appends.batchBytes());
        properties.put(
                ProducerConfig.BUFFER_MEMORY_CONFIG,
                Math.max(largestRequestBytes, 2 * appends.bufferBytes() + 4L * partitions * appends.batchBytes()));
        properties.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, largestRequestBytes);
        properties.put(
                ProducerConfig.COMPRESSION_TYPE_CONFIG, appends.compression().property());
        return properties;
    }

    /**
     * The producer for the topics of applications, which come and go. A topic's batches never overtake each other, also
     * when it was deleted and made anew: so one request at a time.
     */
    public static Map<String, Object> appProducer(KafkaConfig config, String clientId) {
        Map<String, Object> properties = producer(config, clientId, APP_BATCHES);
        properties.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
        properties.put(ProducerConfig.METADATA_MAX_IDLE_CONFIG, APP_IDLE_MILLIS);
        return properties;
    }

    /** A reader of the topics of applications, at positions that it is told. */
    public static Map<String, Object> appConsumer(KafkaConfig config, String clientId) {
        Map<String, Object> properties = consumer(config, clientId);
        properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, config.reading().maxPollRecords());
        properties.put(
                ConsumerConfig.FETCH_MAX_BYTES_CONFIG, Math.min(config.reading().fetchBytes(), APP_FETCH_BYTES));
        properties.put(
                ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
                Math.min(config.reading().partitionFetchBytes(), APP_PARTITION_FETCH_BYTES));
        return properties;
    }

    /** The reader of the node's shards, which are told it; the group knows how far they are. */
    public static Map<String, Object> shardConsumer(KafkaConfig config, String clientId) {
        KafkaConfig.Reading reading = config.reading();
        Map<String, Object> properties = consumer(config, clientId);
        properties.put(ConsumerConfig.GROUP_ID_CONFIG, config.shardsTopic());
        properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, reading.maxPollRecords());
        properties.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, reading.fetchBytes());
        properties.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, reading.partitionFetchBytes());
        return properties;
    }

    /**
     * The node's member of the group that shares out the ingest partitions. What a transaction took back is not read.
     */
    public static Map<String, Object> ingestConsumer(KafkaConfig config, String clientId) {
        KafkaConfig.Reading reading = config.reading();
        Map<String, Object> properties = consumer(config, clientId);
        properties.put(ConsumerConfig.GROUP_ID_CONFIG, config.ingestTopic());
        properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        properties.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, REBALANCE_MILLIS);
        properties.put(
                ConsumerConfig.GROUP_PROTOCOL_CONFIG,
                reading.groupProtocol().name().toLowerCase(Locale.ROOT));
        if (reading.groupProtocol() == GroupProtocol.CLASSIC) {
            properties.put(
                    ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, CooperativeStickyAssignor.class.getName());
            properties.put(
                    ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG,
                    Math.toIntExact(reading.sessionTimeout().toMillis()));
            properties.put(
                    ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG,
                    Math.toIntExact(reading.heartbeatInterval().toMillis()));
        }
        properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, INGEST_POLL_RECORDS);
        properties.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, INGEST_FETCH_BYTES);
        properties.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, INGEST_PARTITION_FETCH_BYTES);
        return properties;
    }

    /** A producer of a few records that nothing else depends on, which gives up after a while. */
    public static Map<String, Object> ingestProducer(KafkaConfig config, String clientId) {
        Map<String, Object> properties = producer(config, clientId, 1);
        properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, INGEST_BLOCK.toMillis());
        properties.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MILLIS);
        properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 2 * REQUEST_MILLIS);
        properties.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, (int)
                Math.min(Integer.MAX_VALUE, config.appends().bufferBytes()));
        return properties;
    }

    /** The follower of the maps' topics; is told when records that it has read are not there any more. */
    public static Map<String, Object> mapConsumer(KafkaConfig config, String clientId) {
        Map<String, Object> properties = topicConsumer(config, clientId);
        properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        return properties;
    }

    /** A reader of whole topics, without a group. */
    public static Map<String, Object> topicConsumer(KafkaConfig config, String clientId) {
        Map<String, Object> properties = consumer(config, clientId);
        properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, REPLAY_POLL_RECORDS);
        properties.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, REPLAY_FETCH_BYTES);
        return properties;
    }

    /** A client that asks about topics. */
    static Map<String, Object> admin(KafkaConfig config, String clientId) {
        return common(config, clientId);
    }

    private static Map<String, Object> consumer(KafkaConfig config, String clientId) {
        Map<String, Object> properties = common(config, clientId);
        properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted");
        properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        properties.put(
                ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
                Math.toIntExact(config.reading().fetchWait().toMillis()));
        if (config.reading().rack() != null) {
            properties.put(ConsumerConfig.CLIENT_RACK_CONFIG, config.reading().rack());
        }
        return properties;
    }

    private static Map<String, Object> common(KafkaConfig config, String clientId) {
        Map<String, Object> properties = new HashMap<>();
        properties.put(CommonClientConfigs.SEND_BUFFER_CONFIG, BUFFER_OF_THE_SYSTEM);
        properties.put(CommonClientConfigs.RECEIVE_BUFFER_CONFIG, BUFFER_OF_THE_SYSTEM);
        properties.putAll(config.clientProperties());
        properties.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, config.bootstrapServers());
        properties.put(CommonClientConfigs.CLIENT_ID_CONFIG, clientId);
        return properties;
    }
}
