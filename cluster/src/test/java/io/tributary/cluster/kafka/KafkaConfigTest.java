package io.tributary.cluster.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.cluster.kafka.KafkaConfig.Appends;
import io.tributary.cluster.kafka.KafkaConfig.Compression;
import io.tributary.cluster.kafka.KafkaConfig.GroupProtocol;
import io.tributary.cluster.kafka.KafkaConfig.Reading;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KafkaConfigTest {
    private static final KafkaConfig CONFIG = KafkaConfig.defaults("one:9092, two:9092");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "acks",
                "enable.idempotence",
                "retries",
                "delivery.timeout.ms",
                "isolation.level",
                "group.id",
                "group.instance.id",
                "auto.offset.reset",
                "enable.auto.commit",
                "key.serializer",
                "value.serializer",
                "key.deserializer",
                "value.deserializer",
                "max.in.flight.requests.per.connection",
                "max.block.ms",
                "transactional.id",
                "bootstrap.servers",
                "linger.ms"
            })
    void propertyIsRefusedWithAReasonWhenItCarriesAPromise(String name) {
        assertRefused(
                () -> CONFIG.withClientProperties(Map.of(name, "1")), "client property " + name + " cannot be set: ");
    }

    @Test
    void propertiesReachEveryClientWhenTheyAreFree() {
        KafkaConfig config = CONFIG.withClientProperties(Map.of("security.protocol", "SASL_SSL"));
        assertThat(List.of(
                        ClientProperties.producer(config, "node", 1),
                        ClientProperties.shardConsumer(config, "node"),
                        ClientProperties.mapConsumer(config, "node"),
                        ClientProperties.admin(config, "node")))
                .allSatisfy(properties -> assertThat(properties).containsEntry("security.protocol", "SASL_SSL"));
    }

    @Test
    void socketBuffersAreLeftToTheOperatingSystemUnlessTheyAreConfigured() {
        assertThat(all(CONFIG))
                .allSatisfy(properties -> assertThat(properties)
                        .containsEntry("send.buffer.bytes", -1)
                        .containsEntry("receive.buffer.bytes", -1));
        KafkaConfig config =
                CONFIG.withClientProperties(Map.of("send.buffer.bytes", "65536", "receive.buffer.bytes", "32768"));
        assertThat(all(config))
                .allSatisfy(properties -> assertThat(properties)
                        .containsEntry("send.buffer.bytes", "65536")
                        .containsEntry("receive.buffer.bytes", "32768"));
    }

    private static List<Map<String, Object>> all(KafkaConfig config) {
        return List.of(
                ClientProperties.producer(config, "node", 1),
                ClientProperties.appProducer(config, "node"),
                ClientProperties.ingestProducer(config, "node"),
                ClientProperties.shardConsumer(config, "node"),
                ClientProperties.appConsumer(config, "node"),
                ClientProperties.ingestConsumer(config, "node"),
                ClientProperties.mapConsumer(config, "node"),
                ClientProperties.admin(config, "node"));
    }

    @Test
    void secretsAreNotShownWhenPrinted() {
        KafkaConfig config = CONFIG.withClientProperties(Map.of("sasl.jaas.config", "password=secret"));
        assertThat(config.toString()).contains("sasl.jaas.config", "one:9092").doesNotContain("secret");
    }

    @Test
    void promisesAreKeptWhenTheDefaultsAreUsed() {
        assertThat(ClientProperties.producer(CONFIG, "node", 128))
                .containsEntry("acks", "all")
                .containsEntry("enable.idempotence", true)
                .containsEntry("retries", Integer.MAX_VALUE)
                .containsEntry("delivery.timeout.ms", Integer.MAX_VALUE)
                .containsEntry("max.in.flight.requests.per.connection", 5)
                .containsEntry("max.block.ms", 0)
                .containsEntry("linger.ms", 2L)
                .containsEntry("batch.size", 65_536)
                .containsEntry("buffer.memory", 64L * 1024 * 1024 + 4L * 128 * 65_536)
                .containsEntry("compression.type", "none");
        assertThat(ClientProperties.shardConsumer(CONFIG, "node"))
                .containsEntry("group.id", "tributary.shards")
                .containsEntry("auto.offset.reset", "none")
                .containsEntry("enable.auto.commit", false)
                .containsEntry("isolation.level", "read_uncommitted")
                .doesNotContainKey("client.rack");
        assertThat(ClientProperties.ingestConsumer(CONFIG, "node"))
                .containsEntry("group.protocol", "classic")
                .containsEntry("session.timeout.ms", 6000)
                .containsEntry("heartbeat.interval.ms", 2000);
    }

    @Test
    void settingsReachTheClientsWhenTheyAreChosen() {
        Reading reading = new Reading(
                GroupProtocol.CONSUMER,
                Duration.ofSeconds(9),
                Duration.ofSeconds(3),
                Duration.ofMillis(50),
                10,
                1 << 20,
                1 << 16,
                "west");
        KafkaConfig config =
                CONFIG.withReading(reading).withAppends(Appends.defaults().withCompression(Compression.LZ4));
        assertThat(ClientProperties.producer(config, "node", 1)).containsEntry("compression.type", "lz4");
        assertThat(ClientProperties.shardConsumer(config, "node"))
                .containsEntry("client.rack", "west")
                .containsEntry("max.poll.records", 10)
                .containsEntry("fetch.max.wait.ms", 50)
                .containsEntry("fetch.max.bytes", 1 << 20)
                .containsEntry("max.partition.fetch.bytes", 1 << 16);
        assertThat(ClientProperties.ingestConsumer(config, "node"))
                .containsEntry("group.protocol", "consumer")
                .doesNotContainKeys("session.timeout.ms", "heartbeat.interval.ms", "partition.assignment.strategy");
    }

    @Test
    void configurationIsRefusedWhenAValueMakesNoSense() {
        assertRefused(() -> KafkaConfig.defaults("nowhere"), "bootstrap servers nowhere: must be host:port");
        assertRefused(() -> CONFIG.withTopicPrefix("a b"), "topic prefix a b: must be");
        assertRefused(() -> CONFIG.withReplicationFactor(0), "replication factor 0: must be");
        assertRefused(() -> CONFIG.withStartTimeout(Duration.ZERO), "start timeout PT0S: must be positive");
        assertRefused(() -> Appends.defaults().withBufferBytes(1), "buffer bytes 1: must be");
        assertRefused(() -> Appends.defaults().withMaxRecordBytes(1), "largest record 1: must be");
        assertRefused(() -> Appends.defaults().withCloseTimeout(Duration.ZERO), "close timeout PT0S: must be");
        assertRefused(
                () -> TestKafka.reading(Duration.ofMillis(10), Duration.ofMillis(2)),
                "session timeout PT0.01S: must be");
        assertRefused(() -> new TopicNeeds(0, List.of(), List.of(), Duration.ofDays(1), 1), "shards 0: must be");
        assertRefused(
                () -> new TopicNeeds(16_385, List.of(), List.of(), Duration.ofDays(1), 1), "shards 16385: must be");
        assertRefused(
                () -> new TopicNeeds(1, List.of("shards"), List.of(), Duration.ofDays(1), 1),
                "map name shards: must be");
    }

    @Test
    void batchesOfApplicationsDoNotOvertakeEachOther() {
        assertThat(ClientProperties.appProducer(CONFIG, "node"))
                .containsEntry("max.in.flight.requests.per.connection", 1)
                .containsEntry("enable.idempotence", true)
                .containsEntry("max.block.ms", 0);
        assertThat(ClientProperties.appConsumer(CONFIG, "node"))
                .containsEntry("auto.offset.reset", "none")
                .doesNotContainKey("group.id");
    }

    private static void assertRefused(ThrowingCallable action, String message) {
        assertThatThrownBy(action).isInstanceOf(IllegalArgumentException.class).hasMessageStartingWith(message);
    }
}
