package io.tributary.server.settings;

import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaConfig.Appends;
import io.tributary.cluster.kafka.KafkaConfig.Compression;
import io.tributary.cluster.kafka.KafkaConfig.GroupProtocol;
import io.tributary.cluster.kafka.KafkaConfig.Reading;
import io.tributary.cluster.kafka.KafkaConfig.Topics;
import io.tributary.cluster.kafka.TopicNeeds;
import io.tributary.server.settings.check.Allowed;
import io.tributary.server.settings.check.SettingException;
import io.tributary.server.settings.check.Units;
import java.time.Duration;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How Kafka is used, which keeps the shards' logs, subscriptions and retained messages.
 *
 * @param bootstrapServers Some of Kafka's addresses, {@code host:port} with commas between. Needed.
 * @param topicPrefix What the names of all topics and of the consumer groups begin with; without a value,
 *     {@code tributary.cluster.id}.
 * @param replicationFactor How many copies of each topic there are. Less than 3 loses what was acknowledged when a
 *     Kafka broker is lost.
 * @param startTimeout How long a start waits for Kafka to answer and for a whole Redis Cluster together; for Redis, at
 *     least a tenth of it.
 * @param tls encryption
 * @param sasl who the broker is to Kafka
 * @param clientProperties Any other property of Kafka's clients, {@code ssl.keystore.location} for one. Those that
 *     carry a promise of the broker, or that have a setting here, are refused.
 * @param linger How long a record waits for others to share its batch: fuller batches cost everybody less.
 * @param batchSize How large a batch grows; no larger than the largest packet and 512KB.
 * @param bufferSize How much may wait for Kafka before publishers are read more slowly: once for the shards and once
 *     for subscriptions and retained messages, of which the latter may take half. With less than 16MB a flood of them
 *     fails before its publishers wait.
 * @param compression How batches are compressed.
 * @param closeTimeout How long a stop waits for what was accepted, and then again for ending to read.
 * @param groupProtocol How nodes share out the partitions of {@code tributary.ingest.topics}. {@code classic}: among
 *     themselves. {@code consumer}: Kafka does it, and its own settings say when a node is gone: after 45 s, unless
 *     they are changed.
 * @param sessionTimeout After what silence a node loses those partitions; for {@code classic}, and no less than Kafka's
 *     own setting group.min.session.timeout.ms.
 * @param heartbeatInterval How often a node tells Kafka that it lives; at most a third of the session timeout; for
 *     {@code classic}.
 * @param fetchWait How long Kafka may hold back an answer that has nothing in it.
 * @param maxPollRecords How many records are taken at once.
 * @param fetchSize How much is asked of one Kafka broker at once: memory for each.
 * @param shardFetchSize How much of one shard is asked for at once; at most {@code fetch-size}.
 * @param rack Where this node is, as Kafka's brokers name it in broker.rack, so that it reads from a copy near by;
 *     without a value, always from the leader.
 * @param createMissingTopics Whether topics that are missing among others that are there are created, empty. What they
 *     held is lost then; without it, a broker does not start.
 * @param acceptShardsTopic The identifier that Kafka gave to the topic of the shards, if the shards are to go on with
 *     it though it is another one than before: it was created anew, or Kafka is another one.
 */
