package io.tributary.cluster.redis;

import io.tributary.cluster.redis.RedisRecorder.Operation;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The scripts, each a resource beside this class that says what it does, what it takes and what it costs. */
@SuppressWarnings("ImmutableEnumChecker") // the texts are never written to
enum RedisScript {
    CLAIM("claim.lua", Operation.CLAIM),
    SAVE("save.lua", Operation.SAVE),
    READ_HASH("read-hash.lua", Operation.READ_SESSIONS),
    READ_QUEUE("read-queue.lua", Operation.READ_QUEUE),
    READ_EXPIRED("read-expired.lua", Operation.READ_QUEUE),
    DROP("drop.lua", Operation.SAVE);

    private final byte[] text;
    private final String digest;
    private final Operation operation;

    RedisScript(String resource, Operation operation) {
        this.text = read(resource);
        this.digest = sha1(text);
        this.operation = operation;
    }

    byte[] text() {
        return text;
    }

    /** What Redis knows the script by. */
    String digest() {
        return digest;
    }

    /** What calls of the script count as. */
    Operation operation() {
        return operation;
    }

    /** The text of a script that is not one of these. */
    static byte[] read(String resource) {
        try (InputStream in = RedisScript.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException(resource + " is missing from the jar");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha1(byte[] text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }
}
