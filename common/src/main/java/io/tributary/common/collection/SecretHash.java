package io.tributary.common.collection;

import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * Hashes of texts that strangers choose: nobody who does not know this process's numbers can find many with one hash,
 * as anybody can of {@link String#hashCode}. Any thread.
 */
public final class SecretHash {
    /** A number for all, so that tests see entries in the same order each time. */
    private static final @Nullable Long FIXED_SEED = Long.getLong("secret-hash.seed");

    private static final SecureRandom RANDOM = new SecureRandom();

    private static final long MULTIPLIER = (newSeed() * 0x9E3779B97F4A7C15L) | 1;

    private static final int CHARS_AT_ONCE = 4;

    private SecretHash() {}

    /** A secret number for {@link #of}, such as one for each table. */
    public static long newSeed() {
        return FIXED_SEED == null ? RANDOM.nextLong() : FIXED_SEED;
    }

    /** The hash of a text with a secret number. */
    public static int of(String text, long seed) {
        long hash = seed + text.length();
        long chars = 0;
        for (int i = 0; i < text.length(); i++) {
            chars = (chars << Character.SIZE) | text.charAt(i);
            if (i % CHARS_AT_ONCE == CHARS_AT_ONCE - 1) {
                hash = mix(hash ^ chars);
                chars = 0;
            }
        }
        return (int) (mix(hash ^ chars) >>> Integer.SIZE);
    }

    /** Both halves of a product of 128 bits: in the upper one, each bit that differs counts for a secret number. */
    private static long mix(long bits) {
        return Math.unsignedMultiplyHigh(bits, MULTIPLIER) ^ (bits * MULTIPLIER);
    }
}
