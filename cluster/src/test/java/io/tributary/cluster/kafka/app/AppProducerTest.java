package io.tributary.cluster.kafka.app;

import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.FailingProducer;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.PartitionQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AppProducerTest {
    private final KafkaConfig config = WatchedAdmin.SILENT;
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    private final AtomicInteger questions = new AtomicInteger();
    private final AtomicReference<@Nullable Error> error = new AtomicReference<>();
    private final AppAdmin admin = new AppAdmin(
            WatchedAdmin.of(config, (method, _) -> {
                if (method.equals("describeTopics")) {
                    questions.incrementAndGet();
                    throwOnce();
                }
            }),
            "node",
            KafkaRecorder.NONE);
    private final MockProducer<byte[], byte[]> kafka = kafka();

    @AfterEach
    void close() {
        timer.shutdownNow();
        admin.close();
    }

    @Test
    void stuckSenderIsReplacedWhenANewOneCouldNotBeCreatedAtFirst() {
        AtomicInteger asked = new AtomicInteger();
        Supplier<AppSender> senders = () -> {
            if (asked.incrementAndGet() == 2) {
                throw new StackOverflowError("as the test wants");
            }
            return new AppSender(config, "node");
        };
        try (AppProducer producer = producer(senders)) {
            AppSender stuck = producer.sender();
            producer.replace(stuck);
            until(() -> !producer.sender().equals(stuck));
            assertThat(asked).hasValue(3);
        }
    }

    @Test
    void oneRequestAtATimeAsksForAllTopicsWhileKafkaIsAway() {
        try (AppProducer producer = producer(() -> new AppSender(kafka))) {
            int topics = 100;
            for (int i = 0; i < topics; i++) {
                append(producer, "topic-" + i);
            }
            for (int seconds = 4; seconds < 14; seconds++) {
                look(producer, Duration.ofSeconds(seconds));
            }
            assertThat(questions).hasValue(1);
            while (kafka.completeNext()) {
                topics--;
            }
            assertThat(topics).isZero();
        }
    }

    @Test
    void topicsAreAskedForAgainAfterAnError() {
        try (AppProducer producer = producer(() -> new AppSender(kafka))) {
            append(producer, "topic");
            error.set(new StackOverflowError("as the test wants"));
            look(producer, Duration.ofSeconds(4));
            look(producer, Duration.ofSeconds(5));
            assertThat(questions).hasValue(2);
            assertThat(kafka.completeNext()).isTrue();
        }
    }

    /** Nobody knows what became of it. */
    @Test
    void recordWithWhichKafkasProducerHasAnErrorFailsForGood() {
        CompletableFuture<@Nullable Throwable> told = new CompletableFuture<>();
        try (AppProducer producer = producer(() -> new AppSender(new FailingProducer()))) {
            assertThat(producer.append(record("topic"), () -> true, (_, failure) -> told.complete(failure)))
                    .isTrue();
            assertThat(get(told)).hasRootCauseInstanceOf(StackOverflowError.class);
            assertThat(producer.obstacle(1)).as("nothing is sent behind it").isNotNull();
        }
    }

    @Test
    void senderIsReplacedWhenItHasHadManyTopicsThatAreNotInUse() {
        List<MockProducer<byte[], byte[]>> all = new CopyOnWriteArrayList<>();
        Supplier<AppSender> senders = () -> {
            all.add(kafka());
            return new AppSender(all.getLast());
        };
        try (AppProducer producer = producer(senders)) {
            AppSender first = producer.sender();
            for (int i = 0; i <= 1000; i++) {
                append(producer, "topic-" + i);
                assertThat(all.getFirst().completeNext()).isTrue();
            }
            append(producer, "late");
            look(producer, Duration.ofMinutes(6));
            until(() -> !producer.sender().equals(first));
            append(producer, "other");
            append(producer, "late");
            assertThat(all.getLast().history())
                    .as("behind what the old one has")
                    .hasSize(1);
            assertThat(all.getFirst().closed()).isFalse();
            assertThat(all.getFirst().completeNext()).isTrue();
            until(() -> all.getFirst().closed());
            assertThat(all.getLast().history()).hasSize(2);
            assertThat(all.getLast().completeNext()).isTrue();
            assertThat(all.getLast().completeNext()).isTrue();
            assertThat(all).hasSize(2);
        }
    }

    @Test
    void recordThatCrossesTheReplacementIsHeld() {
        AppSender sender = new AppSender(kafka);
        sender.retire();
        until(kafka::closed);
        AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
        sender.send(record("topic"), (_, exception) -> failure.set(exception));
        assertThat(PartitionQueue.isPassing(failure.get())).isTrue();
    }

    @Test
    void ageOfTheOldestAppendIsThatOfTheLongestWaiting() {
        try (AppProducer producer = producer(() -> new AppSender(kafka))) {
            assertThat(producer.oldestAppendNanos()).isZero();
            append(producer, "topic");
            append(producer, "other");
            assertThat(producer.oldestAppendNanos(System.nanoTime() + 1_000)).isGreaterThanOrEqualTo(1_000);
            assertThat(kafka.completeNext()).isTrue();
            assertThat(producer.oldestAppendNanos()).isPositive();
            assertThat(kafka.completeNext()).isTrue();
            assertThat(producer.oldestAppendNanos()).isZero();
        }
    }

    private AppProducer producer(Supplier<AppSender> senders) {
        return new AppProducer(
                config,
                senders,
                admin,
                timer,
                KafkaRecorder.NONE,
                _ -> {},
                (_, _) -> CompletableFuture.completedFuture(null),
                _ -> {});
    }

    private void throwOnce() {
        Error thrown = error.getAndSet(null);
        if (thrown != null) {
            throw thrown;
        }
    }

    private static void append(AppProducer producer, String topic) {
        assertThat(producer.append(
                        record(topic),
                        () -> true,
                        (_, failure) -> assertThat(failure).isNull()))
                .isTrue();
    }

    private static ProducerRecord<byte[], byte[]> record(String topic) {
        return new ProducerRecord<>(topic, 0, new byte[1], new byte[1]);
    }

    private static MockProducer<byte[], byte[]> kafka() {
        return new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Looks at the queues as in a while. */
    private void look(AppProducer producer, Duration later) {
        get(CompletableFuture.runAsync(() -> producer.lookAtQueues(System.nanoTime() + later.toNanos()), timer));
    }
}
