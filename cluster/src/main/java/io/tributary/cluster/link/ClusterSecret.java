package io.tributary.cluster.link;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Key;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret of a cluster: all its nodes know it, and no one else. It never crosses the wire, and shows in no text. Any
 * thread.
 */
public final class ClusterSecret {
    /** How short a secret may be, in bytes of UTF-8. Who overhears a handshake can try out secrets at leisure. */
    public static final int MIN_BYTES = 16;

    private static final String ALGORITHM = "HmacSHA256";

    private final Key key;

    private ClusterSecret(Key key) {
        this.key = key;
    }

    /**
     * The secret that a text is; best 32 random bytes as base64.
     *
     * @throws IllegalArgumentException when it has fewer than {@value #MIN_BYTES} bytes
     */
    public static ClusterSecret of(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length < MIN_BYTES) {
            throw new IllegalArgumentException(
                    "the cluster secret has " + bytes.length + " bytes: must have at least " + MIN_BYTES);
        }
        return new ClusterSecret(new SecretKeySpec(bytes, ALGORITHM));
    }

    /** Proves to a node that knows the secret, too, that these parts come from a node that knows it: 32 bytes. */
    byte[] sign(byte[]... parts) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            for (byte[] part : parts) {
                mac.update(lengthOf(part));
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no " + ALGORITHM, e);
        }
    }

    @Override
    public String toString() {
        return "ClusterSecret";
    }

    /** Without lengths, two different lists of parts could be the same bytes. */
    private static byte[] lengthOf(byte[] part) {
        int length = part.length;
        return new byte[] {(byte) (length >>> 24), (byte) (length >>> 16), (byte) (length >>> 8), (byte) length};
    }
}
