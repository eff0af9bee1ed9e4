package io.tributary.cluster.kafka.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.event.Source;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class IngestPositionsTest {
    private static final int NUMBER = Source.FIRST_INGEST + 7;

    @Test
    void recordsOfALaterLeaderComeAfterThoseThatAPartitionHasLost() {
        assertThat(isAfter(source(900, 6), source(999, 5))).isTrue();
        assertThat(isAfter(source(999, 5), source(900, 6))).isFalse();
    }

    @Test
    void recordThatIsReadAgainIsARepetition() {
        assertThat(source(900, 6)).isEqualTo(source(900, 6));
        assertThat(isAfter(source(899, 6), source(900, 6))).isFalse();
    }

    @Test
    void orderIsKeptBeyondTheLargestLeaderEpochAndOffset() {
        assertThat(source(5, Integer.MAX_VALUE).offset()).isPositive();
        assertThat(isAfter(source(6, Integer.MAX_VALUE), source(5, Integer.MAX_VALUE)))
                .isTrue();
        assertThat(isAfter(source(1L << 45, 1), source((1L << 45) - 1, 1))).isTrue();
    }

    @Test
    void groupIsDoneWithWhatIsBelowTheCommittedOffset() {
        assertThat(isDone(900, 5, source(899, 5))).isTrue();
        assertThat(isDone(900, 5, source(900, 5))).isFalse();
        assertThat(isDone(900, 5, source(900, 6))).isFalse();
    }

    @Test
    void groupIsDoneWithWhatIsLostOnceItHasReadOfALaterLeader() {
        assertThat(isDone(900, 5, source(999, 5))).isFalse();
        assertThat(isDone(901, 6, source(999, 5))).isTrue();
    }

    @Test
    void offsetsAreComparedWhereOneOfThemSaysNoEpoch() {
        Source plain = new Source(NUMBER, 899, 0);
        assertThat(isDone(900, 5, plain)).isTrue();
        assertThat(isDone(899, 5, plain)).isFalse();
        assertThat(isDone(900, null, source(899, 5))).isTrue();
        assertThat(isDone(900, null, source(900, 5))).isFalse();
    }

    private static boolean isAfter(Source one, Source other) {
        assertThat(one.shard()).isEqualTo(other.shard());
        return one.isAfter(other.offset(), other.part());
    }

    private static boolean isDone(long offset, @Nullable Integer epoch, Source source) {
        OffsetAndMetadata committed = new OffsetAndMetadata(offset, Optional.ofNullable(epoch), "");
        return IngestPositions.isDone(committed, source.shard(), source.offset());
    }

    private static Source source(long offset, int epoch) {
        return IngestPositions.source(
                NUMBER,
                new ConsumerRecord<>(
                        "commands",
                        0,
                        offset,
                        0,
                        TimestampType.CREATE_TIME,
                        0,
                        0,
                        new byte[0],
                        new byte[0],
                        new RecordHeaders(),
                        Optional.of(epoch)));
    }
}
