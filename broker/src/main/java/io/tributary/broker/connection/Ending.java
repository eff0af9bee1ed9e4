package io.tributary.broker.connection;

import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.ReasonCode;

/**
 * How a connection ended.
 *
 * @param reason the reason code that either side sent, or what comes nearest
 * @param publishWill whether the Will is to be published
 * @param sessionExpirySeconds the Session Expiry Interval from then on
 */
record Ending(ReasonCode reason, boolean publishWill, long sessionExpirySeconds) {

    /**
     * By a DISCONNECT of the client.
     *
     * @param wanted the Session Expiry Interval that the client asked for in its CONNECT
     * @param sessionExpirySeconds the one that has held until then
     * @param most the longest that the listener allows, in seconds
     * @throws MqttException when it makes a session last that was not to [MQTT-3.14.2-2]
     */
    static Ending by(Disconnect packet, long wanted, long sessionExpirySeconds, long most) {
        boolean publishWill = packet.reason() != ReasonCode.SUCCESS; // [MQTT-3.14.4-3]
        long asked = packet.sessionExpirySeconds();
        if (asked == MqttPacket.ABSENT) {
            return new Ending(packet.reason(), publishWill, sessionExpirySeconds);
        }
        if (wanted == 0 && asked != 0) {
            throw new MqttException(ReasonCode.PROTOCOL_ERROR, "DISCONNECT makes a session last that was not to");
        }
        return new Ending(packet.reason(), publishWill, Math.min(asked, most));
    }
}
