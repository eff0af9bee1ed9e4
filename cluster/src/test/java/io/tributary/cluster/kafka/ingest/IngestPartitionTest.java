package io.tributary.cluster.kafka.ingest;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class IngestPartitionTest {
    private static final TopicPartition COMMANDS = new TopicPartition("commands", 0);

    @Test
    void namesOfHeadersCountInBytes() {
        IngestPartition partition = new IngestPartition(COMMANDS, 10, 5_000);
        partition.number(1);
        ConsumerRecord<byte[], byte[]> first = record(0);
        partition.add(List.of(first, record(1)), new OffsetAndMetadata(2));
        assertThat(partition.peek()).isEqualTo(first);
        partition.take(first);
        partition.taken();
        assertThat(partition.peek())
                .as("two of 3,000 bytes are more than may be under way")
                .isNull();
    }

    @Test
    void offsetIsCommittedWithTheLeaderEpochOfWhatIsBeforeIt() {
        IngestPartition partition = new IngestPartition(COMMANDS, 10, 5_000);
        partition.number(1);
        partition.add(List.of(record(5, 2), record(6, 3)), new OffsetAndMetadata(8, Optional.of(4), ""));
        IngestPartition.PendingRecord first = take(partition);
        IngestPartition.PendingRecord second = take(partition);
        assertThat(partition.uncommitted()).isNull();
        first.done();
        assertThat(partition.uncommitted()).isEqualTo(new OffsetAndMetadata(6, Optional.of(2), "1"));
        second.done();
        assertThat(partition.uncommitted()).isEqualTo(new OffsetAndMetadata(8, Optional.of(4), "1"));
    }

    /** The one before may have left it to be committed. */
    @Test
    void partitionThatBeginsAgainCommitsWhereItBegins() {
        IngestPartition failed = new IngestPartition(COMMANDS, 10, 5_000);
        failed.number(1);
        failed.add(List.of(record(5, 2), record(6, 3)), new OffsetAndMetadata(7, Optional.of(3), ""));
        take(failed).done();
        take(failed).fail();
        IngestPartition again = failed.restarted(failed.safePosition());
        again.number(1);
        again.add(List.of(record(6, 3)), new OffsetAndMetadata(7, Optional.of(3), ""));
        take(again);
        assertThat(again.uncommitted()).isEqualTo(new OffsetAndMetadata(6, Optional.of(2), "1"));
    }

    private static IngestPartition.PendingRecord take(IngestPartition partition) {
        IngestPartition.PendingRecord taken = partition.take(requireNonNull(partition.peek()));
        partition.taken();
        return taken;
    }

    private static ConsumerRecord<byte[], byte[]> record(long offset, int leaderEpoch) {
        return new ConsumerRecord<>(
                COMMANDS.topic(),
                COMMANDS.partition(),
                offset,
                0,
                TimestampType.CREATE_TIME,
                1,
                1,
                new byte[1],
                new byte[1],
                new RecordHeaders(),
                Optional.of(leaderEpoch));
    }

    private static ConsumerRecord<byte[], byte[]> record(long offset) {
        ConsumerRecord<byte[], byte[]> record =
                new ConsumerRecord<>(COMMANDS.topic(), COMMANDS.partition(), offset, new byte[1], new byte[1]);
        record.headers().add("\u4e2d".repeat(1_000), new byte[0]);
        return record;
    }
}
