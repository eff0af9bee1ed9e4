package io.tributary.common.event;

/**
 * Where a record that one shard hands to another comes from; a shard applies each source once and skips repeats.
 * Sources of one shard are totally ordered by offset, then part.
 *
 * @param shard the shard that forwarded, or from {@link #FIRST_INGEST} the number of a partition that back-ends produce
 *     to
 * @param offset the offset of the record there that caused it; of a back-end's record, where it is in the partition,
 *     with the leader epoch above the offset
 * @param part which of the records that this one caused for the same destination shard, from 0
 */
public record Source(int shard, long offset, int part) {

    /** The first number that is no shard's, of which there are at most 65,535. */
    public static final int FIRST_INGEST = 1 << 20;

    /** Whether this source comes after the given position of the same shard. */
    public boolean isAfter(long otherOffset, int otherPart) {
        return offset > otherOffset || (offset == otherOffset && part > otherPart);
    }
}
