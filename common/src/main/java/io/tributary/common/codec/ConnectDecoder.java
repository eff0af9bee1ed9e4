package io.tributary.common.codec;

import static io.tributary.common.codec.Property.AUTHENTICATION_DATA;
import static io.tributary.common.codec.Property.AUTHENTICATION_METHOD;
import static io.tributary.common.codec.Property.MAXIMUM_PACKET_SIZE;
import static io.tributary.common.codec.Property.MESSAGE_EXPIRY;
import static io.tributary.common.codec.Property.RECEIVE_MAXIMUM;
import static io.tributary.common.codec.Property.REQUEST_PROBLEM_INFORMATION;
import static io.tributary.common.codec.Property.REQUEST_RESPONSE_INFORMATION;
import static io.tributary.common.codec.Property.SESSION_EXPIRY;
import static io.tributary.common.codec.Property.TOPIC_ALIAS_MAXIMUM;
import static io.tributary.common.codec.Property.USER_PROPERTY;
import static io.tributary.common.codec.Property.WILL_DELAY;

import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Will;

/** Decodes CONNECT (section 3.1): first the protocol, which says how to read, or refuse, the rest. */
final class ConnectDecoder {
    private static final long PROPERTIES = Property.setOf(
            SESSION_EXPIRY,
            RECEIVE_MAXIMUM,
            MAXIMUM_PACKET_SIZE,
            TOPIC_ALIAS_MAXIMUM,
            REQUEST_RESPONSE_INFORMATION,
            REQUEST_PROBLEM_INFORMATION,
            USER_PROPERTY,
            AUTHENTICATION_METHOD,
            AUTHENTICATION_DATA);
    private static final long WILL_PROPERTIES = PublishDecoder.UNALTERED | Property.setOf(WILL_DELAY, MESSAGE_EXPIRY);

    private ConnectDecoder() {}

    /** Reads the protocol name [MQTT-3.1.2-1]. */
    static String protocolName(WireReader in) {
        String name = in.text();
        for (ProtocolVersion version : ProtocolVersion.values()) {
            if (version.protocolName().equals(name)) {
                return name;
            }
        }
        throw new MqttException(ReasonCode.UNSUPPORTED_PROTOCOL_VERSION, "unknown protocol name [MQTT-3.1.2-1]");
    }

    /** The version with that name and level, or else the one whose CONNACK such a peer most likely understands. */
    static ProtocolVersion nearestVersion(String protocolName, int level) {
        if (protocolName.equals(ProtocolVersion.MQTT_3_1.protocolName())) {
            return ProtocolVersion.MQTT_3_1;
        }
        int plainLevel = level & 0x7F; // bridges of some brokers set the highest bit, and try again without
        return plainLevel >= ProtocolVersion.MQTT_5.level() ? ProtocolVersion.MQTT_5 : ProtocolVersion.MQTT_3_1_1;
    }

    /** Reads the part of CONNECT behind the protocol level. */
    static Connect decode(ProtocolVersion version, WireReader in, PropertyReader properties, TopicReader topics) {
        ConnectFlags flags = ConnectFlags.read(in, version);
        int keepAliveSeconds = in.u16();
        PropertyValues values = properties.read(PROPERTIES);
        String clientId = in.text();
        Will will = flags.hasWill() ? will(flags, clientId, in, properties, topics) : null;
        String userName = flags.hasUserName() && !isMissing(version, in) ? in.text() : null;
        byte[] password = flags.hasPassword() && !isMissing(version, in) ? in.binary() : null;
        in.requireEnd();
        boolean cleanStart = flags.cleanStart();
        checkClientId(version, clientId, cleanStart);
        ConnectProperties connectProperties =
                version.isMqtt5() ? connectProperties(values) : mqtt3Properties(cleanStart);
        return new Connect(
                version, cleanStart, keepAliveSeconds, clientId, will, userName, password, connectProperties);
    }

    /** In MQTT 3.1 a user name or password may be missing in spite of its flag: the packet's length says so. */
    private static boolean isMissing(ProtocolVersion version, WireReader in) {
        return version == ProtocolVersion.MQTT_3_1 && in.remaining() == 0;
    }

    private static void checkClientId(ProtocolVersion version, String clientId, boolean cleanStart) {
        boolean mayBeEmpty = switch (version) {
            case MQTT_3_1 -> false;
            case MQTT_3_1_1 -> cleanStart; // [MQTT-3.1.3-7, MQTT-3.1.3-8]
            case MQTT_5 -> true; // [MQTT-3.1.3-6]
        };
        if (clientId.isEmpty() && !mayBeEmpty) {
            throw new MqttException(ReasonCode.CLIENT_IDENTIFIER_NOT_VALID, "client identifier is empty");
        }
    }

    private static Will will(
            ConnectFlags flags, String clientId, WireReader in, PropertyReader properties, TopicReader topics) {
        PropertyValues values = properties.read(WILL_PROPERTIES);
        String topic = topics.read();
        byte[] payload = in.binary();
        Message message = new Message(
                topic,
                payload,
                flags.willQos(),
                flags.willRetain(),
                PublishDecoder.unaltered(values, topics),
                Message.NEVER,
                clientId);
        return new Will(message, values.number(WILL_DELAY, 0), values.number(MESSAGE_EXPIRY, MqttPacket.ABSENT));
    }

    private static ConnectProperties mqtt3Properties(boolean cleanSession) {
        return ConnectProperties.defaults(cleanSession ? 0 : ConnectProperties.NEVER_EXPIRES);
    }

    private static ConnectProperties connectProperties(PropertyValues values) {
        String method = values.text(AUTHENTICATION_METHOD);
        byte[] data = values.binary(AUTHENTICATION_DATA);
        if (data != null && method == null) {
            throw new MqttException(ReasonCode.PROTOCOL_ERROR, "authentication data without a method");
        }
        long largest = ConnectProperties.LARGEST_PACKET;
        return new ConnectProperties(
                values.number(SESSION_EXPIRY, 0),
                (int) values.number(RECEIVE_MAXIMUM, 65_535),
                (int) Math.min(values.number(MAXIMUM_PACKET_SIZE, largest), largest),
                (int) values.number(TOPIC_ALIAS_MAXIMUM, 0),
                values.flag(REQUEST_RESPONSE_INFORMATION, false),
                values.flag(REQUEST_PROBLEM_INFORMATION, true),
                method,
                data,
                values.userProperties());
    }
}
