package io.tributary.cluster.kafka.app;

import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaRecorder;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** What becomes of reads when something fails that is no answer of Kafka's. */
class BacklogReaderTest {
    private static final TopicPartition PARTITION = new TopicPartition("apps", 0);

    private final List<Throwable> broken = new CopyOnWriteArrayList<>();
    private final AtomicBoolean failing = new AtomicBoolean(true);

    @Test
    void readIsAnsweredWhenItsConsumerCouldNotBeCreatedAtFirst() {
        try (BacklogReader reader = reader(() -> {
            if (failing.getAndSet(false)) {
                throw new KafkaAccessException("as the test wants");
            }
            return new Emptied();
        })) {
            assertThat(get(read(reader).answer()).next()).isEqualTo(Emptied.END);
            assertThat(broken).isEmpty();
        }
    }

    @Test
    void readIsAnsweredWhenItFailedAtFirst() {
        try (BacklogReader reader = reader(() -> new Emptied() {
            @Override
            public synchronized Map<TopicPartition, Long> endOffsets(
                    Collection<TopicPartition> partitions, Duration timeout) {
                if (failing.getAndSet(false)) {
                    throw new IllegalStateException("as the test wants");
                }
                return super.endOffsets(partitions, timeout);
            }
        })) {
            assertThat(get(read(reader).answer()).next()).isEqualTo(Emptied.END);
            assertThat(broken).isEmpty();
        }
    }

    @Test
    void nodeIsToldWhenNothingCanBeReadAnyMore() {
        Error failure = new LinkageError("as the test wants");
        try (BacklogReader reader = reader(() -> {
            throw failure;
        })) {
            read(reader);
            until(() -> broken.equals(List.of(failure)));
        }
    }

    private BacklogReader reader(Supplier<Consumer<byte[], byte[]>> consumers) {
        return new BacklogReader(consumers, "catch-up", KafkaRecorder.NONE, broken::add);
    }

    private static AppRead read(BacklogReader reader) {
        AppRead read = new AppRead("a", null, 0, 10, 1000);
        reader.read(new SharedFeed(PARTITION, new ReadAhead(1), reader, KafkaRecorder.NONE, _ -> {}), read);
        return read;
    }

    /** Has a partition all of whose records were deleted. */
    private static class Emptied extends MockConsumer<byte[], byte[]> {
        private static final long END = 5;

        private Emptied() {
            super("none");
            updateBeginningOffsets(Map.of(PARTITION, END));
            updateEndOffsets(Map.of(PARTITION, END));
        }
    }
}
