package io.tributary.cluster.kafka.shard;

import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.TestKafka;
import io.tributary.persistence.contract.RecordingReader;
import io.tributary.persistence.contract.ShardLogContract;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KafkaShardLogTest extends ShardLogContract {
    private static final int MAX_RECORD_BYTES = 200_000;

    private final AtomicInteger broken = new AtomicInteger();

    private @Nullable KafkaConfig config;

    @Override
    protected ShardLog open() {
        return TestKafka.allOwn(new KafkaShardLog(
                config(),
                "node",
                SHARDS,
                Duration.ZERO,
                InstantSource.system(),
                KafkaRecorder.NONE,
                failure -> broken.incrementAndGet()));
    }

    private KafkaConfig config() {
        if (config == null) {
            KafkaConfig.Appends appends =
                    KafkaConfig.Appends.defaults().withBufferBytes(BUFFER_BYTES).withMaxRecordBytes(MAX_RECORD_BYTES);
            config = TestKafka.withTopics(TestKafka.config().withAppends(appends));
        }
        return config;
    }

    @Test
    void offsetsAreDenseFromZeroWhenAppended() {
        assertThat(appendAll(2, texts("r", 3000)))
                .isEqualTo(LongStream.range(0, 3000).boxed().toList());
    }

    /** A log of a later generation: owners take what lies below the base for deleted. */
    @Test
    void offsetsBeginAtTheBaseOfTheGeneration() throws ExecutionException, InterruptedException {
        log().close();
        KafkaConfig later = config().withGeneration(new KafkaConfig.Generation(0, 1_000));
        try (KafkaShardLog log = TestKafka.allOwn(new KafkaShardLog(
                later,
                "node",
                SHARDS,
                Duration.ZERO,
                InstantSource.system(),
                KafkaRecorder.NONE,
                failure -> broken.incrementAndGet()))) {
            for (long expected = 1_000; expected < 1_010; expected++) {
                assertThat(get(append(log, 0))).isEqualTo(expected);
            }
            Gaps reader = new Gaps();
            log.start(reader);
            until(() -> reader.assigned().contains(0));
            log.readFrom(0, 0);
            until(() -> reader.count(0) == 10);
            assertThat(reader.from).first().isEqualTo(0L);
            assertThat(reader.records(0).getFirst().offset()).isEqualTo(1_000);
            assertThat(reader.records(0).getLast().offset()).isEqualTo(1_009);
            log.readFrom(0, 1_007);
            until(() -> reader.count(0) == 13);
            assertThat(reader.from).last().isEqualTo(1_007L);
            log.truncate(0, 1_004);
        }
        try (Admin admin = TestKafka.admin(config())) {
            assertThat(admin.listConsumerGroupOffsets(config().shardsTopic())
                            .partitionsToOffsetAndMetadata()
                            .get()
                            .get(shard(0)))
                    .extracting(OffsetAndMetadata::offset)
                    .isEqualTo(4L);
        }
    }

    @Test
    void gapShowsWhenReadFromBelowTheBeginningOfTheLog() {
        appendAll(0, texts("r", 100));
        deleteBelow(60);
        Gaps reader = new Gaps();
        start(reader);
        log().readFrom(0, 10);
        until(() -> reader.count(0) == 40);
        assertThat(reader.from).first().isEqualTo(10L);
        assertThat(reader.records(0).getFirst().offset()).isEqualTo(60);
        appendAll(0, texts("s", 1));
        until(() -> reader.count(0) == 41);
        assertThat(reader.from).last().isEqualTo(100L);
    }

    @Test
    void readingGoesOnBehindTheBeginningWhenAnotherOffsetIsAskedForMeanwhile() {
        appendAll(0, texts("r", 100));
        deleteBelow(60);
        RecordingReader reader = new RecordingReader();
        start(reader);
        log().readFrom(0, 10);
        log().readFrom(0, 90);
        until(() -> reader.count(0) >= 10
                && reader.records(0).getLast().offset() == 99
                && reader.records(0).get(reader.count(0) - 10).offset() == 90);
    }

    @Test
    void nothingIsDeletedAndTheGroupIsToldWhenTruncated() throws ExecutionException, InterruptedException {
        appendAll(1, texts("r", 100));
        RecordingReader reader = new RecordingReader();
        start(reader);
        log().truncate(1, 70);
        log().readFrom(1, 0);
        until(() -> reader.count(1) == 100);
        log().close();
        try (Admin admin = TestKafka.admin(config())) {
            Map<TopicPartition, OffsetAndMetadata> committed = admin.listConsumerGroupOffsets(config().shardsTopic())
                    .partitionsToOffsetAndMetadata()
                    .get();
            assertThat(committed).containsOnlyKeys(shard(1));
            assertThat(committed.get(shard(1)))
                    .extracting(OffsetAndMetadata::offset)
                    .isEqualTo(70L);
        }
    }

    @Test
    void shardLagsWhenRecordsAreNotAppliedForHalfOfTheRetention() {
        log().close();
        try (KafkaShardLog log = TestKafka.allOwn(new KafkaShardLog(
                config(),
                "node",
                SHARDS,
                Duration.ofSeconds(2),
                InstantSource.system(),
                KafkaRecorder.NONE,
                failure -> broken.incrementAndGet()))) {
            RecordingReader reader = new RecordingReader();
            log.start(reader);
            get(append(log, 1));
            until(() -> log.lagging().equals(Set.of(1))); // and not those that are idle
            log.readFrom(1, 0);
            until(() -> reader.count(1) == 1);
            log.truncate(1, 1);
            until(() -> log.lagging().isEmpty());
            get(append(log, 1));
            log.truncate(1, 2);
            get(append(log, 2));
            until(() -> log.lagging().equals(Set.of(2)));
        }
    }

    @Test
    void nodeWithoutShardsLearnsWhichOnesLagAndWhichDoNoMore() {
        log().close();
        try (KafkaShardLog log = new KafkaShardLog(
                config(),
                "node",
                SHARDS,
                Duration.ofSeconds(2),
                InstantSource.system(),
                KafkaRecorder.NONE,
                failure -> broken.incrementAndGet())) {
            log.start(new RecordingReader());
            get(append(log, 1));
            until(() -> log.lagging().equals(Set.of(1))); // it has owned none since its start
            log.assign(Set.of(1), () -> {});
            log.assign(Set.of(), () -> {});
            commit(1, 1);
            until(() -> log.lagging().isEmpty());
        }
    }

    /** As another node does that owns the shard. */
    private void commit(int shard, long offset) {
        Map<TopicPartition, OffsetAndMetadata> offsets = Map.of(shard(shard), new OffsetAndMetadata(offset));
        try (Admin admin = TestKafka.admin(config())) {
            get(admin.alterConsumerGroupOffsets(config().shardsTopic(), offsets)
                    .all()
                    .toCompletionStage());
        }
    }

    private static CompletableFuture<Long> append(KafkaShardLog log, int shard) {
        CompletableFuture<Long> appended = new CompletableFuture<>();
        log.append(shard, new byte[1], (offset, _) -> appended.complete(offset));
        return appended;
    }

    @Test
    void recordFailsAloneAndInItsTurnWhenItIsTooLarge() {
        List<String> called = new CopyOnWriteArrayList<>();
        append("a", called);
        append("x".repeat(MAX_RECORD_BYTES + 1), called);
        append("b", called);
        until(() -> called.size() == 3);
        assertThat(called).containsExactly("appended", "failed", "appended");
        assertThat(broken).hasValue(0);
    }

    /** Kafka's client would refuse it for good, and the node would stop. */
    @Test
    void recordIsAppendedWhenItIsLargerThanTheBuffers() {
        KafkaConfig.Appends small = new KafkaConfig.Appends(
                Duration.ZERO, 1024, 64 * 1024, MAX_RECORD_BYTES, KafkaConfig.Compression.NONE, Duration.ofSeconds(1));
        try (KafkaShardLog log = TestKafka.log(config().withAppends(small))) {
            CompletableFuture<@Nullable Throwable> appended = new CompletableFuture<>();
            log.append(0, new byte[MAX_RECORD_BYTES], (_, failure) -> appended.complete(failure));
            assertThat(get(appended)).isNull();
        }
    }

    @Test
    void everyAppendFailsAndTheNodeIsToldOnceWhenKafkaRefusesARecordForGood() {
        appendAll(0, texts("r", 1));
        TestKafka.alter(config(), config().shardsTopic(), "max.message.bytes", "1000");
        CompletableFuture<Throwable> refused = new CompletableFuture<>();
        until(() -> {
            log().append(0, new byte[10_000], (offset, failure) -> {
                if (failure != null) {
                    refused.complete(failure);
                }
            });
            return refused.isDone();
        });
        List<String> called = new CopyOnWriteArrayList<>();
        append("small", called);
        until(() -> called.size() == 1);
        assertThat(called).containsExactly("failed");
        assertThat(broken).hasValue(1);
    }

    @Test
    void openingFailsWhenTheTopicHasFewerPartitions() {
        assertThatThrownBy(() -> new KafkaShardLog(
                        config(), "node", 5, Duration.ZERO, InstantSource.system(), KafkaRecorder.NONE, failure -> {}))
                .isInstanceOf(KafkaAccessException.class)
                .hasMessageContaining("has 4 partitions, not 5");
    }

    @Test
    void shardsAreRevokedWhenClosed() {
        RecordingReader reader = new RecordingReader();
        start(reader);
        log().close();
        assertThat(reader.assigned()).isEmpty();
    }

    @Test
    void everythingComesWhenCompressed() {
        KafkaConfig compressed = config().withAppends(config().appends().withCompression(KafkaConfig.Compression.LZ4));
        CompletableFuture<Long> appended = new CompletableFuture<>();
        try (ShardLog other = TestKafka.log(compressed)) {
            other.append(0, new byte[100_000], (offset, failure) -> appended.complete(offset));
            get(appended);
        }
        RecordingReader reader = new RecordingReader();
        start(reader);
        log().readFrom(0, 0);
        until(() -> reader.count(0) == 1);
        assertThat(reader.records(0)).extracting(LogRecord::value).containsExactly(new byte[100_000]);
    }

    private void append(String text, List<String> called) {
        assertThat(log().append(
                                0,
                                text.getBytes(StandardCharsets.UTF_8),
                                (offset, failure) -> called.add(failure == null ? "appended" : "failed")))
                .isTrue();
    }

    private void deleteBelow(long offset) {
        try (Admin admin = TestKafka.admin(config())) {
            get(admin.deleteRecords(Map.of(shard(0), RecordsToDelete.beforeOffset(offset)))
                    .all()
                    .toCompletionStage());
        }
    }

    private TopicPartition shard(int shard) {
        return new TopicPartition(config().shardsTopic(), shard);
    }

    /** Keeps where batches of shard 0 were read from. */
    private static final class Gaps extends RecordingReader {
        private final List<Long> from = new CopyOnWriteArrayList<>();

        @Override
        public void onRecords(int shard, long readFrom, List<LogRecord> records) {
            from.add(readFrom);
            super.onRecords(shard, readFrom, records);
        }
    }
}
