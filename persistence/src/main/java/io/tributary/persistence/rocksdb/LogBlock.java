package io.tributary.persistence.rocksdb;

import io.tributary.persistence.shard.LogRecord;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The value under which consecutive records of one commit are stored: their time, their number, and each with its
 * length in front. One entry for many records costs the database a fraction of what an entry each would.
 */
final class LogBlock {
    /** Records are added to a block while it is smaller; a larger one has a single record. */
    static final int TARGET_BYTES = 64 * 1024;

    private static final int HEADER_BYTES = Long.BYTES + Integer.BYTES;

    private LogBlock() {}

    /** How many of the records, from the given one, go into one block. */
    static int recordsOfBlock(List<LogRecord> records, int from) {
        int to = from;
        for (int bytes = 0; to < records.size() && bytes < TARGET_BYTES; to++) {
            bytes += records.get(to).value().length;
        }
        return to - from;
    }

    /** Encodes records with consecutive offsets and the same time. */
    static byte[] encode(List<LogRecord> records) {
        int size = HEADER_BYTES;
        for (LogRecord entry : records) {
            size += Integer.BYTES + entry.value().length;
        }
        ByteBuffer buffer = ByteBuffer.allocate(size);
        buffer.putLong(records.getFirst().timeMillis()).putInt(records.size());
        for (LogRecord entry : records) {
            buffer.putInt(entry.value().length).put(entry.value());
        }
        return buffer.array();
    }

    static long timeMillis(byte[] block) {
        return ByteBuffer.wrap(block).getLong(0);
    }

    static int recordCount(byte[] block) {
        return ByteBuffer.wrap(block).getInt(Long.BYTES);
    }

    /**
     * Hands the records to the sink, but for those below an offset.
     *
     * @param firstOffset the offset of the first record of the block
     * @return whether the sink wants more
     */
    static boolean decode(byte[] block, long firstOffset, long fromOffset, RecordSink sink) {
        ByteBuffer buffer = ByteBuffer.wrap(block);
        long timeMillis = buffer.getLong();
        int count = buffer.getInt();
        for (int i = 0; i < count; i++) {
            int length = buffer.getInt();
            if (firstOffset + i < fromOffset) {
                buffer.position(buffer.position() + length);
                continue;
            }
            byte[] value = new byte[length];
            buffer.get(value);
            if (!sink.accept(new LogRecord(firstOffset + i, timeMillis, value))) {
                return false;
            }
        }
        return true;
    }

    /** Takes records one after the other. */
    @FunctionalInterface
    interface RecordSink {
        /** Takes a record; false when no more are wanted. */
        boolean accept(LogRecord entry);
    }
}
