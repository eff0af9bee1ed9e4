package io.tributary.cluster.kafka;

import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;

import io.tributary.cluster.kafka.KafkaConfig.GroupProtocol;
import io.tributary.cluster.kafka.KafkaConfig.Reading;
import io.tributary.cluster.kafka.shard.KafkaShardLog;
import io.tributary.localcluster.LocalKafka;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigResource;

/** Configurations for tests, names of their own on a broker that is shared, and what they do to topics. */
public final class TestKafka {
    public static final int SHARDS = 4;
    public static final int LARGEST_PACKET = 256 * 1024;

    /** Longer than a slow machine keeps a member from telling that it lives. */
    private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(10);

    private static final Duration HEARTBEAT_INTERVAL = Duration.ofMillis(250);

    private TestKafka() {}

    /** On the broker that all tests share, with topics that no other test has. */
    public static KafkaConfig config() {
        return config(LocalKafka.shared(), 1);
    }

    public static KafkaConfig config(LocalKafka kafka, int replicationFactor) {
        return KafkaConfig.defaults(kafka.bootstrapServers())
                .withTopicPrefix("test-" + UUID.randomUUID())
                .withReplicationFactor(replicationFactor)
                .withReading(reading());
    }

    /** Short intervals, so that members hear soon of one that comes or leaves. */
    public static Reading reading() {
        return reading(SESSION_TIMEOUT, HEARTBEAT_INTERVAL);
    }

    static Reading reading(Duration sessionTimeout, Duration heartbeatInterval) {
        Reading defaults = Reading.defaults();
        return new Reading(
                GroupProtocol.CLASSIC,
                sessionTimeout,
                heartbeatInterval,
                Duration.ofMillis(20),
                defaults.maxPollRecords(),
                defaults.fetchBytes(),
                defaults.partitionFetchBytes(),
                null);
    }

    public static TopicNeeds needs(String... maps) {
        return new TopicNeeds(SHARDS, List.of(maps), List.of(), Duration.ofDays(7), LARGEST_PACKET);
    }

    /** Creates the topics. */
    public static KafkaConfig withTopics(KafkaConfig config, String... maps) {
        KafkaTopics.ensure(config, needs(maps));
        return config;
    }

    /** A log whose shards are all its own. */
    public static KafkaShardLog log(KafkaConfig config) {
        return allOwn(new KafkaShardLog(
                config, "node", SHARDS, Duration.ZERO, InstantSource.system(), KafkaRecorder.NONE, failure -> {}));
    }

    /** Has a log have all shards once it is started. */
    public static KafkaShardLog allOwn(KafkaShardLog log) {
        Set<Integer> all = IntStream.range(0, log.shardCount()).boxed().collect(Collectors.toSet());
        log.onTakePart(_ -> log.assign(all, () -> {}));
        return log;
    }

    public static Admin admin(KafkaConfig config) {
        return Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, config.bootstrapServers()));
    }

    /** Changes a setting of a topic. Waits until the server tells the new one: the controller answers sooner. */
    public static void alter(KafkaConfig config, String topic, String name, String value) {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        AlterConfigOp change = new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
        try (Admin admin = admin(config)) {
            get(admin.incrementalAlterConfigs(Map.of(resource, List.of(change)))
                    .all()
                    .toCompletionStage());
            until(() -> get(admin.describeConfigs(List.of(resource)).all().toCompletionStage()).values().stream()
                    .allMatch(settings -> settings.get(name).value().equals(value)));
        }
    }

    /** Creates a topic without settings of its own. Waits until the server knows it. */
    public static void create(KafkaConfig config, String topic, int partitions) {
        try (Admin admin = admin(config)) {
            get(admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1)))
                    .all()
                    .toCompletionStage());
            until(() -> exists(admin, topic));
        }
    }

    /** Has a topic have so many partitions. Waits until the server tells that it has. */
    public static void addPartitions(KafkaConfig config, String topic, int partitions) {
        try (Admin admin = admin(config)) {
            get(admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(partitions)))
                    .all()
                    .toCompletionStage());
            until(() -> get(admin.describeTopics(List.of(topic)).allTopicNames().toCompletionStage()).values().stream()
                    .allMatch(found -> found.partitions().size() == partitions));
        }
    }

    /** Deletes a topic. Waits until the server does not know it any more. */
    public static void delete(KafkaConfig config, String topic) {
        try (Admin admin = admin(config)) {
            get(admin.deleteTopics(List.of(topic)).all().toCompletionStage());
            until(() -> !exists(admin, topic));
        }
    }

    private static boolean exists(Admin admin, String topic) {
        return get(admin.listTopics().names().toCompletionStage()).contains(topic);
    }
}
