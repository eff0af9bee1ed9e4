package io.tributary.cluster.redis;

import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.StateCodec;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.SavePoint.SourcePosition;
import io.tributary.persistence.shard.ShardStore.Entry;
import io.tributary.persistence.shard.ShardStore.Remnant;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of what the shard's hashes and sorted sets hold: {@link StateCodec}'s, behind what the scripts or the keys
 * need. Numbers within them are big endian; a sequence number or an epoch takes seven bytes.
 */
final class StateBytes {
    /** Sequence numbers and offsets are scores and Lua numbers in Redis, which are exact up to here. */
    static final long MAX_NUMBER = (1L << 53) - 1;

    private static final int NUMBER_BYTES = 7;
    private static final int KIND_AT = NUMBER_BYTES + Integer.BYTES;
    private static final int HEAD_BYTES = KIND_AT + 1;
    private static final int EXPIRY_BYTES = NUMBER_BYTES;

    // Kinds of members, which save.lua, read-queue.lua and read-expired.lua know: two bits, and two of the priority.
    private static final int EXPIRES = 1;
    private static final int APART = 2;
    private static final int PRIORITY_SHIFT = 2;
    private static final int PRIORITY_MASK = 3;

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

    /**
     * The member of a queue: sequence number, size of the entry (which read-queue.lua counts), kind, which has the
     * priority, when the message expires if it does, and the entry.
     *
     * @param bodyId what the message is called that lies apart; null when it lies in the member
     */
    static byte[] member(long sequence, QueueEntry entry, byte @Nullable [] bodyId, int format) {
        long expiresAt = expiresAtMillis(entry);
        boolean expires = expiresAt != Message.NEVER;
        byte[] encoded = bodyId != null && entry instanceof Queued queued
                ? StateCodec.encodeDelivery(queued, format)
                : StateCodec.encodeQueueEntry(entry, format);
        int idBytes = bodyId == null ? 0 : bodyId.length;
        int length = HEAD_BYTES + (expires ? EXPIRY_BYTES : 0) + idBytes + encoded.length;
        ByteBuffer member = ByteBuffer.allocate(length);
        putNumber(member, sequence).putInt(entry.sizeBytes());
        member.put((byte) ((expires ? EXPIRES : 0) | (bodyId == null ? 0 : APART) | priority(entry) << PRIORITY_SHIFT));
        if (expires) {
            putNumber(member, Math.clamp(expiresAt, 0, MAX_NUMBER));
        }
        if (bodyId != null) {
            member.put(bodyId);
        }
        return member.put(encoded).array();
    }

    private static long expiresAtMillis(QueueEntry entry) {
        return entry instanceof Queued queued ? queued.message().expiresAtMillis() : Message.NEVER;
    }

    private static int priority(QueueEntry entry) {
        return entry instanceof Queued queued ? queued.message().priority() : 0;
    }

    /** Whether the message of a queue's member lies apart. */
    static boolean isApart(byte[] member) {
        return (member[KIND_AT] & APART) != 0;
    }

    /** The entry of a member whose message lies in it. */
    static Entry entry(byte[] member) {
        byte[] encoded = Arrays.copyOfRange(member, HEAD_BYTES + expiryBytes(member), member.length);
        return new Entry(getNumber(member, 0), StateCodec.decodeQueueEntry(encoded));
    }

    /** The entry of a member whose message is this body. */
    static Entry entry(byte[] member, byte[] body) {
        byte[] delivery = Arrays.copyOfRange(member, HEAD_BYTES + expiryBytes(member) + BodyId.BYTES, member.length);
        Message message = StateCodec.decodeMessage(body).message();
        return new Entry(getNumber(member, 0), StateCodec.decodeDelivery(delivery, message));
    }

    /** What is left of a member whose message is not there any more. */
    static Remnant remnant(byte[] member) {
        long expiresAt = expiryBytes(member) == 0 ? Message.NEVER : getNumber(member, HEAD_BYTES);
        int priority = member[KIND_AT] >> PRIORITY_SHIFT & PRIORITY_MASK;
        return new Remnant(getNumber(member, 0), ByteBuffer.wrap(member).getInt(NUMBER_BYTES), expiresAt, priority);
    }

    private static int expiryBytes(byte[] member) {
        return (member[KIND_AT] & EXPIRES) == 0 ? 0 : EXPIRY_BYTES;
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
        return new ClientWill(clientId, getNumber(field, 0), stored.will(), stored.due());
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

    private static long getNumber(byte[] bytes, int at) {
        ByteBuffer source = ByteBuffer.wrap(bytes, at, NUMBER_BYTES);
        return (source.get() & 0xFFL) << 48 | (source.getShort() & 0xFFFFL) << 32 | (source.getInt() & 0xFFFF_FFFFL);
    }
}
