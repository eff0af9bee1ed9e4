package io.tributary.cluster.link;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Key;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** What a node proves with that it knows a secret of the cluster. It shows in no text. Any thread. */
final class LinkKey {
    private static final String ALGORITHM = "HmacSHA256";

    private final Key key;

    private LinkKey(Key key) {
        this.key = key;
    }

    /**
     * The key that a text is.
     *
     * @throws IllegalArgumentException when it has fewer than {@value ClusterSecret#MIN_BYTES} bytes
     */
    static LinkKey of(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length < ClusterSecret.MIN_BYTES) {
            throw new IllegalArgumentException(
                    "the cluster secret has " + bytes.length + " bytes: must have at least " + ClusterSecret.MIN_BYTES);
        }
        return new LinkKey(new SecretKeySpec(bytes, ALGORITHM));
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
        return "LinkKey";
    }

    /** Without lengths, two different lists of parts could be the same bytes. */
    private static byte[] lengthOf(byte[] part) {
        int length = part.length;
        return new byte[] {(byte) (length >>> 24), (byte) (length >>> 16), (byte) (length >>> 8), (byte) length};
    }
}
