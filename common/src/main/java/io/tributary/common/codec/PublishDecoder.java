package io.tributary.common.codec;

import static io.tributary.common.codec.Property.CONTENT_TYPE;
import static io.tributary.common.codec.Property.CORRELATION_DATA;
import static io.tributary.common.codec.Property.MESSAGE_EXPIRY;
import static io.tributary.common.codec.Property.PAYLOAD_FORMAT;
import static io.tributary.common.codec.Property.RESPONSE_TOPIC;
import static io.tributary.common.codec.Property.SUBSCRIPTION_ID;
import static io.tributary.common.codec.Property.TOPIC_ALIAS;
import static io.tributary.common.codec.Property.USER_PROPERTY;

import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.PayloadFormat;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import org.jspecify.annotations.Nullable;

/** Decodes PUBLISH (section 3.3), and those properties of a message that a will has as well. */
final class PublishDecoder {

    /** The properties that go to the subscribers unaltered. */
    static final long UNALTERED =
            Property.setOf(PAYLOAD_FORMAT, CONTENT_TYPE, RESPONSE_TOPIC, CORRELATION_DATA, USER_PROPERTY);

    private static final long FROM_CLIENT = UNALTERED | Property.setOf(MESSAGE_EXPIRY, TOPIC_ALIAS);
    private static final long FROM_SERVER = FROM_CLIENT | SUBSCRIPTION_ID.bit(); // [MQTT-3.3.4-6]

    private PublishDecoder() {}

    static Publish decode(int flags, WireReader in, PropertyReader properties, TopicReader topics) {
        QoS qos = QoS.of(flags >> 1 & 0x03);
        String topic = topics.readOrAlias(properties.mqtt5());
        int packetId = qos.isAcknowledged() ? in.packetId() : 0;
        PropertyValues values = properties.read(properties.reader() == Role.SERVER ? FROM_CLIENT : FROM_SERVER);
        int alias = (int) values.number(TOPIC_ALIAS, 0);
        if (topic.isEmpty() && alias == 0) {
            throw new MqttException(ReasonCode.PROTOCOL_ERROR, "neither topic name nor topic alias");
        }
        return new Publish(
                topic,
                in.rest(),
                qos,
                (flags & 0x01) != 0,
                (flags & 0x08) != 0,
                packetId,
                alias,
                values.number(MESSAGE_EXPIRY, MqttPacket.ABSENT),
                unaltered(values, topics),
                values.subscriptionIds());
    }

    /** Takes what goes to the subscribers unaltered out of the properties. */
    static PublishProperties unaltered(PropertyValues values, TopicReader topics) {
        if (!values.hasAny(UNALTERED)) {
            return PublishProperties.NONE;
        }
        String responseTopic = values.text(RESPONSE_TOPIC);
        if (responseTopic != null) {
            topics.check(responseTopic); // [MQTT-3.3.2-14]
        }
        return new PublishProperties(
                payloadFormat(values),
                values.text(CONTENT_TYPE),
                responseTopic,
                values.binary(CORRELATION_DATA),
                values.userProperties());
    }

    private static @Nullable PayloadFormat payloadFormat(PropertyValues values) {
        if (!values.hasAny(PAYLOAD_FORMAT.bit())) {
            return null;
        }
        return values.flag(PAYLOAD_FORMAT, false) ? PayloadFormat.UTF_8 : PayloadFormat.UNSPECIFIED;
    }
}
