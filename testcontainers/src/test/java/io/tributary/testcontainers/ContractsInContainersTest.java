package io.tributary.testcontainers;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.TestKafka;
import io.tributary.cluster.kafka.app.AppTopicsConfig;
import io.tributary.cluster.kafka.app.KafkaAppTopics;
import io.tributary.cluster.kafka.audit.KafkaAuditLog;
import io.tributary.cluster.kafka.map.KafkaMaps;
import io.tributary.cluster.kafka.shard.KafkaShardLog;
import io.tributary.cluster.redis.RedisCluster;
import io.tributary.cluster.redis.RedisConfig;
import io.tributary.cluster.redis.RedisRecorder;
import io.tributary.cluster.redis.RedisShardStore;
import io.tributary.common.event.RecordFormat;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.audit.AuditLog;
import io.tributary.persistence.contract.AppTopicsContract;
import io.tributary.persistence.contract.AuditLogContract;
import io.tributary.persistence.contract.ReplicatedMapContract;
import io.tributary.persistence.contract.ShardLogContract;
import io.tributary.persistence.contract.ShardStoreContract;
import io.tributary.persistence.replicated.ReplicatedMap;
import io.tributary.persistence.replicated.Visibility;
import io.tributary.persistence.shard.ShardLog;
import io.tributary.persistence.shard.ShardStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.testcontainers.junit.jupiter.Testcontainers;

/**
 * What is promised of every adapter, with three brokers of Kafka, three copies of each record, and a Redis Cluster.
 * Their containers are reached by addresses of their own. Skipped where there is no Docker engine, and where it is
 * behind another machine, as Docker Desktop's is.
 */
@Testcontainers(disabledWithoutDocker = true)
class ContractsInContainersTest {
    private static final int COPIES = 3;
    private static final int SHARDS = 4;
    private static final int REDIS_PORT = 6379;
    private static final String[] MAPS = {"map", "map2"};

    @SuppressWarnings("NullAway.Init")
    private static ContainerCluster servers;

    @SuppressWarnings("NullAway.Init")
    private static RedisCluster redis;

    @BeforeAll
    static void start() throws Exception {
        servers = new ContainerCluster();
        servers.startServers();
        assumeTrue(servers.isReachable(), "containers' addresses cannot be reached from here");
        redis = RedisCluster.connect(RedisConfig.of(servers.redisHosts().stream()
                        .map(host -> new RedisConfig.Node(host, REDIS_PORT))
                        .toList())
                .withCommandTimeout(Duration.ofSeconds(20)));
    }

    @AfterAll
    static void stop() {
        try (ContainerCluster _ = servers) {
            if (redis != null) {
                redis.close();
            }
        }
    }

    /** With topics that no other test has. */
    private static KafkaConfig kafka() {
        return KafkaConfig.defaults(servers.bootstrapServers())
                .withTopicPrefix("test-" + UUID.randomUUID())
                .withReplicationFactor(COPIES)
                .withReading(TestKafka.reading());
    }

    private static void breaks(Throwable failure) {
        throw new AssertionError("broken for good", failure);
    }

    @Nested
    class RedisShardStoreTest extends ShardStoreContract {
        private boolean cleared;

        @Override
        protected ShardStore open() {
            if (!cleared) {
                servers.clearRedis();
                cleared = true;
            }
            return new RedisShardStore(redis, SHARDS, RecordFormat.alone(), RedisRecorder.NONE);
        }
    }

    @Nested
    class KafkaShardLogTest extends ShardLogContract {
        private final KafkaConfig config = TestKafka.withTopics(
                kafka().withAppends(KafkaConfig.Appends.defaults().withBufferBytes(BUFFER_BYTES)));

        @Override
        protected ShardLog open() {
            return TestKafka.allOwn(new KafkaShardLog(
                    config,
                    "node",
                    SHARDS,
                    Duration.ZERO,
                    InstantSource.system(),
                    KafkaRecorder.NONE,
                    ContractsInContainersTest::breaks));
        }
    }

    @Nested
    class KafkaAppTopicsTest extends AppTopicsContract {
        private final KafkaConfig config = kafka();

        @Override
        protected AppTopics open() {
            return new KafkaAppTopics(
                    config,
                    AppTopicsConfig.defaults().withCleaningInterval(Duration.ofMillis(200)),
                    "node",
                    TestKafka.LARGEST_PACKET,
                    "back-end",
                    RecordFormat.alone(),
                    KafkaRecorder.NONE,
                    ContractsInContainersTest::breaks);
        }
    }

    @Nested
    class KafkaReplicatedMapTest extends ReplicatedMapContract {
        private final KafkaMaps maps = new KafkaMaps(
                TestKafka.withTopics(kafka(), MAPS),
                "node",
                MAPS.length,
                Visibility.ALONE,
                KafkaRecorder.NONE,
                ContractsInContainersTest::breaks);

        @Override
        protected ReplicatedMap open(String name) {
            return maps.open(name);
        }

        @AfterEach
        void closeMaps() {
            maps.close();
        }
    }

    @Nested
    class KafkaAuditLogTest extends AuditLogContract {
        private final KafkaConfig config = kafka();

        @Override
        protected AuditLog open() {
            return new KafkaAuditLog(config, "node", KafkaRecorder.NONE, ContractsInContainersTest::breaks);
        }
    }
}
