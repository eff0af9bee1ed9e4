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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.junit.jupiter.api.Test;

/** What becomes of reads when something fails that is no answer of Kafka's. */
class BacklogReaderTest {
    private static final TopicPartition PARTITION = new TopicPartition("apps", 0);
    private static final TopicPartition OTHER = new TopicPartition("apps", 1);

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
    void partitionThatCannotBeReadHoldsUpNoReadsOfOthers() {
        int reads = 10;
        CountDownLatch all = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        try (BacklogReader reader = reader(() -> new Emptied() {
            @Override
            public synchronized Map<TopicPartition, Long> endOffsets(
                    Collection<TopicPartition> partitions, Duration timeout) {
                if (partitions.contains(PARTITION)) {
                    asked.incrementAndGet();
                    await(all);
                    throw new IllegalStateException("as the test wants: it has no leader");
                }
                return super.endOffsets(partitions, timeout);
            }
        })) {
            for (int i = 0; i < reads; i++) {
                read(reader);
            }
            AppRead other = read(reader, OTHER);
            all.countDown();
            assertThat(get(other.answer()).next()).isEqualTo(Emptied.END);
            assertThat(asked.get()).isLessThan(reads);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new InterruptException(e);
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
        return read(reader, PARTITION);
    }

    private static AppRead read(BacklogReader reader, TopicPartition partition) {
        AppRead read = new AppRead("a", null, 0, 10, 1000);
        reader.read(new SharedFeed(partition, new ReadAhead(1), reader, KafkaRecorder.NONE, _ -> {}), read);
        return read;
    }

    /** Has a partition all of whose records were deleted. */
    private static class Emptied extends MockConsumer<byte[], byte[]> {
        private static final long END = 5;

        private Emptied() {
            super("none");
            updateBeginningOffsets(Map.of(PARTITION, END, OTHER, END));
            updateEndOffsets(Map.of(PARTITION, END, OTHER, END));
        }
    }
}
