package io.tributary.cluster.kafka.app;

import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.persistence.app.AppTopics.AppRecord;
import io.tributary.persistence.app.AppTopics.Page;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AppConsumerTest {
    private final List<Endless> kafka = new CopyOnWriteArrayList<>();
    private final List<Throwable> broken = new CopyOnWriteArrayList<>();

    @Test
    void consumerIsReplacedWhenItHasReadManyTopicsThatAreNotInUse() {
        try (AppConsumer consumer = new AppConsumer(
                this::endless, "reader", Duration.ofSeconds(1), KafkaRecorder.NONE, _ -> {}, broken::add)) {
            AppFeed staying = feed(consumer, "staying");
            long position = read(staying, 0).next();
            for (int i = 0; i < 1000; i++) {
                AppFeed other = feed(consumer, "topic-" + i);
                read(other, 0);
                other.end("as the test wants");
                consumer.attend(other);
            }
            until(() -> kafka.size() == 2 && kafka.getFirst().closed());
            for (int i = 0; i < 1000; i++) { // more than the first one had read
                Page page = read(staying, position);
                assertThat(page.records())
                        .extracting(AppRecord::position)
                        .as("the second one goes on where the first one was")
                        .containsExactly(position);
                position = page.next();
            }
            assertThat(kafka).hasSize(2);
            assertThat(broken).isEmpty();
        }
    }

    /** Reading on would skip what it was given. */
    @Test
    void feedThatCannotTakeRecordsEnds() {
        try (AppConsumer consumer = new AppConsumer(
                this::endless, "reader", Duration.ofSeconds(1), KafkaRecorder.NONE, _ -> {}, broken::add)) {
            Failing feed = new Failing(consumer::attend);
            AppRead read = new AppRead("a", null, 0, 1, 1000);
            feed.read(read);
            until(() -> read.answer().isCompletedExceptionally());
            assertThat(feed.hasEnded()).isTrue();
            until(() -> kafka.getFirst().assignment().isEmpty());
            assertThat(broken).isEmpty();
        }
    }

    /** Fails whatever it is given. */
    private static final class Failing extends AppFeed {
        private @Nullable AppRead waiting; // guarded by this

        private Failing(Consumer<AppFeed> attention) {
            super(new TopicPartition("failing", 0), new LostEnds(), new ReadAhead(1000), KafkaRecorder.NONE, attention);
        }

        @Override
        boolean read(AppRead read) {
            synchronized (this) {
                waiting = read;
                seek(read.from());
            }
            attend();
            return true;
        }

        @Override
        void take(List<ConsumerRecord<byte[], byte[]>> polled, long nextPosition) {
            throw new IllegalStateException("as the test wants");
        }

        @Override
        boolean isFull() {
            return false;
        }

        @Override
        void outOfRange(long first, long end) {
            throw new UnsupportedOperationException();
        }

        @Override
        List<AppRead> takeWaiting() {
            return waiting == null ? List.of() : List.of(waiting);
        }

        @Override
        boolean isAwaited() {
            return waiting != null;
        }
    }

    private Endless endless() {
        kafka.add(new Endless());
        return kafka.getLast();
    }

    private static AppFeed feed(AppConsumer consumer, String topic) {
        AppFeed feed = new OwnFeed(
                new TopicPartition(topic, 0),
                topic,
                new LostEnds(),
                new ReadAhead(1000),
                KafkaRecorder.NONE,
                consumer::attend);
        feed.identify("id");
        return feed;
    }

    private static Page read(AppFeed feed, long from) {
        AppRead read = new AppRead("a", null, from, 1, 1000);
        assertThat(feed.read(read)).isTrue();
        return get(read.answer());
    }

    /** Has one record in each partition, and records without end in one; waits where there are none. */
    private static final class Endless extends MockConsumer<byte[], byte[]> {
        private boolean isAwake; // guarded by this

        private Endless() {
            super("none");
        }

        @Override
        public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> records = new HashMap<>();
            Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
            for (TopicPartition partition : assignment()) {
                long position = position(partition);
                if (!paused().contains(partition)
                        && (position == 0 || partition.topic().equals("staying"))) {
                    byte[] key = "topic".getBytes(StandardCharsets.UTF_8);
                    records.put(
                            partition, List.of(new ConsumerRecord<>(partition.topic(), 0, position, key, new byte[1])));
                    seek(partition, position + 1);
                    next.put(partition, new OffsetAndMetadata(position + 1));
                }
            }
            if (records.isEmpty()) {
                waitForWakeup();
            }
            return new ConsumerRecords<>(records, next);
        }

        private synchronized void waitForWakeup() {
            try {
                while (!isAwake) {
                    wait();
                }
                isAwake = false;
            } catch (InterruptedException e) {
                throw new InterruptException(e);
            }
        }

        @Override
        public synchronized void wakeup() {
            isAwake = true;
            notifyAll();
        }
    }
}
