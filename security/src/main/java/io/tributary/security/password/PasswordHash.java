package io.tributary.security.password;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bouncycastle.crypto.digests.SHA512Digest;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.generators.OpenBSDBCrypt;
import org.bouncycastle.crypto.generators.PKCS5S2ParametersGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;
import org.bouncycastle.crypto.params.KeyParameter;

/**
 * A stored hash of a password, in one of three forms: Argon2id ({@code $argon2id$...}, as its reference tool writes
 * it), bcrypt ({@code $2b$...}, also {@code 2a} and {@code 2y}) and PBKDF2 with SHA-512 as {@code mosquitto_passwd}
 * writes it ({@code $7$...}). Immutable. Checking is slow on purpose.
 */
public sealed interface PasswordHash {

    /** Whether the password is the one that was hashed. Takes the same time for each password of about this length. */
    boolean matches(byte[] password);

    /**
     * The hash that is written so.
     *
     * @throws IllegalArgumentException when it has none of the forms, or asks for more work than a login may cost; the
     *     words do not have the hash
     */
    static PasswordHash parse(String text) {
        if (text.startsWith("$argon2id$")) {
            return Argon2id.parse(text);
        }
        if (text.startsWith("$7$")) {
            return Pbkdf2.parse(text);
        }
        if (text.matches("\\$2[aby]\\$.*")) {
            return Bcrypt.parse(text);
        }
        if (text.startsWith("$6$")) {
            throw new IllegalArgumentException(
                    "is a plain SHA-512 of an old Mosquitto, which is too fast to be safe; set the password again with"
                            + " mosquitto_passwd of version 2");
        }
        throw new IllegalArgumentException("is not a hash of a password: it must begin with $argon2id$, $2b$ or $7$");
    }

    /** Argon2id. */
    @SuppressWarnings("ArrayRecordComponent") // equals compares what is in them
    record Argon2id(int memoryKilobytes, int passes, int lanes, byte[] salt, byte[] hash) implements PasswordHash {
        /** What new hashes are made with: 19 MiB, two passes, one lane. */
        public static final int MEMORY_KILOBYTES = 19 * 1024;

        private static final int PASSES = 2;
        private static final int LARGEST_MEMORY_KILOBYTES = 64 * 1024;
        private static final int MOST_PASSES = 8;
        private static final int MOST_LANES = 8;
        private static final int HASH_BYTES = 32;
        private static final Pattern FORM = Pattern.compile(
                "\\$argon2id\\$v=19\\$m=(\\d{1,7}),t=(\\d{1,3}),p=(\\d{1,3})\\$([\\w+/]+)\\$([\\w+/]+)");

        static Argon2id parse(String text) {
            Matcher form = FORM.matcher(text);
            if (!form.matches()) {
                throw new IllegalArgumentException(
                        "is not a hash of Argon2id: it must be $argon2id$v=19$m=...,t=...,p=...$SALT$HASH");
            }
            Argon2id parsed = new Argon2id(
                    Integer.parseInt(form.group(1)),
                    Integer.parseInt(form.group(2)),
                    Integer.parseInt(form.group(3)),
                    Base64.getDecoder().decode(form.group(4)),
                    Base64.getDecoder().decode(form.group(5)));
            boolean small = parsed.memoryKilobytes <= LARGEST_MEMORY_KILOBYTES
                    && parsed.passes <= MOST_PASSES
                    && parsed.lanes <= MOST_LANES;
            if (!small || parsed.passes < 1 || parsed.lanes < 1 || parsed.memoryKilobytes < 8 * parsed.lanes) {
                throw new IllegalArgumentException("asks for too much or too little work: m must be 8 to "
                        + LARGEST_MEMORY_KILOBYTES + ", t 1 to " + MOST_PASSES + ", p 1 to " + MOST_LANES);
            }
            if (parsed.salt.length < 8 || parsed.hash.length < 16 || parsed.hash.length > 64) {
                throw new IllegalArgumentException("needs a salt of 8 bytes or more and a hash of 16 to 64 bytes");
            }
            return parsed;
        }

        /** The hash of a password, with the costs that new hashes have. */
        public static Argon2id of(byte[] password, byte[] salt) {
            Argon2id empty = new Argon2id(MEMORY_KILOBYTES, PASSES, 1, salt, new byte[HASH_BYTES]);
            return new Argon2id(MEMORY_KILOBYTES, PASSES, 1, salt, empty.compute(password));
        }

