package io.tributary.cluster.kafka.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.KafkaRecorder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ConsumerGroupOffsetsTest {
    private static final TopicPartition PARTITION = new TopicPartition("shards", 0);

    private final Asked consumer = new Asked();
    private final ShardCursor cursor = new ShardCursor(PARTITION, _ -> {});
    private int errors;
    private final KafkaRecorder counting = new KafkaRecorder() {
        @Override
        public void onError() {
            errors++;
        }
    };
    private Duration now = Duration.ZERO;
    private final ConsumerGroupOffsets commits =
            new ConsumerGroupOffsets(consumer, new ShardCursor[] {cursor}, counting, () -> now.toNanos());

    /** Writes down the offsets that are to be committed, and answers when it is told to. */
    private static final class Asked extends MockConsumer<byte[], byte[]> {
        final List<Long> offsets = new ArrayList<>();
        private final List<OffsetCommitCallback> callbacks = new ArrayList<>();

        private Asked() {
            super("none");
        }

        @Override
        public synchronized void commitAsync(
                Map<TopicPartition, OffsetAndMetadata> tried, OffsetCommitCallback callback) {
            tried.values().forEach(offset -> offsets.add(offset.offset()));
            callbacks.add((_, failure) -> callback.onComplete(tried, failure));
        }

        void answer(int commit, @Nullable Exception failure) {
            callbacks.get(commit).onComplete(Map.of(), failure);
        }
    }

    @Test
    void offsetIsCommittedOnce() {
        cursor.assign();
        commits.note(0, 7);
        commits.commitNow();
        consumer.answer(0, null);
        commits.commitNow();
        assertThat(consumer.offsets).containsExactly(7L);
    }

    /** Otherwise those who watch the lag see one for as long as nothing more is written to the shard. */
    @Test
    void offsetIsCommittedAgainWhenThatFailed() {
        cursor.assign();
        commits.note(0, 7);
        commits.commitNow();
        consumer.answer(0, new RetriableCommitFailedException("no coordinator"));
        commits.commitNow();
        assertThat(consumer.offsets).containsExactly(7L, 7L);
        assertThat(errors).isEqualTo(1);
    }

    @Test
    void laterOffsetIsNotCommittedAgainWhenAnEarlierOneFailed() {
        cursor.assign();
        commits.note(0, 7);
        commits.commitNow();
        commits.note(0, 8);
        commits.commitNow();
        consumer.answer(0, new RetriableCommitFailedException("no coordinator"));
        consumer.answer(1, null);
        commits.commitNow();
        assertThat(consumer.offsets).containsExactly(7L, 8L);
    }

    /** Kafka forgets what was committed a week ago, and then the shard would seem to lag, for it may be long quiet. */
    @Test
    void offsetThatDoesNotChangeIsCommittedAgainWithinADay() {
        cursor.assign();
        commits.note(0, 7);
        commits.commitNow();
        consumer.answer(0, null);
        now = Duration.ofMinutes(1);
        commits.commitIfDue();
        assertThat(consumer.offsets).containsExactly(7L);
        now = Duration.ofDays(1);
        commits.commitIfDue();
        assertThat(consumer.offsets).containsExactly(7L, 7L);
        now = now.plusMinutes(1);
        commits.commitIfDue();
        assertThat(consumer.offsets).containsExactly(7L, 7L);
    }

    @Test
    void offsetOfAnEarlierOwnershipIsNotCommittedAgain() {
        cursor.assign();
        commits.note(0, 7);
        commits.commitNow();
        cursor.revoke();
        commits.begin(0);
        cursor.assign();
        now = Duration.ofDays(1);
        commits.commitIfDue();
        assertThat(consumer.offsets).containsExactly(7L);
    }
}
