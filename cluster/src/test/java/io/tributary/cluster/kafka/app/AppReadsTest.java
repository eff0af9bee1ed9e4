package io.tributary.cluster.kafka.app;

import static io.tributary.persistence.contract.SavePoints.message;
import static io.tributary.persistence.contract.Waiting.assertFails;
import static io.tributary.persistence.contract.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.TestKafka;
import io.tributary.cluster.kafka.TopicRules;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.QoS;
import io.tributary.persistence.app.AppTopics.AppTopic;
import io.tributary.persistence.app.AppTopics.Page;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of the reads of a partition that has lost its end, and has grown past that again. */
class AppReadsTest {
    private static final String FIRST = "first";
    private static final String SECOND = "second";
    private static final Page TOLD = new Page(List.of(), 100, 100);

    private final KafkaConfig config = TestKafka.config();
    private final TopicPartition partition = new TopicPartition(config.topicPrefix() + ".apps", 0);
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    private final AppAdmin admin = new AppAdmin(config, "node", KafkaRecorder.NONE);
    private final Scripted kafka = new Scripted();
    private final AppReads reads = new AppReads(
            _ -> kafka,
            Duration.ofSeconds(1),
            new AppTopicsConfig(1, 1, null, Duration.ofDays(7), false, 1 << 20, Duration.ofSeconds(10)),
            "node",
            admin,
            timer,
            KafkaRecorder.NONE,
            failure -> {
                throw new AssertionError(failure);
            });

    @BeforeEach
    void createTopic() {
        get(admin.create(TopicRules.app(config, partition.topic(), 1, -1, TestKafka.LARGEST_PACKET), partition));
    }

    @AfterEach
    void close() {
        reads.close();
        timer.shutdownNow();
        admin.close();
    }

    @Test
    void eachClientIsToldThatItsPartitionHasLostItsEndUntilItGoesBackThere() {
        loseEnd();
        assertThat(read(FIRST, 100)).isNotDone(); // it goes back, and reads a feed of its own making
        assertThat(get(read(SECOND, 115))).isEqualTo(TOLD);
        assertThat(get(read(SECOND, 115))).as("not logged yet").isEqualTo(TOLD);
        assertThat(read(SECOND, 100)).isNotDone();
        assertThat(read(SECOND, 115)).as("of the new end").isNotDone();
        assertThat(read(FIRST, 120)).as("of the new end").isNotDone();
    }

    @Test
    void clientIsToldWhenItsConnectionHasEndedMeanwhile() {
        loseEnd();
        reads.release(topic(SECOND), partition, "as the test wants");
        assertThat(get(read(SECOND, 115))).isEqualTo(TOLD);
    }

    @Test
    void sessionThatBeginsAnewIsToldNothing() {
        loseEnd();
        reads.forget(topic(SECOND), partition, "as the test wants");
        assertThat(read(SECOND, 110)).isNotDone();
    }

    /** It may have grown past that again before the other one reads. */
    @Test
    void eachClientIsToldThatItsPartitionEndedBeforeWhatItHasRead() {
        CompletableFuture<Page> first = waitFurther();
        kafka.answer(() -> {
            throw new OffsetOutOfRangeException(Map.of(partition, 120L));
        });
        assertFails(first, KafkaAccessException.class); // the one that there really is has nothing
        assertThat(get(read(SECOND, 115))).isEqualTo(new Page(List.of(), 0, 0));
    }

    private void loseEnd() {
        CompletableFuture<Page> first = waitFurther();
        kafka.answer(() -> {
            throw new LogTruncationException(
                    Map.of(partition, 120L), Map.of(partition, new OffsetAndMetadata(TOLD.from())));
        });
        assertThat(get(first)).isEqualTo(TOLD);
    }

    /** The first client waits at 120; the second has read up to 115. */
    private CompletableFuture<Page> waitFurther() {
        CompletableFuture<Page> second = read(SECOND, 0);
        kafka.answer(() -> new ConsumerRecords<>(
                Map.of(partition, List.of(record(114))), Map.of(partition, new OffsetAndMetadata(115))));
        assertThat(get(second).next()).isEqualTo(115);
        return read(FIRST, 120);
    }

    private CompletableFuture<Page> read(String clientId, long from) {
        return reads.read(topic(clientId), partition, new AppRead(clientId, null, from, 10, 10_000));
    }

    private static AppTopic topic(String clientId) {
        return new AppTopic(clientId, true);
    }

    private ConsumerRecord<byte[], byte[]> record(long offset) {
        Recipient recipient =
                new Recipient(SECOND, 9, QoS.AT_LEAST_ONCE, false, List.of(), null, ClientKind.SMALL_APPLICATION);
        return ReceivedRecords.at(partition, offset, message(offset), recipient);
    }

    /** Answers one poll each time that the test says so, once it is sent somewhere. */
    private static final class Scripted extends MockConsumer<byte[], byte[]> {
        private final Queue<Supplier<ConsumerRecords<byte[], byte[]>>> answers = new ArrayDeque<>(); // guarded by this
        private final CompletableFuture<Boolean> sought = new CompletableFuture<>();

        private Scripted() {
            super("none");
        }

        void answer(Supplier<ConsumerRecords<byte[], byte[]>> answer) {
            boolean _ = get(sought);
            add(answer);
        }

        private synchronized void add(Supplier<ConsumerRecords<byte[], byte[]>> answer) {
            answers.add(answer);
            notifyAll();
        }

        @Override
        public synchronized void seek(TopicPartition partition, long offset) {
            super.seek(partition, offset);
            sought.complete(true);
        }

        @Override
        public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            try {
                while (answers.isEmpty()) {
                    wait();
                }
                return answers.remove().get();
            } catch (InterruptedException e) {
                throw new InterruptException(e);
            }
        }

        @Override
        public synchronized void wakeup() {
            add(Scripted::awake);
        }

        private static ConsumerRecords<byte[], byte[]> awake() {
            throw new WakeupException();
        }
    }
}
