package io.tributary.cluster.kafka.shard;

import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.KafkaTopics;
import io.tributary.cluster.kafka.TestKafka;
import io.tributary.localcluster.LocalKafka;
import io.tributary.persistence.contract.RecordingReader;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of the shards' logs when their topic is not what it was. */
class ChangedTopicTest {
    private static final int LEADER_OF_ANOTHER_LOG = 7;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static LocalKafka kafka;

    private final KafkaConfig config = TestKafka.withTopics(TestKafka.config(kafka, 1));

    @BeforeAll
    static void startKafka() {
        kafka = LocalKafka.in(folder).start();
    }

    @AfterAll
    static void stopKafka() {
        kafka.close();
    }

    @Test
    void readersAreToldWhereTheLogLostItsEnd() {
        int leaderEpoch;
        try (ShardLog log = TestKafka.log(config)) {
            RecordingReader reader = reading(log);
            for (int i = 0; i < 100; i++) {
                append(log, "r" + i);
            }
            until(() -> reader.count(0) == 100);
            leaderEpoch = reader.records(0).getLast().leaderEpoch();
            kafka.kill(1);
            String partition = config.shardsTopic() + "-0";
            kafka.cutLog(1, partition, kafka.logBytes(1, partition) / 2);
            kafka.restart(1);
            until(() -> reader.wentBackTo(0) >= 0);
            assertThat(reader.wentBackTo(0)).isBetween(1L, 99L);
            for (int i = 0; i < 200; i++) { // the offset that was read is there again, with another record
                append(log, "s" + i);
            }
        }
        try (ShardLog log = TestKafka.log(config)) {
            RecordingReader later = new RecordingReader();
            log.start(later);
            until(() -> later.assigned().contains(0));
            log.readFrom(0, 100, leaderEpoch);
            until(() -> later.wentBackTo(0) >= 0);
            assertThat(later.wentBackTo(0)).isBetween(1L, 99L);
            log.readFrom(0, later.wentBackTo(0));
            until(() -> later.count(0) == 200);
            assertThat(later.texts(0).getFirst()).isEqualTo("s0");
        }
    }

    /** An owner that has folded all records is to notice it, too. */
    @Test
    void readersAreToldThatTheRecordBeforeIsAnotherOneWhereKafkaKnowsNothingOfItsLeader() {
        try (ShardLog log = TestKafka.log(config)) {
            RecordingReader reader = new RecordingReader() {
                @Override
                public void onAssigned(int shard) {
                    super.onAssigned(shard);
                    log.readFrom(shard, 5, LEADER_OF_ANOTHER_LOG);
                }
            };
            for (int i = 0; i < 10; i++) {
                append(log, "r" + i);
            }
            log.start(reader);
            until(() -> reader.wentBackTo(0) >= 0);
            assertThat(reader.wentBackTo(0)).isEqualTo(4);
        }
    }

    @Test
    void partitionsThatWereAddedAreIgnored() {
        AtomicInteger broken = new AtomicInteger();
        KafkaConfig quick = config.withClientProperties(Map.of("metadata.max.age.ms", "500"));
        try (ShardLog log = TestKafka.allOwn(new KafkaShardLog(
                quick,
                "node",
                TestKafka.SHARDS,
                Duration.ZERO,
                InstantSource.system(),
                KafkaRecorder.NONE,
                failure -> broken.incrementAndGet()))) {
            RecordingReader reader = reading(log);
            TestKafka.addPartitions(config, config.shardsTopic(), TestKafka.SHARDS + 3);
            KafkaTopics.ensure(config, TestKafka.needs());
            until(() -> reader.assigned().size() == TestKafka.SHARDS);
            append(log, "r");
            until(() -> reader.count(0) == 1);
        }
        assertThat(broken).hasValue(0);
        assertThat(KafkaTopics.faults(config, TestKafka.needs()))
                .singleElement()
                .asString()
                .contains("are ignored");
    }

    @Test
    void logIsAnotherOneWhenItsTopicIsMadeAnew() {
        String before;
        try (ShardLog log = TestKafka.log(config)) {
            before = get(log.identity()).id();
        }
        TestKafka.delete(config, config.shardsTopic());
        KafkaTopics.ensure(config, TestKafka.needs());
        try (ShardLog log = TestKafka.log(config)) {
            ShardLog.Identity identity = get(log.identity());
            assertThat(identity.id()).isNotEmpty().isNotEqualTo(before);
            assertThat(identity.isAccepted()).isFalse();
            KafkaConfig accepting = config.withTopics(new KafkaConfig.Topics(false, identity.id()));
            try (ShardLog accepted = TestKafka.log(accepting)) {
                assertThat(get(accepted.identity()).isAccepted()).isTrue();
            }
        }
    }

    @Test
    void recordOfSomebodyElseSaysNothing() {
        AtomicInteger foreign = new AtomicInteger();
        KafkaRecorder counting = new KafkaRecorder() {
            @Override
            public void onForeignRecord() {
                foreign.incrementAndGet();
            }
        };
        try (ShardLog log = TestKafka.allOwn(new KafkaShardLog(
                config, "node", TestKafka.SHARDS, Duration.ZERO, InstantSource.system(), counting, failure -> {}))) {
            RecordingReader reader = reading(log);
            append(log, "a");
            produce("stray".getBytes(StandardCharsets.UTF_8));
            produce(null);
            append(log, "b");
            until(() -> reader.count(0) == 4);
            assertThat(reader.texts(0)).containsExactly("a", "", "", "b");
            assertThat(reader.records(0)).extracting(LogRecord::offset).containsExactly(0L, 1L, 2L, 3L);
            assertThat(foreign).hasValue(2);
        }
    }

    private static RecordingReader reading(ShardLog log) {
        RecordingReader reader = new Resuming(log);
        log.start(reader);
        until(() -> reader.assigned().size() == TestKafka.SHARDS);
        return reader;
    }

    private static void append(ShardLog log, String text) {
        CompletableFuture<Long> appended = new CompletableFuture<>();
        until(() -> log.append(0, text.getBytes(StandardCharsets.UTF_8), (offset, _) -> appended.complete(offset)));
        assertThat(get(appended)).isNotNegative();
    }

    private void produce(byte @Nullable [] value) {
        Map<String, Object> properties = Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, config.bootstrapServers());
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            var _ = producer.send(new ProducerRecord<>(config.shardsTopic(), 0, null, value));
        }
    }

    /**
     * Reads shard 0, and goes on where it was when the group is shared out anew, which it may be after a restart of
     * Kafka.
     */
    private static final class Resuming extends RecordingReader {
        private final ShardLog log;

        private Resuming(ShardLog log) {
            this.log = log;
        }

        @Override
        public void onAssigned(int shard) {
            super.onAssigned(shard);
            List<LogRecord> read = records(shard);
            if (shard == 0 && read.isEmpty()) {
                log.readFrom(0, 0);
            } else if (shard == 0) {
                log.readFrom(0, read.getLast().offset() + 1, read.getLast().leaderEpoch());
            }
        }
    }
}
