package io.tributary.cluster.kafka.app;

import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.TestKafka;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AppProducerTest {
    private final KafkaConfig config = TestKafka.config();
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    private final AppAdmin admin = new AppAdmin(config, "node", KafkaRecorder.NONE);

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
        try (AppProducer producer =
                new AppProducer(config, senders, admin, timer, KafkaRecorder.NONE, _ -> {}, _ -> {})) {
            AppSender stuck = producer.sender();
            producer.replace(stuck);
            until(() -> !producer.sender().equals(stuck));
            assertThat(asked).hasValue(3);
        }
    }
}
