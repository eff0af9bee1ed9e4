package io.tributary.common.codec;

import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.ConnackProperties;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.Will;
import org.jspecify.annotations.Nullable;

/** Writes the bodies of CONNECT and CONNACK. */
final class ConnectWriter {

    private ConnectWriter() {}

    static void connect(Connect packet, Sink out) {
        boolean mqtt5 = packet.version().isMqtt5();
        out.text(packet.version().protocolName());
        out.u8(packet.version().level());
        out.u8(flags(packet));
        out.u16(packet.keepAliveSeconds());
        if (mqtt5) {
            PropertyWriter.write(section -> connectProperties(packet.properties(), section), out);
        }
        out.text(packet.clientId());
        if (packet.will() != null) {
            will(packet.will(), mqtt5, out);
        }
        if (packet.userName() != null) {
            out.text(packet.userName());
        }
        if (packet.password() != null) {
            out.binary(packet.password());
        }
    }

    static void connack(Connack packet, boolean mqtt5, Trimming trimming, Sink out) {
        out.u8(packet.sessionPresent() ? 1 : 0);
        if (mqtt5) {
            out.u8(packet.reason().code());
            PropertyWriter.write(section -> connackProperties(packet.properties(), trimming, section), out);
        } else {
            out.u8(Mqtt3Codes.connack(packet.reason()));
        }
    }

    private static int flags(Connect packet) {
        int flags = packet.cleanStart() ? 0x02 : 0;
        flags |= willFlags(packet.will());
        flags |= packet.password() == null ? 0 : 0x40;
        return flags | (packet.userName() == null ? 0 : 0x80);
    }

    private static int willFlags(@Nullable Will will) {
        if (will == null) {
            return 0;
        }
        Message message = will.message();
        return 0x04 | message.qos().code() << 3 | (message.retain() ? 0x20 : 0);
    }

    private static void will(Will will, boolean mqtt5, Sink out) {
        Message message = will.message();
        if (mqtt5) {
            PropertyWriter.write(section -> willProperties(will, section), out);
        }
        out.text(message.topic());
        out.binary(message.payload());
    }

    private static void willProperties(Will will, PropertyWriter out) {
        out.number(Property.WILL_DELAY, will.delaySeconds(), 0);
        out.number(Property.MESSAGE_EXPIRY, will.messageExpirySeconds());
        out.unaltered(will.message().properties());
    }

    private static void connectProperties(ConnectProperties properties, PropertyWriter out) {
        out.number(Property.SESSION_EXPIRY, properties.sessionExpirySeconds(), 0);
        out.number(Property.RECEIVE_MAXIMUM, properties.receiveMaximum(), 65_535);
        out.number(Property.MAXIMUM_PACKET_SIZE, properties.maximumPacketSize(), ConnectProperties.LARGEST_PACKET);
        out.number(Property.TOPIC_ALIAS_MAXIMUM, properties.topicAliasMaximum(), 0);
        out.flag(Property.REQUEST_RESPONSE_INFORMATION, properties.requestResponseInformation(), false);
        out.flag(Property.REQUEST_PROBLEM_INFORMATION, properties.requestProblemInformation(), true);
        out.text(Property.AUTHENTICATION_METHOD, properties.authenticationMethod());
        out.binary(Property.AUTHENTICATION_DATA, properties.authenticationData());
        out.user(properties.userProperties());
    }

    private static void connackProperties(ConnackProperties properties, Trimming trimming, PropertyWriter out) {
        out.number(Property.SESSION_EXPIRY, properties.sessionExpirySeconds());
        out.number(Property.RECEIVE_MAXIMUM, properties.receiveMaximum());
        if (properties.maximumQos() != null) {
            // Maximum QoS 2 is said by leaving the property out (section 3.2.2.3.4).
            out.number(Property.MAXIMUM_QOS, properties.maximumQos().code(), 2);
        }
        out.flag(Property.RETAIN_AVAILABLE, properties.retainAvailable(), true);
        out.number(Property.MAXIMUM_PACKET_SIZE, properties.maximumPacketSize());
        out.text(Property.ASSIGNED_CLIENT_ID, properties.assignedClientId());
        out.number(Property.TOPIC_ALIAS_MAXIMUM, properties.topicAliasMaximum());
        out.words(properties.reasonString(), properties.userProperties(), trimming);
        out.flag(Property.WILDCARD_SUBSCRIPTION_AVAILABLE, properties.wildcardSubscriptionAvailable(), true);
        out.flag(Property.SUBSCRIPTION_IDS_AVAILABLE, properties.subscriptionIdentifiersAvailable(), true);
        out.flag(Property.SHARED_SUBSCRIPTION_AVAILABLE, properties.sharedSubscriptionAvailable(), true);
        out.number(Property.SERVER_KEEP_ALIVE, properties.serverKeepAlive());
        out.text(Property.RESPONSE_INFORMATION, properties.responseInformation());
        out.text(Property.SERVER_REFERENCE, properties.serverReference());
        out.text(Property.AUTHENTICATION_METHOD, properties.authenticationMethod());
        out.binary(Property.AUTHENTICATION_DATA, properties.authenticationData());
    }
}
