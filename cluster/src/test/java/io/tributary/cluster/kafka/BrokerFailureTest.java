package io.tributary.cluster.kafka;

import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.map.KafkaMaps;
import io.tributary.cluster.kafka.map.KafkaReplicatedMap;
import io.tributary.cluster.kafka.shard.KafkaShardLog;
import io.tributary.cluster.kafka.shard.NumberedAppends;
import io.tributary.cluster.kafka.shard.ResumingReader;
import io.tributary.localcluster.LocalKafka;
import io.tributary.persistence.contract.RecordingReader;
import io.tributary.persistence.contract.Waiting;
import io.tributary.persistence.replicated.Visibility;
import io.tributary.persistence.shard.AppendCallback;
import io.tributary.persistence.shard.ShardLog;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens when the only broker is killed and comes back. */
class BrokerFailureTest {
    private static final long BUFFER_BYTES = 1024 * 1024;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static LocalKafka kafka;

    private final KafkaConfig config = TestKafka.withTopics(
            TestKafka.config(kafka, 1)
                    .withAppends(KafkaConfig.Appends.defaults().withBufferBytes(BUFFER_BYTES)),
            "map");

    @BeforeAll
    static void startKafka() {
        kafka = LocalKafka.in(folder).start();
    }

    @AfterAll
    static void stopKafka() {
        kafka.close();
    }

    @Test
    void everyAppendIsThereOnceAndInOrderWhenTheBrokerIsKilledMeanwhile() throws InterruptedException {
        try (ShardLog log = TestKafka.log(config)) {
            RecordingReader reader = new ResumingReader(log);
            log.start(reader);
            NumberedAppends first = new NumberedAppends(log, 0);
            NumberedAppends second = new NumberedAppends(log, 1);
            for (int round = 0; round < 2; round++) {
                int before = first.appended();
                until(() -> first.appended() >= before + 2000 && second.appended() >= 2000);
                kafka.kill(1);
                kafka.restart(1);
            }
            int restarted = first.appended();
            until(() -> first.appended() >= restarted + 1000);
            first.finish();
            second.finish();
            first.checkRead(reader);
            second.checkRead(reader);
        }
    }

    @Test
    void everyAppendIsThereOnceAndInOrderWhenTheDiskIsFullMeanwhile() throws InterruptedException {
        try (ShardLog log = TestKafka.log(config)) {
            RecordingReader reader = new ResumingReader(log);
            log.start(reader);
            NumberedAppends appends = new NumberedAppends(log, 0);
            until(() -> appends.appended() >= 1000);
            kafka.fillDisk(1);
            until(() -> !kafka.isRunning(1)); // it ends by itself
            kafka.restart(1);
            int restarted = appends.appended();
            until(() -> appends.appended() >= restarted + 1000);
            appends.finish();
            appends.checkRead(reader);
        }
    }

    @Test
    void appendsAreRefusedWhenKafkaIsDownAndGoOnWhenItIsBack() {
        AtomicInteger completed = new AtomicInteger();
        AtomicInteger failed = new AtomicInteger();
        try (KafkaShardLog log = TestKafka.log(config)) {
            kafka.kill(1);
            int accepted = 0;
            byte[] value = new byte[1000];
            while (log.append(accepted % TestKafka.SHARDS, value, (offset, failure) -> {
                (failure == null ? completed : failed).incrementAndGet();
            })) {
                accepted++;
                assertThat(accepted * 1000L).isLessThan(BUFFER_BYTES);
            }
            CompletableFuture<Boolean> room = new CompletableFuture<>();
            log.onRoom(() -> room.complete(true));
            assertThat(room).isNotDone();
            assertThat(completed).hasValue(0);
            assertThat(log.oldestAppendNanos()).isPositive();
            long restarted = System.currentTimeMillis();
            kafka.restart(1);
            get(room);
            int expected = accepted;
            until(() -> completed.get() == expected);
            assertThat(failed).hasValue(0);
            assertThat(log.oldestAppendNanos()).isZero();
            RecordingReader reader = new ResumingReader(log);
            log.start(reader);
            until(() -> reader.count(0) == (expected + TestKafka.SHARDS - 1) / TestKafka.SHARDS);
            assertThat(reader.records(0))
                    .allSatisfy(record -> assertThat(record.timeMillis())
                            .as("the time of appending, not of sending")
                            .isGreaterThanOrEqualTo(restarted));
        }
    }

