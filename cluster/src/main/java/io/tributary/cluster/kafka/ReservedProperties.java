package io.tributary.cluster.kafka;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/** The properties of Kafka's clients that an administrator may not set: they carry a promise, or have a setting. */
final class ReservedProperties {
    /** Each with the reason. */
    private static final Map<String, String> RESERVED = reserved();

    private ReservedProperties() {}

    /** Refuses properties that are reserved. */
    static void check(Map<String, String> properties) {
        for (String name : new TreeMap<>(properties).keySet()) {
            String reason = RESERVED.get(name);
            if (reason != null) {
                throw new IllegalArgumentException("client property " + name + " cannot be set: " + reason);
            }
        }
    }

    private static Map<String, String> reserved() {
        Map<String, String> reasons = new HashMap<>();
        String durable = "nothing is acknowledged before all in-sync copies have it";
        String order = "a record that is given up while the next one is sent breaks the order of a session";
        String position = "where a shard is read from is in its store, not in the group";
        String setting = "it has a setting of its own";
        reasons.put(ProducerConfig.ACKS_CONFIG, durable);
        reasons.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "without it a retry repeats or reorders records");
        reasons.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "appends are not transactions");
        reasons.put(ProducerConfig.RETRIES_CONFIG, order);
        reasons.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, order);
        reasons.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, order);
        reasons.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, "an append never blocks its caller");
        reasons.put(ProducerConfig.METADATA_MAX_IDLE_CONFIG, "an append never waits for a topic that was forgotten");
        reasons.put(ProducerConfig.PARTITIONER_CLASS_CONFIG, "the shard is the partition");
        reasons.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, "keys are bytes");
        reasons.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, "values are bytes");
        reasons.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, "keys are bytes");
        reasons.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, "values are bytes");
        reasons.put(
                ConsumerConfig.GROUP_ID_CONFIG, "all nodes of a cluster are one group, which is named after its topic");
        reasons.put(
                ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
                "a static member that was killed cannot return before its timeout");
        reasons.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, position);
        reasons.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, position);
        reasons.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "nothing is written in transactions");
        reasons.put(
                ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
                "shards that stay must not pause when others move");
        reasons.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, setting);
        reasons.put(CommonClientConfigs.CLIENT_ID_CONFIG, "each client has a name of its own");
        for (String name : new String[] {
            ProducerConfig.LINGER_MS_CONFIG,
            ProducerConfig.BATCH_SIZE_CONFIG,
            ProducerConfig.BUFFER_MEMORY_CONFIG,
            ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
            ProducerConfig.COMPRESSION_TYPE_CONFIG,
            ConsumerConfig.GROUP_PROTOCOL_CONFIG,
            ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG,
            ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG,
            ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
            ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
            ConsumerConfig.FETCH_MAX_BYTES_CONFIG,
            ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
            ConsumerConfig.CLIENT_RACK_CONFIG
        }) {
            reasons.put(name, setting);
        }
        return Map.copyOf(reasons);
    }
}
