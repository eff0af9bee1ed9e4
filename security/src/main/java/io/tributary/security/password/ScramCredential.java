package io.tributary.security.password;

import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a server keeps of a password for SCRAM (RFC 5802, section 3): nobody can log in with it.
 *
 * @param mechanism the mechanism
 * @param iterations how often the password was hashed
 * @param salt what it was hashed with
 * @param storedKey the hash of the client's key
 * @param serverKey the server's key
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ScramCredential(Mechanism mechanism, int iterations, byte[] salt, byte[] storedKey, byte[] serverKey) {
    /** The fewest iterations that RFC 7677 allows. */
    public static final int LEAST_ITERATIONS = 4_096;

    private static final int MOST_ITERATIONS = 1_000_000;
    private static final Pattern FORM =
            Pattern.compile("(SCRAM-SHA-\\d+)\\$(\\d{1,7}):([\\w+/=]+)\\$([\\w+/=]+):([\\w+/=]+)");

    /** A hash function that SCRAM may use. */
    public enum Mechanism {
        /** SHA-256, RFC 7677. */
        SHA_256("SCRAM-SHA-256", "SHA-256", "HmacSHA256", 32),
        /** SHA-512. */
        SHA_512("SCRAM-SHA-512", "SHA-512", "HmacSHA512", 64);

        private final String method;
        private final String digest;
        private final String mac;
        private final int bytes;

        Mechanism(String method, String digest, String mac, int bytes) {
            this.method = method;
            this.digest = digest;
            this.mac = mac;
            this.bytes = bytes;
        }

        /** The name by which clients ask for it. */
        public String method() {
            return method;
        }

        /** Java's name of the hash function. */
        public String digest() {
            return digest;
        }

        /** Java's name of the keyed hash. */
        public String mac() {
            return mac;
        }

        /** How long a hash is. */
        public int bytes() {
            return bytes;
        }
    }

    /**
     * The credential that is written so, as PostgreSQL does: {@code SCRAM-SHA-256$4096:SALT$STOREDKEY:SERVERKEY}.
     *
     * @throws IllegalArgumentException when it is not written so; the words do not show it
     */
    public static ScramCredential parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "is not what SCRAM needs, written MECHANISM$ITERATIONS:SALT$STOREDKEY:SERVERKEY");
        }
        ScramCredential parsed = new ScramCredential(
                mechanism(form.group(1)),
                Integer.parseInt(form.group(2)),
                Base64.getDecoder().decode(form.group(3)),
                Base64.getDecoder().decode(form.group(4)),
                Base64.getDecoder().decode(form.group(5)));
        if (parsed.iterations < LEAST_ITERATIONS || parsed.iterations > MOST_ITERATIONS) {
            throw new IllegalArgumentException("has " + parsed.iterations + " iterations; it must be "
                    + LEAST_ITERATIONS + " to " + MOST_ITERATIONS);
        }
        int bytes = parsed.mechanism.bytes();
        if (parsed.storedKey.length != bytes || parsed.serverKey.length != bytes) {
            throw new IllegalArgumentException("has keys that are not " + bytes + " bytes long");
        }
        return parsed;
    }

    private static Mechanism mechanism(String method) {
        for (Mechanism mechanism : Mechanism.values()) {
            if (mechanism.method().equals(method)) {
                return mechanism;
            }
        }
        throw new IllegalArgumentException("names " + method + "; it must be SCRAM-SHA-256 or SCRAM-SHA-512");
    }

    /** The mechanism: the rest is nobody's business. */
    @Override
    public String toString() {
        return mechanism.method();
    }
}
