package io.tributary.common.codec;

import static io.tributary.common.codec.Property.ASSIGNED_CLIENT_ID;
import static io.tributary.common.codec.Property.AUTHENTICATION_DATA;
import static io.tributary.common.codec.Property.AUTHENTICATION_METHOD;
import static io.tributary.common.codec.Property.MAXIMUM_PACKET_SIZE;
import static io.tributary.common.codec.Property.MAXIMUM_QOS;
import static io.tributary.common.codec.Property.REASON_STRING;
import static io.tributary.common.codec.Property.RECEIVE_MAXIMUM;
import static io.tributary.common.codec.Property.RESPONSE_INFORMATION;
import static io.tributary.common.codec.Property.RETAIN_AVAILABLE;
import static io.tributary.common.codec.Property.SERVER_KEEP_ALIVE;
import static io.tributary.common.codec.Property.SERVER_REFERENCE;
import static io.tributary.common.codec.Property.SESSION_EXPIRY;
import static io.tributary.common.codec.Property.SHARED_SUBSCRIPTION_AVAILABLE;
import static io.tributary.common.codec.Property.SUBSCRIPTION_IDS_AVAILABLE;
import static io.tributary.common.codec.Property.TOPIC_ALIAS_MAXIMUM;
import static io.tributary.common.codec.Property.USER_PROPERTY;
import static io.tributary.common.codec.Property.WILDCARD_SUBSCRIPTION_AVAILABLE;
import static io.tributary.common.codec.WireReader.malformed;
import static io.tributary.common.mqtt.MqttPacket.ABSENT;

import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.ConnackProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import org.jspecify.annotations.Nullable;

/** Decodes CONNACK (section 3.2). */
final class ConnackDecoder {
    private static final long PROPERTIES = Property.setOf(
            SESSION_EXPIRY,
            RECEIVE_MAXIMUM,
            MAXIMUM_QOS,
            RETAIN_AVAILABLE,
            MAXIMUM_PACKET_SIZE,
            ASSIGNED_CLIENT_ID,
            TOPIC_ALIAS_MAXIMUM,
            REASON_STRING,
            USER_PROPERTY,
            WILDCARD_SUBSCRIPTION_AVAILABLE,
            SUBSCRIPTION_IDS_AVAILABLE,
            SHARED_SUBSCRIPTION_AVAILABLE,
            SERVER_KEEP_ALIVE,
            RESPONSE_INFORMATION,
            SERVER_REFERENCE,
            AUTHENTICATION_METHOD,
            AUTHENTICATION_DATA);

    private ConnackDecoder() {}

    static Connack decode(WireReader in, PropertyReader properties) {
        int flags = in.u8();
        if (flags > 1) {
            throw malformed("reserved flags of CONNACK [MQTT-3.2.2-1]");
        }
        ReasonCode reason = properties.mqtt5() ? ReasonCodes.CONNACK.read(in) : Mqtt3Codes.readConnack(in);
        if (flags == 1 && reason != ReasonCode.SUCCESS) {
            throw new MqttException(ReasonCode.PROTOCOL_ERROR, "session present in a refusal [MQTT-3.2.2-6]");
        }
        PropertyValues values = properties.read(PROPERTIES);
        in.requireEnd();
        return new Connack(flags == 1, reason, connackProperties(values));
    }

    private static ConnackProperties connackProperties(PropertyValues values) {
        return new ConnackProperties(
                values.number(SESSION_EXPIRY, ABSENT),
                values.number(RECEIVE_MAXIMUM, ABSENT),
                maximumQos(values),
                values.flag(RETAIN_AVAILABLE, true),
                values.number(MAXIMUM_PACKET_SIZE, ABSENT),
                values.text(ASSIGNED_CLIENT_ID),
                values.number(TOPIC_ALIAS_MAXIMUM, ABSENT),
                values.text(REASON_STRING),
                values.userProperties(),
                values.flag(WILDCARD_SUBSCRIPTION_AVAILABLE, true),
                values.flag(SUBSCRIPTION_IDS_AVAILABLE, true),
                values.flag(SHARED_SUBSCRIPTION_AVAILABLE, true),
                values.number(SERVER_KEEP_ALIVE, ABSENT),
                values.text(RESPONSE_INFORMATION),
                values.text(SERVER_REFERENCE),
                values.text(AUTHENTICATION_METHOD),
                values.binary(AUTHENTICATION_DATA));
    }

    private static @Nullable QoS maximumQos(PropertyValues values) {
        long code = values.number(MAXIMUM_QOS, ABSENT);
        return code == ABSENT ? null : QoS.of((int) code);
    }
}
