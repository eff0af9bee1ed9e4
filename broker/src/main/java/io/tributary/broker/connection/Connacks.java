package io.tributary.broker.connection;

import static io.tributary.common.mqtt.MqttPacket.ABSENT;

import io.tributary.common.codec.MqttEncoder;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.ConnackProperties;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;
import java.util.List;

/**
 * Puts the CONNACK of an accepted client together: names each value that differs from MQTT's default, or from the
 * client's wish.
 */
final class Connacks {
    private static final int DEFAULT_RECEIVE_MAXIMUM = 65_535;

    private Connacks() {}

    /** The answer to a client that is accepted. */
    static Connack accepted(Admission admission, boolean sessionPresent, ClientLimits limits) {
        boolean reserved = admission.connect().version() == ProtocolVersion.MQTT_3_1; // no such flag
        return new Connack(sessionPresent && !reserved, ReasonCode.SUCCESS, properties(admission, limits));
    }

    /**
     * Checks that the client takes the answer that it will get.
     *
     * @throws MqttException when it is larger than the client's Maximum Packet Size
     */
    static void checkSize(Admission admission, ClientLimits limits) {
        int most = admission.connect().properties().maximumPacketSize();
        if (most == ConnectProperties.LARGEST_PACKET) {
            return;
        }
        MqttEncoder encoder = new MqttEncoder(admission.connect().version(), most);
        if (encoder.sizeOf(accepted(admission, false, limits)) > most) {
            throw new MqttException(ReasonCode.PACKET_TOO_LARGE, "the client takes no packet as large as its CONNACK");
        }
    }

    private static ConnackProperties properties(Admission admission, ClientLimits limits) {
        Connect connect = admission.connect();
        ConnectProperties asked = connect.properties();
        return new ConnackProperties(
                unless(asked.sessionExpirySeconds(), admission.sessionExpirySeconds()),
                unless(DEFAULT_RECEIVE_MAXIMUM, limits.inbound().receiveMaximum()),
                null,
                true,
                unless(ConnectProperties.LARGEST_PACKET, limits.packets().maxPacketBytes()),
                admission.assignedId() ? admission.client().clientId() : null, // [MQTT-3.2.2-16]
                unless(0, limits.inbound().topicAliasMaximum()),
                null,
                List.of(),
                true,
                true,
                true,
                unless(connect.keepAliveSeconds(), admission.keepAliveSeconds()), // [MQTT-3.2.2-21]
                asked.requestResponseInformation() ? limits.connect().responseInformation() : null, // [MQTT-3.1.2-28]
                null,
                asked.authenticationMethod(), // [MQTT-4.12.0-5, MQTT-4.12.0-6]
                admission.authenticationData());
    }

    private static long unless(long presumed, long value) {
        return value == presumed ? ABSENT : value;
    }
}
