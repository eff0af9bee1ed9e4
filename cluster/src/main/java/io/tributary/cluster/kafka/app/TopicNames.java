package io.tributary.cluster.kafka.app;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The names of topics that are named after a client or a group: a prefix and the identifier, of whose UTF-8 bytes all
 * but {@code [a-zA-Z0-9-]} are written {@code _xx} in hexadecimal. So '.' and '_' are escaped, too: Kafka takes names
 * that differ in these alone for a collision. A name that would be too long for Kafka ends in {@code __} and a digest
 * instead.
 */
final class TopicNames {
    private static final int MAX_LENGTH = 249;
    private static final int DIGEST_CHARACTERS = 32;
    private static final String DIGEST_MARK = "__";
    private static final HexFormat HEX = HexFormat.of();

    private TopicNames() {}

    /** The name of an identifier's topic; different identifiers have different names. */
    static String of(String prefix, String identifier) {
        byte[] utf8 = identifier.getBytes(StandardCharsets.UTF_8);
        StringBuilder name = new StringBuilder(prefix.length() + utf8.length).append(prefix);
        for (byte each : utf8) {
            if (isPlain(each)) {
                name.append((char) each);
            } else {
                name.append('_').append(HEX.toHexDigits(each));
            }
        }
        if (name.length() > MAX_LENGTH) {
            name.setLength(MAX_LENGTH - DIGEST_MARK.length() - DIGEST_CHARACTERS);
            name.append(DIGEST_MARK).append(HEX.formatHex(sha256(utf8)), 0, DIGEST_CHARACTERS);
        }
        return name.toString();
    }

    /** The identifier that has a topic of this name, or null when it is none with the prefix, or one with a digest. */
    static @Nullable String identifier(String prefix, String topic) {
        if (!topic.startsWith(prefix)) {
            return null;
        }
        byte[] utf8 = new byte[topic.length() - prefix.length()];
        int length = 0;
        for (int i = prefix.length(); i < topic.length(); i++) {
            char c = topic.charAt(i);
            if (c != '_') {
                utf8[length++] = (byte) c;
            } else if (i + 2 < topic.length() && isHex(topic.charAt(i + 1)) && isHex(topic.charAt(i + 2))) {
                utf8[length++] = (byte) HexFormat.fromHexDigits(topic, i + 1, i + 3);
                i += 2;
            } else {
                return null;
            }
        }
        String identifier = new String(Arrays.copyOf(utf8, length), StandardCharsets.UTF_8);
        return of(prefix, identifier).equals(topic)
                ? identifier
                : null; // a name that is not ours reads, but is another's
    }

    private static boolean isPlain(byte each) {
        return (each >= 'a' && each <= 'z')
                || (each >= 'A' && each <= 'Z')
                || (each >= '0' && each <= '9')
                || each == '-';
    }

    private static boolean isHex(char c) {
        return HexFormat.isHexDigit(c);
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
