package io.tributary.cluster.kafka.ingest;

import io.tributary.common.event.Source;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/**
 * Where records of back-ends are in their partitions, in one number that rises: the leader epoch, and below it the
 * offset. A partition that has lost its end has other records at the same offsets, of a higher leader epoch, so that a
 * shard does not take them for repetitions of those that are lost.
 */
final class IngestPositions {
    /**
     * How much higher a partition's number is in a source that has such a position: one below it, as 0.1.0 has written,
     * has an offset alone.
     */
    static final int WITH_EPOCH = 1 << 30;

    private static final int OFFSET_BITS = 44;

    /** Two less than there is room for, as an offset may be too large for its bits; beyond, offsets alone count. */
    private static final int MAX_EPOCH = (1 << (Long.SIZE - 1 - OFFSET_BITS)) - 2;

    private IngestPositions() {}

    /** The source of a record. */
    static Source source(int partitionNumber, ConsumerRecord<?, ?> record) {
        return new Source(
                partitionNumber + WITH_EPOCH,
                position(record.offset(), record.leaderEpoch().orElse(0)),
                0);
    }

    /**
     * Whether a group that has committed so far is done with a record.
     *
     * @param sourceNumber of the record's source, as it is there
     * @param sourceOffset likewise
     */
    static boolean isDone(OffsetAndMetadata committed, int sourceNumber, long sourceOffset) {
        if (sourceNumber < WITH_EPOCH) {
            return committed.offset() > sourceOffset;
        }
        Optional<Integer> epoch = committed.leaderEpoch();
        return epoch.isPresent()
                ? position(committed.offset(), epoch.get()) > sourceOffset
                : committed.offset() > (sourceOffset & ((1L << OFFSET_BITS) - 1));
    }

    private static long position(long offset, int leaderEpoch) {
        return ((long) Math.min(leaderEpoch, MAX_EPOCH) << OFFSET_BITS) + offset;
    }
}
