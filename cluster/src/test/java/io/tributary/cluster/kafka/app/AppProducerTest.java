package io.tributary.cluster.kafka.app;

import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AppProducerTest {
    private final KafkaConfig config = WatchedAdmin.SILENT;
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    private final AtomicInteger questions = new AtomicInteger();
    private final AppAdmin admin = new AppAdmin(
            WatchedAdmin.of(config, (method, _) -> {
                if (method.equals("describeTopics")) {
                    questions.incrementAndGet();
                }
            }),
            "node",
            KafkaRecorder.NONE);
    private final MockProducer<byte[], byte[]> kafka =
            new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());

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
                throw new KafkaAccessException("as the test wants");
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
            assertThat(questions).hasValue(0);
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

    private AppProducer producer(Supplier<AppSender> senders) {
        return new AppProducer(config, senders, admin, timer, KafkaRecorder.NONE, _ -> {}, _ -> {});
    }

    private static void append(AppProducer producer, String topic) {
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, 0, new byte[1], new byte[1]);
        assertThat(producer.append(record, () -> true, (_, failure) -> assertThat(failure)
                        .isNull()))
                .isTrue();
    }

    /** Looks at the lanes as in a while. */
    private void look(AppProducer producer, Duration later) {
        get(CompletableFuture.runAsync(() -> producer.lookAtLanes(System.nanoTime() + later.toNanos()), timer));
    }
}
