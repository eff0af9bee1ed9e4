package io.tributary.persistence.ingest;

import io.tributary.common.event.Source;
import io.tributary.common.topic.Utf8Length;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A record as a back-end produced it. The arrays are not copied, and are never written to.
 *
 * @param topic the Kafka topic
 * @param partition its partition
 * @param offset where it is in that
 * @param timeMillis its timestamp, in milliseconds since the epoch; negative when it has none
 * @param source what stands for it wherever it is forwarded: the same each time it is read, and of no other record
 *     ever, also when the topic is deleted and created again
 * @param key its key, or null
 * @param value its value, or null
 * @param headers its headers, in their order
 */
@SuppressWarnings("ArrayRecordComponent") // handed on, never compared
public record IngestRecord(
        String topic,
        int partition,
        long offset,
        long timeMillis,
        Source source,
        byte @Nullable [] key,
        byte @Nullable [] value,
        List<Header> headers) {

    /**
     * One header.
     *
     * @param value its bytes, or null
     */
    public record Header(String name, byte @Nullable [] value) {}

    // Not in compact form: there javac drops "byte @Nullable []", and other modules could not pass null.
    /** Copies the list. */
    public IngestRecord(
            String topic,
            int partition,
            long offset,
            long timeMillis,
            Source source,
            byte @Nullable [] key,
            byte @Nullable [] value,
            List<Header> headers) {
        this.topic = topic;
        this.partition = partition;
        this.offset = offset;
        this.timeMillis = timeMillis;
        this.source = source;
        this.key = key;
        this.value = value;
        this.headers = List.copyOf(headers);
    }

    /** Where it is, for people. */
    public String place() {
        return topic + "-" + partition + " at " + offset;
    }

    /** The bytes of key, value and headers. */
    public long sizeBytes() {
        long size = lengthOf(key) + lengthOf(value);
        for (Header header : headers) {
            size += Utf8Length.of(header.name()) + lengthOf(header.value());
        }
        return size;
    }

    private static long lengthOf(byte @Nullable [] bytes) {
        return bytes == null ? 0 : bytes.length;
    }
}