public record KafkaSettings(
        @Nullable String bootstrapServers,
        @Nullable String topicPrefix,

        @DefaultValue("3") @Allowed(min = "1", max = "32767")
        int replicationFactor,

        @DefaultValue("30s") @Allowed(min = "1s", max = "1h")
        Duration startTimeout,

        @DefaultValue TlsSettings tls,
        @DefaultValue SaslSettings sasl,
        @DefaultValue Map<String, String> clientProperties,

        @DefaultValue("2ms") @Allowed(min = "0ms", max = "1s")
        Duration linger,

        @DefaultValue("64KB") @Allowed(min = "1KB", max = "16MB")
        DataSize batchSize,

        @DefaultValue("32MB") @Allowed(min = "64KB", max = "1GB")
        DataSize bufferSize,

        @DefaultValue("none") Compression compression,

        @DefaultValue("10s") @Allowed(min = "1ms", max = "1h")
        Duration closeTimeout,

        @DefaultValue("classic") GroupProtocol groupProtocol,

        @DefaultValue("6s") @Allowed(min = "1s", max = "1h") Duration sessionTimeout,

        @DefaultValue("2s") @Allowed(min = "10ms", max = "20m")
        Duration heartbeatInterval,

        @DefaultValue("100ms") @Allowed(min = "0ms", max = "1s")
        Duration fetchWait,

        @DefaultValue("2000") @Allowed(min = "1", max = "100000")
        int maxPollRecords,

        @DefaultValue("16MB") @Allowed(min = "64KB", max = "1GB")
        DataSize fetchSize,

        @DefaultValue("1MB") @Allowed(min = "16KB", max = "1GB")
        DataSize shardFetchSize,

        @Nullable String rack,

        @DefaultValue("false") boolean createMissingTopics,

        @Nullable String acceptShardsTopic) {

    /** The largest packet with which a record stays within the 256 MiB that Kafka's clients are allowed here. */
    static final int LARGEST_PACKET_BYTES = 254 * 1024 * 1024;

    KafkaConfig config(String name, String clusterId, int shards, int largestPacketBytes) {
        if (bootstrapServers == null || bootstrapServers.isBlank()) {
            throw new SettingException(
                    name + ".bootstrap-servers",
                    "is missing; it must be some of Kafka's addresses, host:port,host:port");
        }
        int largestRecordBytes = TopicNeeds.largestRecordBytes(shards, largestPacketBytes);
        checkSizes(name, largestRecordBytes);
        Map<String, String> properties = new KafkaSecurity(name, tls, sasl).addTo(clientProperties);
        return SettingException.naming(
                name,
                () -> new KafkaConfig(
                        bootstrapServers.strip(),
                        topicPrefix == null ? clusterId : topicPrefix,
                        replicationFactor,
                        properties,
                        appends(largestRecordBytes),
                        reading(),
                        startTimeout,
                        new Topics(createMissingTopics, acceptShardsTopic == null ? "" : acceptShardsTopic),
                        KafkaConfig.Generation.FIRST));
    }

    private void checkSizes(String name, int largestRecordBytes) {
        if (batchSize.toBytes() > largestRecordBytes) {
            throw new SettingException(
                    name + ".batch-size",
                    "'" + Units.text(batchSize) + "' is more than "
                            + Units.text(DataSize.ofBytes(largestRecordBytes))
                            + ", which is the largest packet and what goes with it: topics would not take such a batch");
        }
        if (shardFetchSize.compareTo(fetchSize) > 0) {
            throw new SettingException(
                    name + ".shard-fetch-size",
                    "'" + Units.text(shardFetchSize) + "' is more than fetch-size, which is " + Units.text(fetchSize));
        }
        if (heartbeatInterval.multipliedBy(3).compareTo(sessionTimeout) > 0) {
            throw new SettingException(
                    name + ".heartbeat-interval",
                    "'" + Units.text(heartbeatInterval) + "' is more than a third of session-timeout, which is "
                            + Units.text(sessionTimeout));
        }
    }

    private Appends appends(int largestRecordBytes) {
        return new Appends(
                linger, (int) batchSize.toBytes(), bufferSize.toBytes(), largestRecordBytes, compression, closeTimeout);
    }

    private Reading reading() {
        return new Reading(
                groupProtocol,
                sessionTimeout,
                heartbeatInterval,
                fetchWait,
                maxPollRecords,
                (int) fetchSize.toBytes(),
                (int) shardFetchSize.toBytes(),
                rack);
    }

    /** Where Kafka is, and the names alone of the clients' properties, whose values may be secrets. */
    @Override
    public String toString() {
        return "KafkaSettings[bootstrapServers=" + bootstrapServers + ", clientProperties="
                + new TreeSet<>(clientProperties.keySet()) + "]";
    }
}
