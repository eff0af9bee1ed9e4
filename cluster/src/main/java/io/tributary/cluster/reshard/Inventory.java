package io.tributary.cluster.reshard;

import io.tributary.common.digest.Sha256;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.StateCodec;
import io.tributary.common.event.StoredSession;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.Will;
import io.tributary.persistence.shard.ShardStore.Remnant;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * What the shards of a cluster hold: how much, and a digest that is the same in whatever order it comes. Of a message
 * that expires, size, expiry and priority count and not its body, for a store may let that go meanwhile. Not
 * thread-safe.
 */
final class Inventory {
    private static final byte SESSION = 1;
    private static final byte WILL = 2;
    private static final byte MESSAGE = 3;
    private static final byte EXPIRING = 4;

    private final MessageDigest sha = Sha256.begin();
    private long sessions;
    private long wills;
    private long messages;
    private long bytes;
    private long digest;

    /** How much there is, and the digest. */
    record Sum(long sessions, long wills, long messages, long bytes, long digest) {
        @Override
        public String toString() {
            return "%,d sessions, %,d wills, %,d messages of %,d bytes, digest %016x"
                    .formatted(sessions, wills, messages, bytes, digest);
        }
    }

    Sum sum() {
        return new Sum(sessions, wills, messages, bytes, digest);
    }

    void add(StoredSession session) {
        sessions++;
        digest += digestOf(session);
    }

    /** A session that was added is another one now. */
    void replace(StoredSession before, StoredSession now) {
        digest += digestOf(now) - digestOf(before);
    }

    private long digestOf(StoredSession session) {
        return hash(SESSION, session.clientId(), 0, StateCodec.encodeSession(session, RecordFormat.NEWEST));
    }

    void add(String clientId, long epoch, Will will) {
        wills++;
        digest += hash(WILL, clientId, epoch, StateCodec.encodeWill(will, false, RecordFormat.NEWEST));
    }

    void add(String clientId, long sequence, QueueEntry entry) {
        if (entry instanceof Queued queued && queued.message().expiresAtMillis() != Message.NEVER) {
            Message message = queued.message();
            add(clientId, new Remnant(sequence, entry.sizeBytes(), message.expiresAtMillis(), message.priority()));
            return;
        }
        messages++;
        bytes += entry.sizeBytes();
        digest += hash(MESSAGE, clientId, sequence, StateCodec.encodeQueueEntry(entry, RecordFormat.NEWEST));
    }

    /** An entry whose message is gone. */
    void add(String clientId, Remnant remnant) {
        messages++;
        bytes += remnant.sizeBytes();
        byte[] known = ByteBuffer.allocate(Integer.BYTES + Long.BYTES + 1)
                .putInt(remnant.sizeBytes())
                .putLong(remnant.expiresAtMillis())
                .put((byte) remnant.priority())
                .array();
        digest += hash(EXPIRING, clientId, remnant.sequence(), known);
    }

    private long hash(byte kind, String clientId, long number, byte[] value) {
        sha.update(kind);
        sha.update(clientId.getBytes(StandardCharsets.UTF_8));
        sha.update((byte) 0xFF); // in no text of UTF-8
        sha.update(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
        return ByteBuffer.wrap(sha.digest(value)).getLong();
    }
}
