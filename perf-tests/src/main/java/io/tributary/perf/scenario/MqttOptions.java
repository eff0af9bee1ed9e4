package io.tributary.perf.scenario;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.tributary.common.mqtt.ProtocolVersion;
import java.time.Duration;

/**
 * How clients speak MQTT.
 *
 * @param version 3.1, 3.1.1 or 5
 * @param path of WebSocket requests
 * @param keepAlive zero for none
 * @param receiveMaximum how many messages a client takes at once, MQTT 5
 */
public record MqttOptions(String version, Wire transport, String path, Duration keepAlive, int receiveMaximum) {

    /** Checks the ranges. */
    public MqttOptions {
        if (receiveMaximum < 1 || receiveMaximum > 65_535) {
            throw new ScenarioException("mqtt.receive-maximum: 1 to 65535, not " + receiveMaximum);
        }
        if (keepAlive.isNegative() || keepAlive.toSeconds() > 65_535) {
            throw new ScenarioException("mqtt.keep-alive: 0s to 65535s, not " + keepAlive.toSeconds() + "s");
        }
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
