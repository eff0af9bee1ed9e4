package io.tributary.cluster.kafka.app;

import static io.tributary.persistence.contract.SavePoints.message;
import static io.tributary.persistence.contract.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.QoS;
import io.tributary.persistence.app.AppTopics.AppRecord;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SharedFeedTest {
    private static final TopicPartition PARTITION = new TopicPartition("apps", 0);
    private static final int READERS = 600;
    private static final int WINDOW = 2000;

    private final BacklogReader catchUp = new BacklogReader(
            () -> {
                throw new KafkaAccessException("as the test wants");
            },
            _ -> {
                throw new KafkaAccessException("as the test wants");
            },
            "catch-up",
            KafkaRecorder.NONE,
            _ -> {});
    private final AtomicInteger compared = new AtomicInteger();
    private final AtomicInteger unreadable = new AtomicInteger();
    private final SharedFeed feed = new SharedFeed(
            PARTITION,
            new LostEnds(),
            new ReadAhead(1 << 20),
            catchUp,
            new KafkaRecorder() {
                @Override
                public void onUnreadableRecord() {
                    unreadable.incrementAndGet();
                }
            },
            _ -> {});

    @AfterEach
    void close() {
        catchUp.close();
    }

    /** Each fetch would cost readers times window, under the lock that the shards' threads take. */
    @Test
    void newRecordsAloneAreLookedAtForReadersThatWait() {
        feed.open(0);
        feed.takeSeek();
        take("somebody", 0, WINDOW);
        List<AppRead> waiting =
                IntStream.range(0, READERS).mapToObj(i -> read("reader-" + i)).toList();
        compared.set(0);
        take("reader-7", WINDOW, WINDOW + 2);
        assertThat(compared.get()).isLessThan(10 * READERS);
        assertThat(get(waiting.get(7).answer()).records())
                .extracting(AppRecord::position)
                .containsExactly(2000L, 2001L);
        assertThat(waiting.get(8).answer()).isNotDone();
        take("somebody", WINDOW + 2, WINDOW + 600);
        assertThat(get(waiting.get(8).answer()).next()).as("moves on").isEqualTo(WINDOW + 600);
    }

    /** Whoever may write to the topic could have everybody's messages lost. */
    @Test
    void recordWhoseRecipientIsDamagedIsSkipped() {
        feed.open(0);
        feed.takeSeek();
        AppRead read = new AppRead("reader", null, 0, 10, 10_000);
        feed.read(read);
        feed.take(List.of(record(0, recipient("\0\0nobody")), record(1, recipient("reader"))), 2);
        assertThat(get(read.answer()).records()).extracting(AppRecord::position).containsExactly(1L);
        assertThat(unreadable).hasValue(1);
    }

    private AppRead read(String clientId) {
        AppRead read = new AppRead(clientId, null, WINDOW, 10, 10_000) {
            @Override
            long from() {
                compared.incrementAndGet();
                return super.from();
            }
        };
        feed.read(read);
        return read;
    }

    private void take(String clientId, long from, long until) {
        Recipient recipient = recipient(clientId);
        feed.take(
                LongStream.range(from, until)
                        .mapToObj(offset -> record(offset, recipient))
                        .toList(),
                until);
    }

    private static Recipient recipient(String clientId) {
        return new Recipient(clientId, 9, QoS.AT_LEAST_ONCE, false, List.of(), null, ClientKind.SMALL_APPLICATION);
    }

    private static ConsumerRecord<byte[], byte[]> record(long offset, Recipient recipient) {
        return ReceivedRecords.at(PARTITION, offset, message(offset), recipient);
    }
}
