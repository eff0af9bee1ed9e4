package io.tributary.cluster.kafka.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.KafkaRecorder;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.junit.jupiter.api.Test;

class ShardLagsTest {
    private static final TopicPartition PARTITION = new TopicPartition("shards", 0);
    private static final Duration RETENTION = Duration.ofHours(1);

    private final Records consumer = new Records();
    private int errors;
    private final KafkaRecorder counting = new KafkaRecorder() {
        @Override
        public void onError() {
            errors++;
        }
    };
    private Duration now = Duration.ZERO;
    private final ShardLags lags =
            new ShardLags(consumer, "shards", 1, _ -> 0, RETENTION, () -> Instant.EPOCH, counting, () -> now.toNanos());

    /** All records, up to offset 5, are old. */
    private static final class Records extends MockConsumer<byte[], byte[]> {
        private boolean mayRead = true;
        private long committed;
        private int asked;

        private Records() {
            super("none");
            updateEndOffsets(Map.of(PARTITION, 5L));
        }

        @Override
        public synchronized Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(
                Map<TopicPartition, Long> times, Duration timeout) {
            return new HashMap<>();
        }

        @Override
        public synchronized Map<TopicPartition, OffsetAndMetadata> committed(
                Set<TopicPartition> partitions, Duration timeout) {
            asked++;
            if (!mayRead) {
                throw new GroupAuthorizationException("shards");
            }
            return Map.of(PARTITION, new OffsetAndMetadata(committed));
        }
    }

    /** Reading goes on, and Kafka is not asked at each turn. */
    @Test
    void lagsStayAsTheyWereWhenTheGroupMayNotBeReadAnyMore() {
        look();
        assertThat(lags.lagging()).containsExactly(0);
        consumer.mayRead = false;
        look();
        lags.lookIfDue();
        assertThat(consumer.asked).isEqualTo(2);
        assertThat(errors).isEqualTo(1);
        assertThat(lags.lagging()).containsExactly(0);
        consumer.mayRead = true;
        consumer.committed = 5;
        look();
        assertThat(lags.lagging()).isEmpty();
    }

    private void look() {
        now = now.plus(RETENTION);
        lags.lookIfDue();
    }
}
