package io.tributary.cluster.redis;

import io.tributary.common.digest.Sha256;
import java.util.Arrays;
import java.util.Base64;

/**
 * What a message that lies apart is called in its shard: after its content, so that it is there once however many save
 * points bring it. No two messages have the same name, also where somebody looks for them.
 */
final class BodyId {
    /** How long a name is, in bytes of ASCII. */
    static final int BYTES = 24;

    private static final int DIGEST_BYTES = 18;
    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder();

    private BodyId() {}

    static byte[] of(byte[] body) {
        return ENCODER.encode(Arrays.copyOf(Sha256.of(body), DIGEST_BYTES));
    }
}
