package io.tributary.cluster.ingest;

import io.tributary.common.codec.DecoderLimits;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.topic.TopicName;
import io.tributary.persistence.ingest.IngestRecord;

/**
 * Makes messages of records: the key is the topic, the value the payload, the headers all else. A record without a
 * value has an empty payload. Stateless.
 *
 * @param publisher who publishes them
 * @param limits limits of clients' packets: no client is to get a message that no client could have published
 */
record RecordReader(String publisher, DecoderLimits limits) {
    private static final byte[] EMPTY = new byte[0];

    /**
     * Reads a record.
     *
     * @throws InvalidRecordException when it is no message
     */
    Message read(IngestRecord record) throws InvalidRecordException {
        if (record.sizeBytes() > limits.maxPacketBytes()) {
            throw new InvalidRecordException(
                    "key, value and headers are larger than the largest packet, " + limits.maxPacketBytes() + " bytes");
        }
        String topic = topicOf(record);
        RecordHeaders headers = new RecordHeaders(record);
        if (headers.userPropertyCount() > limits.maxUserProperties()) {
            throw new InvalidRecordException("more than " + limits.maxUserProperties() + " user properties");
        }
        byte[] value = record.value();
        Message message = new Message(
                topic,
                value == null ? EMPTY : value,
                headers.qos(),
                headers.retain(),
                headers.properties(),
                headers.expiresAtMillis(),
                publisher);
        return TenantNames.message(headers.tenant(), message);
    }

    private String topicOf(IngestRecord record) throws InvalidRecordException {
        String topic = RecordText.of("the key, which is the topic,", record.key());
        if (TopicName.isReserved(topic)) {
            throw new InvalidRecordException("topics that begin with $ are the broker's own");
        }
        try {
            TopicName.check(topic, limits.topics());
        } catch (MqttException e) {
            throw new InvalidRecordException(String.valueOf(e.getMessage()));
        }
        return topic;
    }
}
