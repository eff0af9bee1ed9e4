package io.tributary.server.settings;

import io.tributary.cluster.kafka.PasswordFileCallbacks;
import io.tributary.cluster.secret.ChangingSecret;
import io.tributary.server.settings.check.SettingException;
import io.tributary.server.settings.check.Units;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Who the broker is to Kafka, by user name and password. Other ways are set as {@code client-properties}.
 *
 * @param mechanism How the password is proved; without a value, Kafka asks nobody. {@code plain} shows it to Kafka:
 *     with TLS only.
 * @param username The user.
 * @param passwordFile The file with the password, which others must not be able to read. It is read again at each new
 *     connection.
 */
public record SaslSettings(
        @Nullable Mechanism mechanism,
        @Nullable String username,
        @Nullable String passwordFile) {

    /** How a password is proved. */
    public enum Mechanism {
        /** By sending it. */
        PLAIN,
        /** Salted challenge and response, SHA-256. */
        SCRAM_SHA_256,
        /** Salted challenge and response, SHA-512. */
        SCRAM_SHA_512
    }

    /** The name of the mechanism as Kafka writes it. */
    String checkedMechanism(String name) {
        if (mechanism == null) {
            throw new SettingException(name + ".mechanism", missing("one of " + Units.choices(Mechanism.class)));
        }
        return mechanism.name().toUpperCase(Locale.ROOT).replace('_', '-');
    }

    /** What Kafka's clients log in with, which tells them the file of the password; null when Kafka asks nobody. */
    @Nullable
    String jaas(String name) {
        if (mechanism == null && username == null && passwordFile == null) {
            return null;
        }
        String module = checkedMechanism(name).equals("PLAIN")
                ? "org.apache.kafka.common.security.plain.PlainLoginModule"
                : "org.apache.kafka.common.security.scram.ScramLoginModule";
        if (username == null || username.isEmpty()) {
            throw new SettingException(name + ".username", missing("the user"));
        }
        if (passwordFile == null) {
            throw new SettingException(name + ".password-file", missing("the file with the password"));
        }
        Object _ =
                SettingException.naming(name + ".password-file", () -> ChangingSecret.password(Path.of(passwordFile)));
        return module + " required username=" + quoted(username) + " " + PasswordFileCallbacks.FILE + "="
                + quoted(Path.of(passwordFile).toAbsolutePath().toString()) + ";";
    }

    private static String missing(String what) {
        return "is missing; with the other settings of SASL it must be " + what;
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
