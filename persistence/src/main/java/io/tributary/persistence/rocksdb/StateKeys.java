package io.tributary.persistence.rocksdb;

import java.nio.charset.StandardCharsets;

/** The keys of one shard in the column of the shards' state: the shard, a kind, and what the kind needs. */
final class StateKeys {
    private static final byte HEADER = 0;
    private static final byte SOURCE = 1;
    private static final byte SNAPSHOT_SESSION = 2;
    private static final byte WILL = 3;
    private static final byte QUEUE = 4;

    private final byte[] shard;

    StateKeys(int shard) {
        this.shard = Keys.withShort(new byte[0], shard);
    }

    /** The owner's epoch and the applied offset. */
    byte[] header() {
        return kind(HEADER);
    }

    /** Begins the latest sources, each with the other shard behind it. */
    byte[] sources() {
        return kind(SOURCE);
    }

    byte[] source(int otherShard) {
        return Keys.withShort(sources(), otherShard);
    }

    /** Where sessions begin, with wills right behind them. */
    byte[] sessions() {
        return kind(SNAPSHOT_SESSION);
    }

    /** Behind the last will. */
    byte[] endOfWills() {
        return Keys.endOf(kind(WILL));
    }

    byte[] session(String clientId) {
        return Keys.withBytes(shard, Keys.prefix(SNAPSHOT_SESSION, clientId));
    }

    byte[] will(String clientId, long epoch) {
        return Keys.withLong(Keys.withBytes(shard, Keys.prefix(WILL, clientId)), epoch);
    }

    /** Whether it is a key of a will, of those between sessions and the end of wills. */
    static boolean isWill(byte[] key) {
        return key[Short.BYTES] == WILL;
    }

    /** The client in the key of a will. */
    static String clientOfWill(byte[] key) {
        int begin = 2 * Short.BYTES + 1;
        return new String(key, begin, key.length - Long.BYTES - begin, StandardCharsets.UTF_8);
    }

    /** Begins the queue of a client. */
    byte[] queue(String clientId) {
        return Keys.withBytes(shard, Keys.prefix(QUEUE, clientId));
    }

    byte[] queueEntry(String clientId, long sequence) {
        return Keys.withLong(queue(clientId), sequence);
    }

    private byte[] kind(byte kind) {
        return Keys.withBytes(shard, new byte[] {kind});
    }
}
