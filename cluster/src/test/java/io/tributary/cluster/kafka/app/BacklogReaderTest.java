package io.tributary.cluster.kafka.app;

import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.app.AppAdmin.Bounds;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
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
        Function<TopicPartition, CompletableFuture<Bounds>> failingOnce = _ -> failing.getAndSet(false)
                ? CompletableFuture.failedFuture(new KafkaAccessException("as the test wants"))
                : Emptied.known();
        try (BacklogReader reader = reader(Emptied::new, failingOnce)) {
            assertThat(get(read(reader).answer()).next()).isEqualTo(Emptied.END);
            assertThat(broken).isEmpty();
        }
    }

    @Test
    void partitionThatKafkaTellsNothingOfHoldsUpNoReadsOfOthersAndIsAskedForOnce() {
        int reads = 10;
        AtomicInteger asked = new AtomicInteger();
        CompletableFuture<Bounds> late = new CompletableFuture<>();
        try (BacklogReader reader = reader(Emptied::new, partition -> {
            if (!partition.equals(PARTITION)) {
                return Emptied.known();
            }
            asked.incrementAndGet();
            return late;
        })) {
            List<AppRead> waiting =
                    IntStream.range(0, reads).mapToObj(_ -> read(reader)).toList();
            assertThat(get(read(reader, OTHER).answer()).next()).isEqualTo(Emptied.END);
            assertThat(asked).hasValue(1);
            late.complete(new Bounds(Emptied.END, Emptied.END)); // however late: the answer counts
            waiting.forEach(each -> assertThat(get(each.answer()).next()).isEqualTo(Emptied.END));
            assertThat(asked).hasValue(1);
        }
    }

    @Test
    void readIsAnsweredWhenRecordsTakeLongerThanExpected() {
        try (BacklogReader reader =
                reader(Slow::new, _ -> CompletableFuture.completedFuture(new Bounds(0, Slow.END)))) {
            assertThat(get(read(reader).answer()).next()).isEqualTo(Slow.END);
        }
    }

    /** Kafka's consumer asks the new leader where it is first, for up to a minute. */
    @Test
    void readIsAnsweredWhenItsPartitionHasJustGotAnotherLeader() {
        try (BacklogReader reader =
                reader(Unvalidated::new, _ -> CompletableFuture.completedFuture(new Bounds(0, Slow.END)))) {
            assertThat(get(read(reader).answer()).next()).isEqualTo(Slow.END);
        }
    }

    /** One that has lost its end, say. */
    @Test
    void readOfWhatIsNotThereHoldsUpNoOtherOfItsPartition() {
        CompletableFuture<Bounds> all = new CompletableFuture<>();
        try (BacklogReader reader = reader(Emptied::new, _ -> all)) {
            AppRead behindTheEnd = read(reader, PARTITION, Emptied.END);
            AppRead other = read(reader);
            all.complete(new Bounds(Emptied.END, Emptied.END));
            assertThat(get(other.answer()).next()).isEqualTo(Emptied.END);
            assertThat(behindTheEnd.answer()).isNotDone();
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
        return reader(consumers, _ -> Emptied.known());
    }

    private BacklogReader reader(
            Supplier<Consumer<byte[], byte[]>> consumers, Function<TopicPartition, CompletableFuture<Bounds>> bounds) {
        return new BacklogReader(consumers, bounds, "catch-up", KafkaRecorder.NONE, broken::add);
    }

    private static AppRead read(BacklogReader reader) {
        return read(reader, PARTITION);
    }

    private static AppRead read(BacklogReader reader, TopicPartition partition) {
        return read(reader, partition, 0);
    }

    private static AppRead read(BacklogReader reader, TopicPartition partition, long from) {
        AppRead read = new AppRead("a", null, from, 10, 1000);
        reader.read(
                new SharedFeed(partition, new LostEnds(), new ReadAhead(1), reader, KafkaRecorder.NONE, _ -> {}), read);
        return read;
    }

    /** Has partitions all of whose records were deleted. */
    private static final class Emptied extends MockConsumer<byte[], byte[]> {
        private static final long END = 5;

        private Emptied() {
            super("none");
            updateBeginningOffsets(Map.of(PARTITION, END, OTHER, END));
        }

        private static CompletableFuture<Bounds> known() {
            return CompletableFuture.completedFuture(new Bounds(END, END));
        }
    }

    /** Gives records to whoever waits for half a second. */
    private static class Slow extends MockConsumer<byte[], byte[]> {
        private static final long END = 5;

        private Slow() {
            super("none");
            updateBeginningOffsets(Map.of(PARTITION, 0L));
        }

        @Override
        public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            if (timeout.toMillis() >= 500) {
                addRecord(new ConsumerRecord<>(PARTITION.topic(), 0, END - 1, new byte[0], new byte[0]));
            }
            return super.poll(timeout);
        }
    }

    /** Knows no position, after its records. */
    private static final class Unvalidated extends Slow {
        @Override
        public synchronized long position(TopicPartition partition) {
            throw new TimeoutException("as the test wants");
        }
    }
}
