package io.tributary.cluster.kafka.app;

import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.mqtt.Message;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.TimestampType;

/** Records of applications' topics, as Kafka gives them back. */
final class ReceivedRecords {
    private ReceivedRecords() {}

    /** A message for a recipient, at this offset. */
    static ConsumerRecord<byte[], byte[]> at(
            TopicPartition partition, long offset, Message message, Recipient recipient) {
        ProducerRecord<byte[], byte[]> sent = new AppRecordFormat(null)
                .encode(
                        partition,
                        message,
                        recipient,
                        null,
                        0,
                        RecordFormat.alone().toWrite());
        return new ConsumerRecord<>(
                partition.topic(),
                partition.partition(),
                offset,
                0,
                TimestampType.LOG_APPEND_TIME,
                0,
                0,
                sent.key(),
                sent.value(),
                sent.headers(),
                Optional.empty());
    }
}
