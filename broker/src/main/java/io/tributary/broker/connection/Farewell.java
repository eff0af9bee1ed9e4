package io.tributary.broker.connection;

import io.tributary.common.mqtt.ReasonCode;
import org.jspecify.annotations.Nullable;

/**
 * What a client is told when its node sends it away. MQTT 3 has no packet for that: its connection is closed.
 *
 * @param reason of the DISCONNECT, or of the CONNACK where the client has none yet
 * @param words the Reason String
 * @param serverReference where the client shall go instead [MQTT-4.11], or null for wherever it likes
 */
public record Farewell(
        ReasonCode reason, String words, @Nullable String serverReference) {

    /** The node stops. */
    public static Farewell stopping(@Nullable String serverReference) {
        return new Farewell(
                serverReference == null ? ReasonCode.SERVER_SHUTTING_DOWN : ReasonCode.SERVER_MOVED,
                "the broker shuts down",
                serverReference);
    }

    /** The node goes on, and another node is to have the client. */
    public static Farewell elsewhere(@Nullable String serverReference) {
        return new Farewell(ReasonCode.USE_ANOTHER_SERVER, "another node is to serve the client", serverReference);
    }
}
