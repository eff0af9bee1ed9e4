package io.tributary.cluster.kafka.shard;

import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.TestKafka;
import io.tributary.localcluster.LocalKafka;
import io.tributary.persistence.contract.RecordingReader;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records of the only node of a cluster are handed out before they are read back from Kafka. */
class EarlyRecordsTest {
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
    void ownRecordsComeEarlyOnceAndInOrderWhenThereIsNoOtherNode() {
        try (KafkaShardLog log = TestKafka.log(config)) {
            RecordingReader reader = onlyNode(log);
            handedOutEarly(log, reader);
            int before = reader.count(0);
            List<CompletableFuture<Long>> appends = new ArrayList<>();
            for (int i = 0; i < 5_000; i++) {
                appends.add(append(log, "r" + i));
            }
            appends.forEach(each -> get(each));
            until(() -> reader.count(0) == before + 5_000);
            assertThat(reader.texts(0).subList(before, before + 5_000))
                    .isEqualTo(IntStream.range(0, 5_000).mapToObj(i -> "r" + i).toList());
            assertOffsetsAreDense(reader);
            assertThat(reader.records(0)).anyMatch(EarlyRecordsTest::isEarly);
        }
    }

    @Test
    void timesAndValuesAreThoseOfTheLogWhenHandedOutEarly() {
        List<LogRecord> early;
        try (KafkaShardLog log = TestKafka.log(config)) {
            RecordingReader reader = onlyNode(log);
            handedOutEarly(log, reader);
            early = reader.records(0);
        }
        try (KafkaShardLog log = TestKafka.log(config)) {
            RecordingReader later = reading(log);
            until(() -> later.count(0) == early.size());
            for (int i = 0; i < early.size(); i++) {
                LogRecord read = later.records(0).get(i);
                assertThat(early.get(i).timeMillis()).isEqualTo(read.timeMillis());
                assertThat(early.get(i).value()).isEqualTo(read.value());
            }
        }
    }

    @Test
    void leaderIsToldOnceTheRecordIsReadBack() {
        try (KafkaShardLog log = TestKafka.log(config)) {
            RecordingReader reader = onlyNode(log);
            LogRecord early = handedOutEarly(log, reader);
            until(() -> log.leaderEpoch(0, early.offset()) != LogRecord.NOT_READ_BACK);
            try (KafkaShardLog other = TestKafka.log(config)) { // is not told that it is the only one: reads all
                RecordingReader later = reading(other);
                until(() -> later.count(0) > early.offset());
                assertThat(log.leaderEpoch(0, early.offset()))
                        .isEqualTo(later.records(0).get((int) early.offset()).leaderEpoch())
                        .isNotNegative();
            }
        }
    }

    @Test
    void leaderIsUnknownAtOnceWhenReadingIsPaused() {
        try (KafkaShardLog log = TestKafka.log(config)) {
            RecordingReader reader = onlyNode(log);
            handedOutEarly(log, reader);
            long next = reader.records(0).getLast().offset() + 1;
            assertThat(log.leaderEpoch(0, next)).isEqualTo(LogRecord.NOT_READ_BACK);
            log.pause(0);
            assertThat(log.leaderEpoch(0, next)).isEqualTo(LogRecord.NO_LEADER);
        }
    }

    @Test
    void recordsComeOnceWhenReadingGoesOn() {
        try (KafkaShardLog log = TestKafka.log(config)) {
            RecordingReader reader = onlyNode(log);
            handedOutEarly(log, reader);
            log.pause(0);
            long next = reader.records(0).getLast().offset() + 1;
            get(append(log, "meanwhile"));
            log.readFrom(0, next);
            log.allowEarly(0);
            until(() -> reader.texts(0).getLast().equals("meanwhile"));
            handedOutEarly(log, reader);
            assertOffsetsAreDense(reader);
        }
    }

    @Test
    void nothingComesEarlyUnlessTheReaderAllowsIt() {
        try (KafkaShardLog log = TestKafka.log(config)) {
            RecordingReader reader = onlyNode(log);
            handedOutEarly(log, reader);
            int before = reader.count(0);
            log.readFrom(0, before);
            for (int i = 0; i < 100; i++) {
                get(append(log, "r" + i));
            }
            until(() -> reader.count(0) == before + 100);
            assertThat(reader.records(0).subList(before, before + 100)).noneMatch(EarlyRecordsTest::isEarly);
        }
    }