        @Override
        public boolean matches(byte[] password) {
            return MessageDigest.isEqual(hash, compute(password));
        }

        byte[] compute(byte[] password) {
            Argon2BytesGenerator generator = new Argon2BytesGenerator();
            generator.init(new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
                    .withVersion(Argon2Parameters.ARGON2_VERSION_13)
                    .withMemoryAsKB(memoryKilobytes)
                    .withIterations(passes)
                    .withParallelism(lanes)
                    .withSalt(salt)
                    .build());
            byte[] computed = new byte[hash.length];
            generator.generateBytes(password, computed);
            return computed;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Argon2id that
                    && memoryKilobytes == that.memoryKilobytes
                    && passes == that.passes
                    && lanes == that.lanes
                    && Arrays.equals(salt, that.salt)
                    && Arrays.equals(hash, that.hash);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(hash);
        }

        /** As it is stored. */
        @Override
        public String toString() {
            Base64.Encoder base64 = Base64.getEncoder().withoutPadding();
            return "$argon2id$v=19$m=" + memoryKilobytes + ",t=" + passes + ",p=" + lanes + "$"
                    + base64.encodeToString(salt) + "$" + base64.encodeToString(hash);
        }
    }

    /** bcrypt, of the first 72 bytes of the password. */
    record Bcrypt(String text) implements PasswordHash {
        private static final Pattern FORM = Pattern.compile("\\$2[aby]\\$(\\d\\d)\\$[./A-Za-z0-9]{53}");
        private static final int LEAST_COST = 4;
        private static final int MOST_COST = 14;

        static Bcrypt parse(String text) {
            Matcher form = FORM.matcher(text);
            if (!form.matches()) {
                throw new IllegalArgumentException("is not a hash of bcrypt: it must be $2b$COST$, then 53 characters");
            }
            int cost = Integer.parseInt(form.group(1));
            if (cost < LEAST_COST || cost > MOST_COST) {
                throw new IllegalArgumentException(
                        "has cost " + cost + "; it must be " + LEAST_COST + " to " + MOST_COST);
            }
            return new Bcrypt(text);
        }

        @Override
        public boolean matches(byte[] password) {
            return OpenBSDBCrypt.checkPassword(text, password);
        }
    }

    /** PBKDF2 with HMAC-SHA-512. */
    @SuppressWarnings("ArrayRecordComponent") // equals compares what is in them
    record Pbkdf2(int iterations, byte[] salt, byte[] hash) implements PasswordHash {
        private static final Pattern FORM = Pattern.compile("\\$7\\$(\\d{1,7})\\$([\\w+/=]+)\\$([\\w+/=]+)");
        private static final int MOST_ITERATIONS = 1_000_000;
        /** Mosquitto's; there may be fewer, for not every tool gives so many. */
        private static final int MOST_HASH_BYTES = 64;

        private static final int LEAST_HASH_BYTES = 32;

        static Pbkdf2 parse(String text) {
            Matcher form = FORM.matcher(text);
            if (!form.matches()) {
                throw new IllegalArgumentException("is not a hash of mosquitto_passwd: it must be $7$COUNT$SALT$HASH");
            }
            Pbkdf2 parsed = new Pbkdf2(
                    Integer.parseInt(form.group(1)),
                    Base64.getDecoder().decode(form.group(2)),
                    Base64.getDecoder().decode(form.group(3)));
            boolean isLongEnough = parsed.hash.length >= LEAST_HASH_BYTES && parsed.hash.length <= MOST_HASH_BYTES;
            if (parsed.iterations < 1 || parsed.iterations > MOST_ITERATIONS || !isLongEnough) {
                throw new IllegalArgumentException("must have 1 to " + MOST_ITERATIONS + " iterations and a hash of "
                        + LEAST_HASH_BYTES + " to " + MOST_HASH_BYTES + " bytes");
            }
            return parsed;
        }

        @Override
        public boolean matches(byte[] password) {
            PKCS5S2ParametersGenerator generator = new PKCS5S2ParametersGenerator(new SHA512Digest());
            generator.init(password, salt, iterations);
            KeyParameter key = (KeyParameter) generator.generateDerivedMacParameters(hash.length * Byte.SIZE);
            return MessageDigest.isEqual(hash, key.getKey());
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Pbkdf2 that
                    && iterations == that.iterations
                    && Arrays.equals(salt, that.salt)
                    && Arrays.equals(hash, that.hash);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(hash);
        }
    }

    /** The bytes of a text in UTF-8. */
    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
