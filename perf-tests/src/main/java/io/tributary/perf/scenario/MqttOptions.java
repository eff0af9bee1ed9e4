package io.tributary.perf.scenario;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.tributary.common.mqtt.ProtocolVersion;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How clients speak MQTT.
 *
 * @param version 3.1, 3.1.1 or 5
 * @param path of WebSocket requests
 * @param keepAlive zero for none
 * @param receiveMaximum how many messages a client takes at once, MQTT 5
 * @param username the user name of all clients; null for none
 * @param password their password; null for none
 * @param users a file with {@code USER:PASSWORD} lines, which clients take in turn; null for none
 * @param certificates a file with a client's certificate and its key, in PEM, or a folder of such files, which clients
 *     take in turn; null for none
 * @param authorities the certificates (PEM) of the authorities that these come from, for a broker that the tool starts
 * @param resumption whether a client that comes back resumes its TLS session; otherwise each handshake is a full one
 */
public record MqttOptions(
        String version,
        Wire transport,
        String path,
        Duration keepAlive,
        int receiveMaximum,
        @Nullable String username,
        @Nullable String password,
        @Nullable String users,
        @Nullable String certificates,
        @Nullable String authorities,
        boolean resumption) {

    /** The name of the setting that no report shows. */
    static final String SECRET = "password";

    /** Checks the ranges. */
    public MqttOptions {
        if (receiveMaximum < 1 || receiveMaximum > 65_535) {
            throw new ScenarioException("mqtt.receive-maximum: 1 to 65535, not " + receiveMaximum);
        }
        if (keepAlive.isNegative() || keepAlive.toSeconds() > 65_535) {
            throw new ScenarioException("mqtt.keep-alive: 0s to 65535s, not " + keepAlive.toSeconds() + "s");
        }
        if (password != null && username == null) {
            throw new ScenarioException("mqtt.password: needs mqtt.username");
        }
        if (users != null && username != null) {
            throw new ScenarioException("mqtt.users: is instead of mqtt.username, not beside it");
        }
        if (!transport.isEncrypted() && (certificates != null || resumption)) {
            throw new ScenarioException(
                    "mqtt." + (resumption ? "resumption" : "certificates") + ": needs mqtt.transport=tls or wss, not "
                            + transport.name().toLowerCase(Locale.ROOT));
        }
        if (authorities != null && certificates == null) {
            throw new ScenarioException("mqtt.authorities: needs mqtt.certificates");
        }
    }

    /** Whether clients say who they are, by name or by certificate. */
    @JsonIgnore
    public boolean hasUsers() {
        return username != null || users != null;
    }

    /** The version as the codec names it. */
    @JsonIgnore
    public ProtocolVersion protocol() {
        return switch (version) {
            case "3.1" -> ProtocolVersion.MQTT_3_1;
            case "3.1.1" -> ProtocolVersion.MQTT_3_1_1;
            case "5", "5.0" -> ProtocolVersion.MQTT_5;
            default -> throw new ScenarioException("mqtt.version: 3.1, 3.1.1 or 5, not " + version);
        };
    }

    /** What lies between the socket and MQTT. */
    public enum Wire {
        /** Nothing. */
        TCP(false, false),
        /** Encryption. */
        TLS(true, false),
        /** WebSocket frames. */
        WS(false, true),
        /** WebSocket frames, encrypted. */
        WSS(true, true);

        private final boolean encrypted;
        private final boolean webSocket;

        Wire(boolean encrypted, boolean webSocket) {
            this.encrypted = encrypted;
            this.webSocket = webSocket;
        }

        /** Whether there is TLS. Any certificate will do: what is measured is its cost. */
        public boolean isEncrypted() {
            return encrypted;
        }

        /** Whether there are WebSocket frames. */
        public boolean isWebSocket() {
            return webSocket;
        }
    }
}