    @Test
    void acceptedAppendsFailWhenClosedAndKafkaDoesNotAnswerInTime() {
        KafkaConfig hasty = config.withAppends(config.appends().withCloseTimeout(Duration.ofMillis(300)));
        CompletableFuture<@Nullable Throwable> failed = new CompletableFuture<>();
        try (ShardLog log = TestKafka.log(hasty)) {
            kafka.pause(1);
            assertThat(log.append(0, new byte[1], (offset, failure) -> failed.complete(failure)))
                    .isTrue();
        } finally {
            kafka.resume(1);
        }
        assertThat(failed).isCompletedWithValueMatching(failure -> failure != null);
    }

    @Test
    void appendsAreRefusedAndNotBrokenWhenTheProducerForgetsTheTopic() {
        KafkaConfig forgetful = config.withAppends(KafkaConfig.Appends.defaults())
                .withClientProperties(Map.of("metadata.recovery.rebootstrap.trigger.ms", "300"));
        AtomicInteger completed = new AtomicInteger();
        AtomicInteger failed = new AtomicInteger();
        AppendCallback callback = (offset, failure) -> (failure == null ? completed : failed).incrementAndGet();
        try (ShardLog log = TestKafka.log(forgetful)) {
            assertThat(log.append(0, new byte[1], callback)).isTrue();
            until(() -> completed.get() == 1); // what is behind a first record is held
            kafka.kill(1);
            AtomicInteger accepted = new AtomicInteger(1);
            until(() -> !log.append(0, new byte[1], callback) || accepted.incrementAndGet() < 0);
            CompletableFuture<Boolean> room = new CompletableFuture<>();
            log.onRoom(() -> room.complete(true));
            get(room); // the budget is far from used up: it tries again now and then
            kafka.restart(1);
            until(() -> log.append(0, new byte[1], callback));
            until(() -> completed.get() == accepted.get() + 1);
            assertThat(failed).hasValue(0);
        }
    }

    @Test
    void mapGoesOnWhenTheBrokerIsKilledMeanwhile() {
        ConcurrentHashMap<String, Boolean> seen = new ConcurrentHashMap<>();
        try (KafkaMaps maps = new KafkaMaps(config, "node", 1, Visibility.ALONE, KafkaRecorder.NONE, failure -> {})) {
            KafkaReplicatedMap map = maps.open("map");
            get(map.follow((key, _) -> seen.put(key, true)));
            get(map.put("before", new byte[1]));
            kafka.kill(1);
            CompletionStage<@Nullable Void> written = map.put("meanwhile", new byte[1]);
            CompletionStage<@Nullable Void> caughtUp = map.caughtUp();
            kafka.restart(1);
            get(written);
            get(caughtUp);
            assertThat(seen).containsOnlyKeys("before", "meanwhile");
        }
    }

    @Test
    void mapWritesWaitWhenTheProducerForgetsTheTopic() {
        KafkaConfig forgetful = config.withAppends(KafkaConfig.Appends.defaults())
                .withClientProperties(Map.of("metadata.recovery.rebootstrap.trigger.ms", "300"));
        AtomicInteger refused = new AtomicInteger();
        KafkaRecorder recorder = new KafkaRecorder() {
            @Override
            public void onRefusal() {
                refused.incrementAndGet();
            }
        };
        List<String> seen = new CopyOnWriteArrayList<>();
        try (KafkaMaps maps = new KafkaMaps(forgetful, "node", 1, Visibility.ALONE, recorder, failure -> {})) {
            KafkaReplicatedMap map = maps.open("map");
            get(map.follow((key, _) -> seen.add(key)));
            get(map.put("first", new byte[1])); // what is behind it is held until Kafka has it
            seen.clear();
            kafka.kill(1);
            List<CompletionStage<@Nullable Void>> written = new ArrayList<>();
            until(() -> {
                written.add(map.put("key " + written.size(), new byte[1]));
                return refused.get() > 1;
            });
            kafka.restart(1);
            written.forEach(Waiting::get);
            assertThat(seen)
                    .as("all, and in the order of writing")
                    .isEqualTo(IntStream.range(0, written.size())
                            .mapToObj(i -> "key " + i)
                            .toList());
        }
    }
}
