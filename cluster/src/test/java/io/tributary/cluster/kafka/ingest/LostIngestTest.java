package io.tributary.cluster.kafka.ingest;

import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.TestKafka;
import io.tributary.common.event.Source;
import io.tributary.localcluster.LocalKafka;
import io.tributary.persistence.ingest.IngestOptions;
import io.tributary.persistence.ingest.IngestRecord;
import io.tributary.persistence.ingest.IngestSource;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read of a back-end's partition that has lost its end. */
class LostIngestTest {
    private static final int RECORDS = 100;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static LocalKafka kafka;

    private final KafkaConfig config = TestKafka.config(kafka, 1);
    private final String topic = "commands-" + UUID.randomUUID();
    private final List<IngestRecord> records = new CopyOnWriteArrayList<>();

    @BeforeAll
    static void startKafka() {
        kafka = LocalKafka.in(folder).start();
    }

    @AfterAll
    static void stopKafka() {
        kafka.close();
    }

    @Test
    void recordsInPlaceOfLostOnesAreReadAndAreNoRepetitions() throws Exception {
        TestKafka.create(config, topic, 1);
        produce("lost", RECORDS);
        try (KafkaIngest node = start("n1")) {
            until(() -> records.size() == RECORDS);
            Source latest = records.getLast().source();
            loseTheEnd();
            produce("new", 2 * RECORDS);
            until(() -> records.size() == 3 * RECORDS);
            assertThat(node.problem()).isNull();
            assertThat(records.subList(RECORDS, 3 * RECORDS))
                    .allMatch(record -> record.source().shard() == latest.shard())
                    .allMatch(record -> record.source().isAfter(latest.offset(), latest.part()));
            assertNewOnesAreRead();
        }
    }

    @Test
    void nextOwnerReadsTheNewRecordsAlsoWhereThePartitionHasGrownPastWhatIsCommitted() throws Exception {
        TestKafka.create(config, topic, 1);
        produce("lost", RECORDS);
        try (KafkaIngest _ = start("n1")) {
            until(() -> records.size() == RECORDS);
            until(() -> committed() == RECORDS);
        }
        loseTheEnd();
        produce("new", 2 * RECORDS);
        try (KafkaIngest _ = start("n2")) {
            until(() -> records.size() == 3 * RECORDS);
            assertNewOnesAreRead();
        }
    }

    private void assertNewOnesAreRead() {
        IngestRecord first = records.get(RECORDS);
        assertThat(first.offset()).isBetween(1L, RECORDS - 1L);
        assertThat(new String(first.value(), UTF_8)).isEqualTo("new0");
        assertThat(records.getLast().offset()).isEqualTo(first.offset() + 2 * RECORDS - 1);
    }

    private void loseTheEnd() {
        kafka.kill(1);
        kafka.cutLog(1, topic + "-0", kafka.logBytes(1, topic + "-0") / 2);
        kafka.restart(1);
    }

    private KafkaIngest start(String node) {
        IngestOptions options = new IngestOptions(List.of(topic), null, RECORDS, 1 << 20);
        IngestTopics.ensure(config, options);
        KafkaIngest ingest = new KafkaIngest(config, node, options, KafkaRecorder.NONE);
        ingest.start(this::take);
        return ingest;
    }

    private boolean take(IngestRecord record, IngestSource.Verdict verdict) {
        records.add(record);
        verdict.safe();
        return true;
    }

    /** Each record is a batch of its own. */
    private void produce(String text, int count) throws ExecutionException, InterruptedException {
        Map<String, Object> settings = Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, config.bootstrapServers(), ProducerConfig.LINGER_MS_CONFIG, 0);
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < count; i++) {
                producer.send(new ProducerRecord<>(topic, 0, "a", text + i)).get();
            }
        }
    }

    private long committed() {
        try (Admin admin = TestKafka.admin(config)) {
            OffsetAndMetadata offset = get(admin.listConsumerGroupOffsets(config.ingestTopic())
                            .partitionsToOffsetAndMetadata()
                            .toCompletionStage())
                    .get(new TopicPartition(topic, 0));
            return offset == null ? -1 : offset.offset();
        }
    }
}
