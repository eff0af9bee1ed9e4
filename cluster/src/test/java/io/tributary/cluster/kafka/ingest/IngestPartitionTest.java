package io.tributary.cluster.kafka.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class IngestPartitionTest {
    private static final TopicPartition COMMANDS = new TopicPartition("commands", 0);

    @Test
    void namesOfHeadersCountInBytes() {
        IngestPartition partition = new IngestPartition(COMMANDS, 10, 5_000);
        partition.number(1);
        ConsumerRecord<byte[], byte[]> first = record(0);
        partition.add(List.of(first, record(1)), 2);
        assertThat(partition.peek()).isEqualTo(first);
        partition.take(first);
        partition.taken();
        assertThat(partition.peek())
                .as("two of 3,000 bytes are more than may be under way")
                .isNull();
    }

    private static ConsumerRecord<byte[], byte[]> record(long offset) {
        ConsumerRecord<byte[], byte[]> record =
                new ConsumerRecord<>(COMMANDS.topic(), COMMANDS.partition(), offset, new byte[1], new byte[1]);
        record.headers().add("\u4e2d".repeat(1_000), new byte[0]);
        return record;
    }
}
