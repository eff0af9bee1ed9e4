package io.tributary.security.file;

import io.tributary.security.password.PasswordHash;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Reads files of users. One whose name ends in {@code .yaml} or {@code .yml} is YAML; any other is a password file as
 * {@code mosquitto_passwd} writes it: a line {@code name:hash} for each user.
 */
public final class UserFile {
    /** A file of a million users, and no more. */
    private static final long LARGEST_BYTES = 512L << 20;

    private UserFile() {}

    /**
     * The users, by name.
     *
     * @throws IllegalArgumentException when the file cannot be read, or something in it is wrong: the words name the
     *     file and the place, and show no secret
     */
    public static Map<String, User> read(Path file) {
        try {
            if (Files.size(file) > LARGEST_BYTES) {
                throw new IllegalArgumentException("'" + file + "' has more than " + LARGEST_BYTES + " bytes");
            }
            return parse(file, Files.readAllBytes(file));
        } catch (IOException e) {
            throw new IllegalArgumentException("'" + file + "' cannot be read: " + e, e);
        }
    }

    static Map<String, User> parse(Path file, byte[] content) {
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(content))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("'" + file + "' is not text in UTF-8", e);
        }
        String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
        try {
            return name.endsWith(".yaml") || name.endsWith(".yml") ? YamlUsers.parse(text) : mosquitto(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + file + "', " + e.getMessage(), e);
        }
    }

    private static Map<String, User> mosquitto(String text) {
        Map<String, User> users = new LinkedHashMap<>();
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            int end = line.indexOf(':');
            if (end < 1) {
                throw new IllegalArgumentException("line " + number + " is not written NAME:HASH");
            }
            String name = line.substring(0, end);
            try {
                User user = new User(
                        name, PasswordHash.parse(line.substring(end + 1).strip()));
                if (users.put(name, user) != null) {
                    throw new IllegalArgumentException("is there twice");
                }
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("line " + number + ": user " + name + " " + e.getMessage(), e);
            }
        }
        return users;
    }
}
