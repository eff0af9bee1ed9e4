package io.tributary.common.codec;

import static io.tributary.common.mqtt.ReasonCode.MALFORMED_PACKET;
import static io.tributary.common.mqtt.ReasonCode.PROTOCOL_ERROR;

import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;
import org.jspecify.annotations.Nullable;

/** The types of control packets in the order of their numbers, and what their first byte must look like. */
enum PacketType {
    RESERVED(0, 0, false, false),
    CONNECT(1, 0, true, false),
    CONNACK(2, 0, false, true),
    PUBLISH(3, 0, true, true),
    PUBACK(4, 0, true, true),
    PUBREC(5, 0, true, true),
    PUBREL(6, 2, true, true),
    PUBCOMP(7, 0, true, true),
    SUBSCRIBE(8, 2, true, false),
    SUBACK(9, 0, false, true),
    UNSUBSCRIBE(10, 2, true, false),
    UNSUBACK(11, 0, false, true),
    PINGREQ(12, 0, true, false),
    PINGRESP(13, 0, false, true),
    DISCONNECT(14, 0, true, true),
    AUTH(15, 0, true, true);

    private static final PacketType[] BY_CODE = values();
    private static final int DUP = 0x08;

    private final int code;
    private final int flags;
    private final boolean fromClient;
    private final boolean fromServer;

    PacketType(int code, int flags, boolean fromClient, boolean fromServer) {
        this.code = code;
        this.flags = flags;
        this.fromClient = fromClient;
        this.fromServer = fromServer;
    }

    /** The first byte of a packet of this type, for PUBLISH with all flags 0. */
    int firstByte() {
        return code << 4 | flags;
    }

    /**
     * The type of the packet that begins with the given byte.
     *
     * @param reader the side that received it
     * @param version the version of the connection, or null as long as only CONNECT may come
     * @throws MqttException when no such packet may come to this side now, or its flags are wrong
     */
    static PacketType of(int firstByte, Role reader, @Nullable ProtocolVersion version) {
        PacketType type = BY_CODE[firstByte >> 4];
        if (version == null) {
            require(type == CONNECT, PROTOCOL_ERROR, "first packet is not CONNECT [MQTT-3.1.0-1]");
        } else {
            type.checkDirection(reader, version);
        }
        type.checkFlags(firstByte & 0x0F, version);
        return type;
    }

    private void checkDirection(Role reader, ProtocolVersion version) {
        boolean exists = this != RESERVED && (this != AUTH || version.isMqtt5());
        require(exists, MALFORMED_PACKET, "reserved packet type");
        if (reader == Role.SERVER) {
            require(this != CONNECT, PROTOCOL_ERROR, "second CONNECT [MQTT-3.1.0-2]");
            require(fromClient, PROTOCOL_ERROR, "packet that only servers send");
        } else {
            boolean expected = fromServer && (this != DISCONNECT || version.isMqtt5());
            require(expected, PROTOCOL_ERROR, "packet that only clients send");
        }
    }

    private void checkFlags(int actual, @Nullable ProtocolVersion version) {
        if (this == PUBLISH) {
            require((actual & 0x06) != 0x06, MALFORMED_PACKET, "QoS 3 [MQTT-3.3.1-4]");
            require((actual & 0x0E) != DUP, MALFORMED_PACKET, "DUP with QoS 0 [MQTT-3.3.1-2]");
            return;
        }
        // MQTT 3.1 had DUP in the requests that are acknowledged.
        boolean mayHaveDup = version == ProtocolVersion.MQTT_3_1 && flags != 0;
        int checked = mayHaveDup ? actual & ~DUP : actual;
        require(checked == flags, MALFORMED_PACKET, "reserved flags of the fixed header [MQTT-2.1.3-1]");
    }

    private static void require(boolean condition, ReasonCode reason, String words) {
        if (!condition) {
            throw new MqttException(reason, words);
        }
    }
}
