package io.tributary.cluster.redis;

import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.StateCodec;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.SavePoint.SourcePosition;
import io.tributary.persistence.shard.ShardStore.Entry;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The bytes of what the shard's hashes and sorted sets hold: {@link StateCodec}'s, behind what the scripts or the keys
 * need. Numbers within them are big endian; a sequence number or an epoch takes seven bytes.
 */
final class StateBytes {
    /** Sequence numbers and offsets are scores and Lua numbers in Redis, which are exact up to here. */
    static final long MAX_NUMBER = (1L << 53) - 1;

    private static final int NUMBER_BYTES = 7;
    private static final String SOURCE = "source:";

    private StateBytes() {}

    /** A decimal number, as scripts take it. */
    static byte[] decimal(long number) {
        if (number > MAX_NUMBER) {
            throw new IllegalArgumentException(number + " is more than Redis can count to exactly, which is 2^53 - 1");
        }
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }

    static String text(byte[] utf8) {
        return new String(utf8, StandardCharsets.UTF_8);
    }

    /** The member of a queue: sequence number, size of the entry (which read-queue.lua counts), entry. */
    static byte[] member(long sequence, QueueEntry entry, int format) {
        byte[] encoded = StateCodec.encodeQueueEntry(entry, format);
        ByteBuffer member = ByteBuffer.allocate(NUMBER_BYTES + Integer.BYTES + encoded.length);
        putNumber(member, sequence).putInt(entry.sizeBytes()).put(encoded);
        return member.array();
    }

    static Entry entry(byte[] member) {
        byte[] encoded = Arrays.copyOfRange(member, NUMBER_BYTES + Integer.BYTES, member.length);
        return new Entry(getNumber(member), StateCodec.decodeQueueEntry(encoded));
    }

    /** The field of a will: the epoch of the connection that left it, and the client. */
    static byte[] willField(String clientId, long epoch) {
        byte[] client = ShardKeys.utf8(clientId);
        return putNumber(ByteBuffer.allocate(NUMBER_BYTES + client.length), epoch)
                .put(client)
                .array();
    }

    static ClientWill will(byte[] field, byte[] value) {
        String clientId = new String(field, NUMBER_BYTES, field.length - NUMBER_BYTES, StandardCharsets.UTF_8);
        StateCodec.StoredWill stored = StateCodec.decodeWill(value);
        return new ClientWill(clientId, getNumber(field), stored.will(), stored.due());
    }

    static byte[] sourceField(SourcePosition source) {
        return ShardKeys.utf8(SOURCE + source.shard());
    }

    static byte[] sourceValue(SourcePosition source) {
        return ShardKeys.utf8(source.offset() + " " + source.part());
    }

    static boolean isSource(String field) {
        return field.startsWith(SOURCE);
    }

    static SourcePosition source(String field, String value) {
        int space = value.indexOf(' ');
        return new SourcePosition(
                Integer.parseInt(field.substring(SOURCE.length())),
                Long.parseLong(value.substring(0, space)),
                Integer.parseInt(value.substring(space + 1)));
    }

    private static ByteBuffer putNumber(ByteBuffer target, long number) {
        if (number < 0 || number > MAX_NUMBER) {
            throw new IllegalArgumentException(number + " is not within 0 to 2^53 - 1");
        }
        return target.put((byte) (number >>> 48))
                .putShort((short) (number >>> 32))
                .putInt((int) number);
    }

    private static long getNumber(byte[] bytes) {
        ByteBuffer source = ByteBuffer.wrap(bytes);
        return (source.get() & 0xFFL) << 48 | (source.getShort() & 0xFFFFL) << 32 | (source.getInt() & 0xFFFF_FFFFL);
    }
}
