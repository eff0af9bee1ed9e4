package io.tributary.cluster.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KafkaTopicsTest {
    private final KafkaConfig config = TestKafka.config();
    private final TopicNeeds needs = TestKafka.needs("map");

    @Test
    void topicsAreThereAndGoodWhenCreated() throws ExecutionException, InterruptedException {
        KafkaTopics.ensure(config, needs);
        assertThatCode(() -> KafkaTopics.ensure(config, needs)).doesNotThrowAnyException();
        try (Admin admin = TestKafka.admin(config)) {
            Map<String, TopicDescription> topics = admin.describeTopics(
                            List.of(config.shardsTopic(), config.mapTopic("map")))
                    .allTopicNames()
                    .get();
            assertThat(topics)
                    .hasEntrySatisfying(
                            config.shardsTopic(),
                            topic -> assertThat(topic.partitions()).hasSize(TestKafka.SHARDS))
                    .hasEntrySatisfying(
                            config.mapTopic("map"),
                            topic -> assertThat(topic.partitions()).hasSize(1));
        }
    }

    @Test
    void nobodyFailsWhenManyNodesStartAtOnce() {
        List<CompletableFuture<Void>> starts = IntStream.range(0, 6)
                .mapToObj(node -> CompletableFuture.runAsync(() -> KafkaTopics.ensure(config, needs)))
                .toList();
        assertThatCode(() -> CompletableFuture.allOf(starts.toArray(CompletableFuture<?>[]::new))
                        .get())
                .doesNotThrowAnyException();
    }

    /** What came when larger packets were allowed can still be moved, or forwarded. */
    @Test
    void largestRecordIsWhatTheShardsTopicTakes() {
        assertThat(KafkaTopics.ensure(config, needs)).isEqualTo(needs.largestRecordBytes());
        TestKafka.alter(config, config.shardsTopic(), "max.message.bytes", "2000000");
        assertThat(KafkaTopics.ensure(config, needs)).isEqualTo(2_000_000);
    }

    @Test
    void topicsTakeLargerRecordsWhenLargerPacketsAreAllowedThanBefore() {
        KafkaTopics.ensure(config, needs);
        TestKafka.alter(config, config.shardsTopic(), "max.message.bytes", "700000");
        TestKafka.alter(config, config.mapTopic("map"), "max.message.bytes", "700000");
        assertThat(KafkaTopics.faults(config, needs)).hasSize(2);
        assertThat(KafkaTopics.ensure(config, needs)).isEqualTo(needs.largestRecordBytes());
        assertThat(KafkaTopics.faults(config, needs)).isEmpty();
    }

    /** Columns: topic, setting, a wrong value, what the sentence says of it. */
    @ParameterizedTest
    @CsvSource({
        "shards, cleanup.policy, compact, needed is delete",
        "shards, retention.ms, 3600000, needed is at least 604800000",
        "shards, retention.bytes, 1000000, needed is -1",
        "shards, unclean.leader.election.enable, true, needed is false",
        "shards, message.timestamp.type, CreateTime, needed is LogAppendTime",
        "shards, max.message.bytes, 1000, needed is at least 786528",
        "map, cleanup.policy, delete, needed is compact",
        "map, unclean.leader.election.enable, true, needed is false",
        "map, message.timestamp.type, CreateTime, needed is LogAppendTime",
        "map, max.message.bytes, 1000, needed is at least 786528",
    })
    void settingIsNamedWhenItIsWrong(String topic, String setting, String value, String need) {
        KafkaTopics.ensure(config, needs);
        String name = config.mapTopic(topic);
        TestKafka.alter(config, name, setting, value);
        assertThatThrownBy(() -> KafkaTopics.ensure(config, needs))
                .isInstanceOf(KafkaAccessException.class)
                .hasMessageStartingWith("topic " + name + ": " + setting + " is " + value + ", " + need)
                .hasMessageContaining("--alter --topic " + name + " --add-config " + setting + "=")
                .hasMessageNotContaining("\n");
    }

    @Test
    void startIsRefusedWhenATopicIsMissingAmongOthers() {
        KafkaTopics.ensure(config, needs);
        TestKafka.delete(config, config.shardsTopic());
        assertThatThrownBy(() -> KafkaTopics.ensure(config, needs))
                .isInstanceOf(KafkaAccessException.class)
                .hasMessageContaining(
                        "topics " + config.shardsTopic() + " are missing, and others of this cluster are there")
                .hasMessageContaining("create-missing-topics=true");
        assertThat(KafkaTopics.faults(config, needs)).singleElement().asString().contains("are missing");
        KafkaTopics.ensure(config.withTopics(new KafkaConfig.Topics(true, "")), needs);
        assertThat(KafkaTopics.faults(config, needs)).isEmpty();
    }

    @Test
    void topicsThatAnEarlierVersionHadNotAreCreated() throws ExecutionException, InterruptedException {
        KafkaTopics.ensure(config, needs);
        leaveARecord(config.mapTopic("map"));
        TopicNeeds newer = new TopicNeeds(
                needs.shards(),
                List.of("map", "users", "rules"),
                List.of("users", "rules"),
                needs.retention(),
                needs.largestPacketBytes());
        KafkaTopics.ensure(config, newer);
        assertThat(KafkaTopics.faults(config, newer)).isEmpty();

        // As a node leaves them that is killed while it creates them, and as another one finds them meanwhile.
        TestKafka.delete(config, config.mapTopic("rules"));
        KafkaTopics.ensure(config, newer);
        assertThat(KafkaTopics.faults(config, newer)).isEmpty();
    }

    @Test
    void topicsOfThisVersionAreMissedWhenTheyWereInUse() throws ExecutionException, InterruptedException {
        TopicNeeds all = new TopicNeeds(
                needs.shards(),
                List.of("map", "users", "rules"),
                List.of("users", "rules"),
                needs.retention(),
                needs.largestPacketBytes());
        KafkaTopics.ensure(config, all);
        leaveARecord(config.mapTopic("map"));
        leaveARecord(config.mapTopic("users"));
        TestKafka.delete(config, config.mapTopic("rules"));
        assertThatThrownBy(() -> KafkaTopics.ensure(config, all)).hasMessageContaining("they were deleted");
        KafkaTopics.ensure(config, List.of(TopicRules.audit(config)));
        TestKafka.delete(config, config.mapTopic("users"));
        assertThatThrownBy(() -> KafkaTopics.ensure(config, all)).hasMessageContaining("they were deleted");
    }

    private void leaveARecord(String topic) throws ExecutionException, InterruptedException {
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, config.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(topic, new byte[] {1}, new byte[] {1}))
                    .get();
        }
    }

    @Test
    void changedSettingIsFoundLaterToo() {
        KafkaTopics.ensure(config, needs);
        TestKafka.alter(config, config.shardsTopic(), "retention.ms", "60000");
        assertThat(KafkaTopics.faults(config, needs)).singleElement().asString().contains("retention.ms is 60000");
    }

    @Test
    void nothingIsWrongWhenTheLogIsKeptForEver() {
        KafkaTopics.ensure(config, needs);
        TestKafka.alter(config, config.shardsTopic(), "retention.ms", "-1");
        assertThatCode(() -> KafkaTopics.ensure(config, needs)).doesNotThrowAnyException();
    }

    @Test
    void everythingIsSaidAtOnceWhenMuchIsWrong() {
        TestKafka.create(config, config.shardsTopic(), 3);
        TestKafka.create(config, config.mapTopic("map"), 2);
        Throwable failure = catchThrowable(() -> KafkaTopics.ensure(config.withReplicationFactor(3), needs));
        assertThat(String.valueOf(failure.getMessage()).lines())
                .anyMatch(line -> line.contains("it has 3 partitions, needed are 4")
                        && line.contains("made with 3 shards: configure so many again"))
                .anyMatch(line -> line.contains("its replication factor is 1, needed is 3 as configured"))
                .anyMatch(line -> line.contains("min.insync.replicas is 1, needed is 2"))
                .anyMatch(line -> line.contains("message.timestamp.type is CreateTime, needed is LogAppendTime"))
                .allMatch(line -> line.startsWith("topic " + config.topicPrefix()));
    }

    /** Columns: the copies as configured and those of a topic, min.insync.replicas, and whether that is right. */
    @ParameterizedTest
    @CsvSource({
        "3, 3, 1, false",
        "3, 3, 2, true",
        "3, 3, 3, false",
        "3, 5, 3, true",
        "3, 5, 5, false",
        "5, 5, 2, true",
        "5, 5, 4, true",
        "5, 5, 5, false",
        "2, 2, 1, true"
    })
    void inSyncReplicasAreCheckedWhenThereAreEnoughCopies(int configured, int copies, String minimum, boolean right) {
        KafkaConfig replicated = config.withReplicationFactor(configured);
        TopicRules rules = TopicRules.map(replicated, needs, "map");
        Map<String, String> settings = new HashMap<>(rules.newTopic().configs());
        settings.put("min.insync.replicas", minimum);
        List<Node> nodes = IntStream.range(0, copies)
                .mapToObj(id -> new Node(id, "host", 9092))
                .toList();
        TopicDescription found = new TopicDescription(
                rules.topic(), false, List.of(new TopicPartitionInfo(0, nodes.getFirst(), nodes, nodes)));
        assertThat(rules.faults(found, false, settings)).hasSize(right ? 0 : 1);
    }

    @Test
    void creationFailsWithTheReasonWhenThereAreTooFewBrokers() {
        assertThatThrownBy(() -> KafkaTopics.ensure(config.withReplicationFactor(3), needs))
                .isInstanceOf(KafkaAccessException.class)
                .hasMessageContaining("topic " + config.shardsTopic() + " cannot be created")
                .hasMessageContaining("eplication factor");
    }

    @Test
    void serversAndCauseAreNamedWhenNobodyAnswers() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String server = "127.0.0.1:" + silent.getLocalPort();
            KafkaConfig nowhere = KafkaConfig.defaults(server).withStartTimeout(Duration.ofSeconds(1));
            String message = "Kafka cannot be used at " + server + ": ";
            assertThatThrownBy(() -> KafkaTopics.ensure(nowhere, needs))
                    .isInstanceOf(KafkaAccessException.class)
                    .hasMessageContaining(message)
                    .hasMessageMatching(".*(Timed out waiting|no answer within).*");
            assertThatThrownBy(() -> TestKafka.log(nowhere))
                    .isInstanceOf(KafkaAccessException.class)
                    .hasMessageContaining(message);
        }
    }

    @Test
    void unknownNamesOfServersAreWaitedForAndToldThen() {
        KafkaConfig nowhere = KafkaConfig.defaults("no-such-host.invalid:9092").withStartTimeout(Duration.ofSeconds(1));
        assertThatThrownBy(() -> KafkaTopics.ensure(nowhere, needs))
                .isInstanceOf(KafkaAccessException.class)
                .hasMessageContaining("no-such-host.invalid:9092")
                .hasMessageMatching(
                        ".*(Failed to resolve bootstrap servers after|Timed out waiting|no answer within).*");
    }
}
