package io.tributary.cluster.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The keys of one shard, all in the slot of its tag: {@code tributary:{tag}:} and what the key is of, with the number
 * of the generation before the tag where it is not the first. Keys of messages
 * and of queues that are gone are known to the scripts alone, which find their names in the others.
 */
final class ShardKeys {
    private final byte[] position;
    private final byte[] sessions;
    private final byte[] wills;
    private final byte[] references;
    private final byte[] gone;
    private final byte[] queues;

    ShardKeys(String tag, int generation) {
        String prefix = "tributary:" + (generation == 0 ? "" : generation + ":") + "{" + tag + "}:";
        position = utf8(prefix + "shard");
        sessions = utf8(prefix + "sessions");
        wills = utf8(prefix + "wills");
        references = utf8(prefix + "references");
        gone = utf8(prefix + "gone");
        queues = utf8(prefix + "queue:");
    }

    /** Where the shard's state stands. */
    byte[] position() {
        return position;
    }

    byte[] sessions() {
        return sessions;
    }

    byte[] wills() {
        return wills;
    }

    /** The queues of sessions that are over, whose messages are still to be freed. */
    byte[] gone() {
        return gone;
    }

    /** How many references there are to each message that lies apart. */
    byte[] references() {
        return references;
    }

    byte[] queue(String clientId) {
        byte[] client = utf8(clientId);
        byte[] key = Arrays.copyOf(queues, queues.length + client.length);
        System.arraycopy(client, 0, key, queues.length, client.length);
        return key;
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