    @Test
    void recordsComeEarlyAgainWhenThereWasTooMuch() {
        try (KafkaShardLog log = TestKafka.log(config)) {
            RecordingReader reader = onlyNode(log);
            handedOutEarly(log, reader);
            List<CompletableFuture<Long>> appends = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                appends.add(append(log, "x".repeat(100_000)));
            }
            appends.forEach(each -> get(each));
            handedOutEarly(log, reader);
            assertOffsetsAreDense(reader);
        }
    }

    /** Another node that is not known yet, or was taken for dead. */
    @Test
    void recordsOfOthersKeepTheirPlaceWhenANodeTakesItselfForTheOnlyOne() {
        try (KafkaShardLog log = TestKafka.log(config);
                KafkaShardLog other = TestKafka.log(config)) {
            RecordingReader reader = onlyNode(log);
            handedOutEarly(log, reader);
            long first = reader.records(0).getLast().offset() + 1;
            List<CompletableFuture<Long>> appends = new CopyOnWriteArrayList<>();
            List<Thread> both = List.of(
                    Thread.ofVirtual().start(() -> appendMany(log, "own", appends)),
                    Thread.ofVirtual().start(() -> appendMany(other, "other", appends)));
            both.forEach(EarlyRecordsTest::join);
            appends.forEach(each -> get(each));
            long end = first + appends.size();
            until(() -> reader.records(0).getLast().offset() == end - 1);
            assertOffsetsAreDense(reader);
            List<String> read = reader.texts(0);
            for (String who : List.of("own", "other")) {
                assertThat(read.stream().filter(text -> text.startsWith(who + " ")))
                        .containsExactlyElementsOf(IntStream.range(0, 1_000)
                                .mapToObj(i -> who + " " + i)
                                .toList());
            }
            get(append(other, "one more"));
            until(() -> reader.texts(0).getLast().equals("one more"));
            handedOutEarly(log, reader);
            log.onlyNode(false);
            get(append(other, "no more"));
            until(() -> reader.texts(0).getLast().equals("no more"));
        }
    }

    @Test
    void readersAreToldWhereAnIdleLogLostItsEnd() {
        try (KafkaShardLog log = TestKafka.log(config)) {
            RecordingReader reader = onlyNode(log);
            loseEndOf(log, reader);
            int handedOut = reader.count(0);
            kafka.restart(1);
            until(() -> reader.wentBackTo(0) >= 0);
            long lost = reader.wentBackTo(0);
            assertThat(lost).isBetween(1L, handedOut - 1L);
            List<String> kept = reader.texts(0).subList(0, (int) lost);
            log.readFrom(0, 0);
            log.allowEarly(0);
            until(() -> reader.count(0) >= handedOut + lost);
            assertThat(reader.texts(0).subList(handedOut, handedOut + (int) lost))
                    .isEqualTo(kept);
        }
    }

    /** Else they would be folded twice: behind a hole, and again when the reader goes on where the log went back. */
    @Test
    void nothingComesOfALogThatLostItsEndBeforeReadersAreTold() {
        try (KafkaShardLog log = TestKafka.log(config)) {
            RecordingReader reader = onlyNode(log);
            loseEndOf(log, reader);
            for (int i = 0; i < 500; i++) {
                appendIfThereIsRoom(log, "new " + i);
            }
            kafka.restart(1);
            until(() -> {
                appendIfThereIsRoom(log, "new");
                return reader.wentBackTo(0) >= 0;
            });
            assertThat(reader.texts(0)).noneMatch(text -> text.startsWith("new"));
        }
    }

    private static void appendIfThereIsRoom(ShardLog log, String text) {
        log.append(0, text.getBytes(StandardCharsets.UTF_8), (_, _) -> {});
    }

    /** Has records handed out early, and Kafka lose the last ones, soon enough for them not to be read back. */
    private void loseEndOf(ShardLog log, RecordingReader reader) {
        handedOutEarly(log, reader);
        for (int i = 0; i < 100; i++) {
            get(append(log, "r" + i));
        }
        until(() -> reader.texts(0).getLast().equals("r99"));
        kafka.kill(1);
        String partition = config.shardsTopic() + "-0";
        kafka.cutLog(1, partition, kafka.logBytes(1, partition) - 400);
    }

    /** Has records handed out early, and gives one of them. */
    private static LogRecord handedOutEarly(ShardLog log, RecordingReader reader) {
        int before = reader.count(0);
        until(() -> {
            get(append(log, "begin"));
            return reader.records(0).stream().skip(before).anyMatch(EarlyRecordsTest::isEarly);
        });
        long offset = get(append(log, "begun"));
        until(() -> reader.records(0).getLast().offset() == offset);
        return reader.records(0).stream()
                .filter(EarlyRecordsTest::isEarly)
                .toList()
                .getLast();
    }

    private static boolean isEarly(LogRecord record) {
        return record.leaderEpoch() == LogRecord.NOT_READ_BACK;
    }

    private static void assertOffsetsAreDense(RecordingReader reader) {
        List<Long> offsets = reader.records(0).stream().map(LogRecord::offset).toList();
        assertThat(offsets)
                .isEqualTo(IntStream.range(0, offsets.size())
                        .mapToObj(Long::valueOf)
                        .toList());
    }

    private static RecordingReader onlyNode(KafkaShardLog log) {
        log.onlyNode(true); // before it is started, as a node may learn it
        RecordingReader reader = reading(log);
        log.allowEarly(0);
        return reader;
    }

    private static RecordingReader reading(ShardLog log) {
        RecordingReader reader = new RecordingReader();
        log.start(reader);
        until(() -> reader.assigned().contains(0));
        log.readFrom(0, 0);
        return reader;
    }

    private static void appendMany(ShardLog log, String who, List<CompletableFuture<Long>> to) {
        for (int i = 0; i < 1_000; i++) {
            to.add(append(log, who + " " + i));
            if (i % 10 == 0) {
                get(to.getLast());
            }
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static CompletableFuture<Long> append(ShardLog log, String text) {
        CompletableFuture<Long> appended = new CompletableFuture<>();
        byte[] value = text.getBytes(StandardCharsets.UTF_8);
        boolean isTaken = log.append(0, value, (offset, failure) -> {
            if (failure == null) {
                appended.complete(offset);
            } else {
                appended.completeExceptionally(failure);
            }
        });
        assertThat(isTaken).isTrue();
        return appended;
    }
}
