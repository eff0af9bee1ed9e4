package io.tributary.cluster.kafka;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/** The header by which records of a broker are told from what another producer wrote into the topic of the shards. */
public final class ShardMark {
    private static final String KEY = "tributary";

    /** The headers of each of our records. */
    public static final List<Header> HEADERS = List.of(new RecordHeader(KEY, new byte[0]));

    private ShardMark() {}

    /** Whether a broker has written it. */
    public static boolean isOn(ConsumerRecord<byte[], byte[]> record) {
        return record.value() != null && record.headers().lastHeader(KEY) != null;
    }
}
