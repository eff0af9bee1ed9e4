package io.tributary.perf.target;

import io.tributary.localcluster.LocalAuthority;
import io.tributary.perf.scenario.MqttOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a broker is started with so that the clients of a scenario get in, and nobody else.
 *
 * @param authority gives the broker its certificate; null without TLS
 * @param clients the authorities of clients' certificates; null when they show none
 * @param passwords a password file of {@code mosquitto_passwd}; null when clients have no user names
 */
record Security(
        @Nullable LocalAuthority authority,
        @Nullable Path clients,
        @Nullable Path passwords) {

    /**
     * Makes it.
     *
     * @throws TargetException if something is missing for it
     */
    static Security of(TargetContext context) {
        MqttOptions mqtt = context.mqtt();
        LocalAuthority authority = mqtt.transport().isEncrypted()
                ? LocalAuthority.in(context.directory().resolve("tls"))
                : null;
        return new Security(authority, clients(mqtt), mqtt.hasUsers() ? passwords(context) : null);
    }

    private static @Nullable Path clients(MqttOptions mqtt) {
        if (mqtt.certificates() == null) {
            return null;
        }
        if (mqtt.authorities() == null) {
            throw new TargetException(
                    "mqtt.certificates: a broker that is started here needs mqtt.authorities, the file"
                            + " with the certificates (PEM) of the authorities that these come from");
        }
        return Path.of(mqtt.authorities()).toAbsolutePath();
    }

    private static Path passwords(TargetContext context) {
        Path program = Programs.find("mosquitto_passwd")
                .orElseThrow(() -> new TargetException(
                        "mosquitto_passwd is missing, which makes password files: apt-get install mosquitto"));
        MqttOptions mqtt = context.mqtt();
        String users = mqtt.users();
        try {
            String lines = users == null
                    ? mqtt.username() + ":" + (mqtt.password() == null ? "" : mqtt.password()) + "\n"
                    : Files.readString(Path.of(users));
            Path file = context.write("passwords", lines);
            String said = Programs.run(List.of(program.toString(), "-U", file.toString()), Map.of());
            if (!Files.readString(file).contains(":$")) {
                throw new TargetException("mosquitto_passwd made no password file: " + said);
            }
            return file.toAbsolutePath();
        } catch (IOException e) {
            throw new TargetException("mqtt.users: " + users + " cannot be read: " + e, e);
        }
    }

    /** Settings of a Tributary for one of its listeners, without what all names begin with. */
    List<String> settings(String listener) {
        List<String> settings = new ArrayList<>();
        String prefix = "listeners." + listener + ".";
        if (authority != null) {
            settings.add(prefix + "tls.certificate=" + authority.serverCertificate());
            settings.add(prefix + "tls.private-key=" + authority.serverKey());
        }
        if (clients != null) {
            settings.add(prefix + "tls.client-certificates=need");
            settings.add(prefix + "tls.authorities=" + clients);
        }
        if (passwords != null) {
            settings.add(prefix + "authentication=users");
            settings.add("security.authenticators.users.kind=file");
            settings.add("security.authenticators.users.file=" + passwords);
        }
        return settings;
    }

    /** Lines of a configuration of Mosquitto, for the listener above them. */
    String mosquitto() {
        List<String> lines = new ArrayList<>();
        lines.add("allow_anonymous " + (passwords == null));
        if (authority != null || passwords != null) {
            // Started by root, it would become a user who cannot read these files.
            lines.add("user " + System.getProperty("user.name"));
        }
        if (authority != null) {
            lines.add("certfile " + authority.serverCertificate());
            lines.add("keyfile " + authority.serverKey());
        }
        if (clients != null) {
            lines.add("cafile " + clients);
            lines.add("require_certificate true");
        }
        if (passwords != null) {
            lines.add("password_file " + passwords);
        }
        return String.join("\n", lines);
    }
}
