package io.tributary.cluster.kafka.ingest;

import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.TestKafka;
import io.tributary.common.event.Source;
import io.tributary.persistence.ingest.IngestOptions;
import io.tributary.persistence.ingest.IngestRecord;
import io.tributary.persistence.ingest.IngestSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KafkaIngestTest {
    private static final int MAX_RECORDS = 10;

    private final KafkaConfig config = TestKafka.config();
    private final String topic = "commands-" + UUID.randomUUID();
    private final String dead = "dead-" + UUID.randomUUID();
    private final List<KafkaIngest> open = new ArrayList<>();

    @AfterEach
    void close() {
        open.forEach(KafkaIngest::close);
    }

    @Test
    void offsetIsThatOfTheFirstRecordThatIsNotSafe() {
        create(topic, 1);
        produce(0, 5);
        Taker taker = start("n1", null);
        until(() -> taker.records.size() == 5);
        assertThat(taker.offsets()).containsExactly(0L, 1L, 2L, 3L, 4L);
        taker.verdicts.get(0).safe();
        taker.verdicts.get(1).safe();
        taker.verdicts.get(3).safe();
        until(() -> committed() == 2);
        taker.verdicts.get(4).safe();
        taker.verdicts.get(2).safe();
        until(() -> committed() == 5);
        until(() -> taker.source.lag() == 0);
    }

    @Test
    void recordIsAsItWasProduced() {
        create(topic, 1);
        ProducerRecord<byte[], byte[]> produced = new ProducerRecord<>(
                topic, 0, 1234L, bytes("a/b"), bytes("on"), List.of(new RecordHeader("h", bytes("v"))));
        send(List.of(produced));
        Taker taker = start("n1", null);
        until(() -> taker.records.size() == 1);
        IngestRecord record = taker.records.getFirst();
        assertThat(record.key()).isEqualTo(bytes("a/b"));
        assertThat(record.value()).isEqualTo(bytes("on"));
        assertThat(record.timeMillis()).isEqualTo(1234);
        assertThat(record.headers()).hasSize(1);
        assertThat(record.headers().getFirst().name()).isEqualTo("h");
        assertThat(record.headers().getFirst().value()).isEqualTo(bytes("v"));
        assertThat(record.sizeBytes()).isEqualTo(7);
    }

    @Test
    void nothingMoreIsTakenWhenTooMuchIsNotSafe() {
        create(topic, 1);
        produce(0, 3 * MAX_RECORDS);
        Taker taker = start("n1", null);
        until(() -> taker.records.size() >= MAX_RECORDS && taker.source.lag() == 3 * MAX_RECORDS);
        assertThat(taker.records).hasSize(MAX_RECORDS);
        for (int i = 0; i < 3 * MAX_RECORDS; i++) {
            int told = i;
            until(() -> taker.records.size() > told);
            taker.verdicts.get(i).safe();
            assertThat(taker.records).hasSizeLessThanOrEqualTo(i + 1 + MAX_RECORDS);
        }
        until(() -> committed() == 3 * MAX_RECORDS);
    }

    @Test
    void recordIsOfferedAgainWhenReaderCannotTakeIt() {
        create(topic, 1);
        produce(0, 3);
        Taker taker = new Taker(open("n1", null));
        taker.refusals = 4;
        taker.source.start(taker);
        until(() -> taker.records.size() == 3);
        assertThat(taker.offsets()).containsExactly(0L, 1L, 2L);
        assertThat(taker.refusals).isZero();
    }

    @Test
    void recordIsOfferedAgainWhenReaderEndsWithAnError() {
        create(topic, 1);
        produce(0, 3);
        Taker taker = new Taker(open("n1", null));
        taker.failure = new StackOverflowError("as the test wants");
        taker.source.start(taker);
        until(() -> taker.records.size() == 3);
        assertThat(taker.offsets()).containsExactly(0L, 1L, 2L);
        taker.verdicts.forEach(IngestSource.Verdict::safe);
        until(() -> committed() == 3);
        until(() -> taker.source.problem() == null);
    }

    @Test
    void everythingFromTheFailedRecordOnIsOfferedAgain() {
        create(topic, 1);
        produce(0, 4);
        Taker taker = start("n1", null);
        until(() -> taker.records.size() == 4);
        taker.verdicts.get(0).safe();
        taker.verdicts.get(2).safe();
        taker.verdicts.get(1).failed();
        assertThat(taker.source.problem()).contains(topic);
        until(() -> taker.records.size() == 7);
        assertThat(taker.offsets().subList(4, 7)).containsExactly(1L, 2L, 3L);
        assertThat(taker.records.get(4).source()).isEqualTo(taker.records.get(1).source());
        taker.verdicts.subList(4, 7).forEach(IngestSource.Verdict::safe);
        until(() -> committed() == 4);
        until(() -> taker.source.problem() == null);
    }

    @Test
    void invalidRecordIsCopiedAndPassedOver() {
        create(topic, 1);
        create(dead, 1);
        produce(0, 1);
        Taker taker = start("n1", dead);
        until(() -> taker.records.size() == 1);
        taker.verdicts.getFirst().invalid("no topic");
        until(() -> committed() == 1);
        ConsumerRecord<byte[], byte[]> copy = read(dead);
        assertThat(copy.key()).isEqualTo(bytes("key"));
        assertThat(copy.value()).isEqualTo(bytes("0"));
        assertThat(header(copy, IngestDeadLetters.REASON)).isEqualTo("no topic");
        assertThat(header(copy, IngestDeadLetters.TOPIC)).isEqualTo(topic);
        assertThat(header(copy, IngestDeadLetters.OFFSET)).isEqualTo("0");
    }

    @Test
    void nextOwnerBeginsBehindWhatIsSafeAndGivesTheSameSources() {
        create(topic, 1);
        produce(0, 6);
        Taker first = start("n1", null);
        until(() -> first.records.size() == 6);
        first.verdicts.subList(0, 3).forEach(IngestSource.Verdict::safe);
        first.source.close();
        Taker second = start("n2", null);
        until(() -> second.records.size() == 3);
        assertThat(second.offsets()).containsExactly(3L, 4L, 5L);
        assertThat(second.sources()).isEqualTo(first.sources().subList(3, 6));
    }

    /** The partition has lost its end. */
    @Test
    void nextOwnerGoesOnAtTheEndWhenTheGroupHasCommittedMore() {
        create(topic, 1);
        produce(0, 3);
        Taker first = start("n1", null);
        until(() -> first.records.size() == 3);
        first.verdicts.forEach(IngestSource.Verdict::safe);
        first.source.close();
        commitBehindTheEnd();
        Taker second = start("n2", null);
        until(() -> {
            produce(0, 1);
            return !second.records.isEmpty();
        });
        assertThat(second.offsets().getFirst()).isGreaterThanOrEqualTo(3);
    }

    private void commitBehindTheEnd() {
        TopicPartition partition = new TopicPartition(topic, 0);
        try (Admin admin = TestKafka.admin(config)) {
            OffsetAndMetadata before = requireNonNull(get(admin.listConsumerGroupOffsets(config.ingestTopic())
                            .partitionsToOffsetAndMetadata()
                            .toCompletionStage())
                    .get(partition));
            assertThat(before.offset()).isEqualTo(3);
            OffsetAndMetadata behind = new OffsetAndMetadata(1_000_000, before.metadata());
            get(admin.alterConsumerGroupOffsets(config.ingestTopic(), Map.of(partition, behind))
                    .all()
                    .toCompletionStage());
        }
    }

    @Test
    void partitionsAreSharedOutAndEachHasItsNumber() {
        create(topic, 4);
        Taker first = start("n1", null);
        until(() -> first.source.partitions() == 4);
        Taker second = start("n2", null);
        until(() -> first.source.partitions() == 2 && second.source.partitions() == 2);
        IntStream.range(0, 4).forEach(partition -> produce(partition, 2));
        until(() -> first.records.size() + second.records.size() == 8);
        assertThat(LongStream.concat(
                                first.records.stream()
                                        .mapToLong(record -> record.source().shard() - record.partition()),
                                second.records.stream()
                                        .mapToLong(record -> record.source().shard() - record.partition()))
                        .distinct())
                .hasSize(1)
                .allMatch(number -> number >= Source.FIRST_INGEST);
    }

    @Test
    void topicThatIsCreatedAgainHasAnotherNumber() {
        create(topic, 1);
        produce(0, 2);
        Taker before = start("n1", null);
        until(() -> before.records.size() == 2);
        before.verdicts.forEach(IngestSource.Verdict::safe);
        before.source.close();
        TestKafka.delete(config, topic);
        create(topic, 1);
        produce(0, 1);
        Taker after = start("n1", null);
        until(() -> after.records.size() == 1);
        assertThat(after.records.getFirst().offset()).isZero();
        assertThat(after.sources().getFirst().shard())
                .isNotEqualTo(before.sources().getFirst().shard());
    }

    @Test
    void readingGoesOnWhenKafkaDoesNotTellAtOnceWhereAPartitionBegins() {
        create(topic, 1);
        produce(0, 2);
        AtomicReference<LosingConsumer> losing = new AtomicReference<>();
        Taker taker = start(losing, () -> {}, topic);
        until(() -> taker.records.size() == 2);
        taker.verdicts.forEach(IngestSource.Verdict::safe);
        losing.get().lost.set(new TopicPartition(topic, 0));
        until(() -> losing.get().unanswered.get() == 0);
        produce(0, 1);
        until(() -> taker.records.size() == 3);
        assertThat(taker.offsets()).containsExactly(0L, 1L, 2L);
    }

    @Test
    void othersAreReadWhileKafkaDoesNotTellWhereAPartitionBegins() {
        create(topic, 2);
        produce(0, 2);
        AtomicReference<LosingConsumer> losing = new AtomicReference<>();
        Taker taker = start(losing, () -> {}, topic);
        until(() -> taker.records.size() == 2);
        taker.verdicts.forEach(IngestSource.Verdict::safe);
        losing.get().unanswered.set(Integer.MAX_VALUE);
        losing.get().lost.set(new TopicPartition(topic, 0));
        until(() ->
                String.valueOf(taker.source.problem()).contains("where to read on in " + topic + "-0 is not known"));
        produce(0, 1);
        produce(1, 1);
        until(() -> taker.records.size() == 3);
        assertThat(taker.records.getLast().partition()).isEqualTo(1);
        losing.get().unanswered.set(0);
        until(() -> taker.records.size() == 4);
        assertThat(taker.offsets()).containsExactly(0L, 1L, 0L, 2L);
        until(() -> taker.source.problem() == null);
    }

    @Test
    void othersAreReadWhenATopicIsDeletedJustAfterItsPartitionsWereAssigned() {
        String gone = "gone-" + topic;
        create(topic, 1);
        create(gone, 1);
        produce(0, 2);
        AtomicBoolean isDeleted = new AtomicBoolean();
        Runnable delete = () -> {
            if (!isDeleted.getAndSet(true)) {
                TestKafka.delete(config, gone);
            }
        };
        Taker taker = start(new AtomicReference<>(), delete, topic, gone);
        until(() -> taker.records.size() == 2);
        assertThat(isDeleted).isTrue();
        until(() -> taker.source.problem() == null);
    }

    @Test
    void whatIsNotSafeIsReadAgainWhenAPositionIsLost() {
        create(topic, 1);
        produce(0, 3);
        AtomicReference<LosingConsumer> losing = new AtomicReference<>();
        Taker taker = start(losing, () -> {}, topic);
        until(() -> taker.records.size() == 3);
        taker.verdicts.getFirst().safe();
        losing.get().lost.set(new TopicPartition(topic, 0));
        until(() -> taker.records.size() == 5);
        assertThat(taker.offsets()).containsExactly(0L, 1L, 2L, 1L, 2L);
        assertThat(taker.sources().subList(3, 5)).isEqualTo(taker.sources().subList(1, 3));
    }

    /** Reads topics with a consumer that tells of assignments before they are known. */
    private Taker start(AtomicReference<LosingConsumer> created, Runnable onAssigned, String... topics) {
        IngestOptions options = new IngestOptions(List.of(topics), null, MAX_RECORDS, 1 << 20);
        IngestTopics.ensure(config, options);
        KafkaIngest ingest = new KafkaIngest(config, "n1", options, KafkaRecorder.NONE, properties -> {
            created.set(new LosingConsumer(properties, onAssigned));
            return created.get();
        });
        open.add(ingest);
        Taker taker = new Taker(ingest);
        ingest.start(taker);
        return taker;
    }

    @Test
    @SuppressWarnings("FutureReturnValueIgnored") // the transaction waits
    void recordThatATransactionTookBackIsNotRead() {
        create(topic, 1);
        Map<String, Object> transactional = Map.of(ProducerConfig.TRANSACTIONAL_ID_CONFIG, topic);
        try (KafkaProducer<byte[], byte[]> producer = producer(transactional)) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic, bytes("key"), bytes("taken back")));
            producer.flush();
            producer.abortTransaction();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic, bytes("key"), bytes("meant")));
            producer.commitTransaction();
        }
        Taker taker = start("n1", null);
        until(() -> taker.records.size() == 1);
        assertThat(taker.records.getFirst().value()).isEqualTo(bytes("meant"));
        taker.verdicts.getFirst().safe();
        until(() -> committed() == 4); // two records, and the ends of two transactions
        until(() -> taker.source.lag() == 0);
    }

    @Test
    void startSaysHowToCreateATopicThatIsMissing() {
        assertThatThrownBy(() -> IngestTopics.ensure(config, options(dead)))
                .isInstanceOf(KafkaAccessException.class)
                .hasMessageContaining("topic " + topic + ", which is to be read")
                .hasMessageContaining("topic " + dead + ", which is")
                .hasMessageContaining("kafka-topics.sh --bootstrap-server " + config.bootstrapServers() + " --create");
    }

    private IngestOptions options(@Nullable String deadLetters) {
        return new IngestOptions(List.of(topic), deadLetters, MAX_RECORDS, 1 << 20);
    }

    private KafkaIngest open(String node, @Nullable String deadLetters) {
        IngestTopics.ensure(config, options(deadLetters));
        KafkaIngest ingest = new KafkaIngest(config, node, options(deadLetters), KafkaRecorder.NONE);
        open.add(ingest);
        return ingest;
    }

    private Taker start(String node, @Nullable String deadLetters) {
        Taker taker = new Taker(open(node, deadLetters));
        taker.source.start(taker);
        return taker;
    }

    private void create(String name, int partitions) {
        TestKafka.create(config, name, partitions);
    }

    private void produce(int partition, int count) {
        send(IntStream.range(0, count)
                .mapToObj(i -> new ProducerRecord<>(topic, partition, bytes("key"), bytes(Integer.toString(i))))
                .toList());
    }

    @SuppressWarnings("FutureReturnValueIgnored") // closing waits
    private void send(List<ProducerRecord<byte[], byte[]>> records) {
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
            records.forEach(producer::send);
        }
    }

    private KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
        Map<String, Object> properties = new HashMap<>(more);
        properties.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, config.bootstrapServers());
        return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private ConsumerRecord<byte[], byte[]> read(String from) {
        List<ConsumerRecord<byte[], byte[]>> found = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, config.bootstrapServers()),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> partition = List.of(new TopicPartition(from, 0));
            consumer.assign(partition);
            consumer.seekToBeginning(partition);
            until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(found::add);
                return !found.isEmpty();
            });
        }
        return found.getFirst();
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

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return new String(record.headers().lastHeader(name).value(), UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    /** Is told that a position is not there, and gets no answer at first when it asks where one is. */
    private static final class LosingConsumer extends KafkaConsumer<byte[], byte[]> {
        private final AtomicReference<@Nullable TopicPartition> lost = new AtomicReference<>();
        private final AtomicInteger unanswered = new AtomicInteger(2);

        private final Runnable onAssigned;

        private LosingConsumer(Map<String, Object> properties, Runnable onAssigned) {
            super(properties);
            this.onAssigned = onAssigned;
        }

        @Override
        public void subscribe(Collection<String> topics, ConsumerRebalanceListener listener) {
            super.subscribe(topics, new ConsumerRebalanceListener() {
                @Override
                public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                    onAssigned.run();
                    listener.onPartitionsAssigned(partitions);
                }

                @Override
                public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                    listener.onPartitionsRevoked(partitions);
                }

                @Override
                public void onPartitionsLost(Collection<TopicPartition> partitions) {
                    listener.onPartitionsLost(partitions);
                }
            });
        }

        @Override
        public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            TopicPartition partition = lost.getAndSet(null);
            if (partition != null) {
                throw new OffsetOutOfRangeException(Map.of(partition, 2L));
            }
            return super.poll(timeout);
        }

        @Override
        public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions, Duration timeout) {
            if (unanswered.get() > 0) {
                unanswered.decrementAndGet();
                throw new TimeoutException("as the test wants");
            }
            return super.beginningOffsets(partitions, timeout);
        }
    }

    /** Takes records and leaves the verdict to the test. */
    private static final class Taker implements IngestSource.Reader {
        private final KafkaIngest source;
        private final List<IngestRecord> records = new CopyOnWriteArrayList<>();
        private final List<IngestSource.Verdict> verdicts = new CopyOnWriteArrayList<>();
        private volatile int refusals;
        private volatile @Nullable Error failure;

        private Taker(KafkaIngest source) {
            this.source = source;
        }

        @Override
        public boolean onRecord(IngestRecord record, IngestSource.Verdict verdict) {
            Error once = failure;
            if (once != null) {
                failure = null;
                throw once;
            }
            int left = refusals;
            if (left > 0) {
                refusals = left - 1;
                return false;
            }
            verdicts.add(verdict); // first: tests wait for records
            records.add(record);
            return true;
        }

        private List<Long> offsets() {
            return records.stream().map(IngestRecord::offset).toList();
        }

        private List<Source> sources() {
            return records.stream().map(IngestRecord::source).toList();
        }
    }
}
