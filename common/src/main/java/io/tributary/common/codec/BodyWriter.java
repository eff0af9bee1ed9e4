package io.tributary.common.codec;

import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Acknowledgement;
import io.tributary.common.mqtt.MqttPacket.Auth;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Pingreq;
import io.tributary.common.mqtt.MqttPacket.Pingresp;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.MqttPacket.Unsuback;
import io.tributary.common.mqtt.MqttPacket.Unsubscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.common.mqtt.UserProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the body of a packet behind the fixed header, for all packets but PUBLISH. */
record BodyWriter(ProtocolVersion version, Trimming trimming, Sink out) {
    /** The type of a packet. */
    static PacketType typeOf(MqttPacket packet) {
        return switch (packet) {
            case Connect _ -> PacketType.CONNECT;
            case Connack _ -> PacketType.CONNACK;
            case Publish _ -> PacketType.PUBLISH;
            case Puback _ -> PacketType.PUBACK;
            case Pubrec _ -> PacketType.PUBREC;
            case Pubrel _ -> PacketType.PUBREL;
            case Pubcomp _ -> PacketType.PUBCOMP;
            case Subscribe _ -> PacketType.SUBSCRIBE;
            case Suback _ -> PacketType.SUBACK;
            case Unsubscribe _ -> PacketType.UNSUBSCRIBE;
            case Unsuback _ -> PacketType.UNSUBACK;
            case Pingreq _ -> PacketType.PINGREQ;
            case Pingresp _ -> PacketType.PINGRESP;
            case Disconnect _ -> PacketType.DISCONNECT;
            case Auth _ -> PacketType.AUTH;
        };
    }

    void write(MqttPacket packet) {
        switch (packet) {
            case Connect connect -> connect(connect);
            case Connack connack -> ConnectWriter.connack(connack, mqtt5(), trimming, out);
            case Publish _ -> throw new IllegalArgumentException("PUBLISH is written by PublishTemplate");
            case Acknowledgement acknowledgement -> acknowledgement(acknowledgement);
            case Subscribe subscribe -> subscribe(subscribe);
            case Suback suback -> suback(suback);
            case Unsubscribe unsubscribe -> unsubscribe(unsubscribe);
            case Unsuback unsuback -> unsuback(unsuback);
            case Pingreq _, Pingresp _ -> {}
            case Disconnect disconnect -> disconnect(disconnect);
            case Auth auth -> auth(auth);
        }
    }

    private boolean mqtt5() {
        return version.isMqtt5();
    }

    private void connect(Connect packet) {
        if (packet.version() != version) {
            throw new IllegalArgumentException("CONNECT of " + packet.version() + " from an encoder of " + version);
        }
        ConnectWriter.connect(packet, out);
    }

    private void acknowledgement(Acknowledgement packet) {
        out.u16(packet.packetId());
        if (mqtt5()) {
            reasonAndProperties(
                    packet.reason(),
                    hasWords(packet.reasonString(), packet.userProperties()),
                    section -> section.words(packet.reasonString(), packet.userProperties(), trimming));
        }
    }

    private void subscribe(Subscribe packet) {
        out.u16(packet.packetId());
        if (mqtt5()) {
            PropertyWriter.write(
                    section -> {
                        section.number(Property.SUBSCRIPTION_ID, packet.subscriptionId(), 0);
                        section.user(packet.userProperties());
                    },
                    out);
        }
        for (Subscription subscription : packet.subscriptions()) {
            out.text(subscription.filter());
            out.u8(options(subscription));
        }
    }

    private int options(Subscription subscription) {
        int qos = subscription.maximumQos().code();
        if (!mqtt5()) {
            return qos;
        }
        int noLocal = subscription.noLocal() ? 0x04 : 0;
        int retainAsPublished = subscription.retainAsPublished() ? 0x08 : 0;
        return qos | noLocal | retainAsPublished | retainHandling(subscription.retainHandling()) << 4;
    }

    private static int retainHandling(RetainHandling handling) {
        return switch (handling) {
            case SEND -> 0;
            case SEND_IF_NEW -> 1;
            case DO_NOT_SEND -> 2;
        };
    }

    private void suback(Suback packet) {
        out.u16(packet.packetId());
        wordsSection(packet.reasonString(), packet.userProperties());
        for (ReasonCode reason : packet.reasons()) {
            out.u8(mqtt5() ? reason.code() : Mqtt3Codes.suback(reason));
        }
    }

    private void unsubscribe(Unsubscribe packet) {
        out.u16(packet.packetId());
        if (mqtt5()) {
            PropertyWriter.write(section -> section.user(packet.userProperties()), out);
        }
        for (String filter : packet.filters()) {
            out.text(filter);
        }
    }

    private void unsuback(Unsuback packet) {
        out.u16(packet.packetId());
        wordsSection(packet.reasonString(), packet.userProperties());
        if (mqtt5()) {
            for (ReasonCode reason : packet.reasons()) {
                out.u8(reason.code());
            }
        }
    }

    private void disconnect(Disconnect packet) {
        if (mqtt5()) {
            boolean hasProperties = hasWords(packet.reasonString(), packet.userProperties())
                    || packet.sessionExpirySeconds() != MqttPacket.ABSENT
                    || packet.serverReference() != null;
            reasonAndProperties(packet.reason(), hasProperties, section -> {
                section.number(Property.SESSION_EXPIRY, packet.sessionExpirySeconds());
                section.words(packet.reasonString(), packet.userProperties(), trimming);
                section.text(Property.SERVER_REFERENCE, packet.serverReference());
            });
        } else if (packet.reason() != ReasonCode.SUCCESS) {
            throw new IllegalArgumentException("in MQTT 3 there is no DISCONNECT that says " + packet.reason());
        }
    }

    private void auth(Auth packet) {
        if (!mqtt5()) {
            throw new IllegalArgumentException("in MQTT 3 there is no AUTH");
        }
        boolean hasProperties = packet.authenticationMethod() != null
                || packet.authenticationData() != null
                || hasWords(packet.reasonString(), packet.userProperties());
        reasonAndProperties(packet.reason(), hasProperties, section -> {
            section.text(Property.AUTHENTICATION_METHOD, packet.authenticationMethod());
            section.binary(Property.AUTHENTICATION_DATA, packet.authenticationData());
            section.words(packet.reasonString(), packet.userProperties(), trimming);
        });
    }

    private void wordsSection(@Nullable String reasonString, List<UserProperty> userProperties) {
        if (mqtt5()) {
            PropertyWriter.write(section -> section.words(reasonString, userProperties, trimming), out);
        }
    }

    /** The end of a packet: empty properties are left out, and then the reason code if it is "success". */
    private void reasonAndProperties(ReasonCode reason, boolean hasProperties, PropertyWriter.Section section) {
        if (hasProperties || reason != ReasonCode.SUCCESS) {
            out.u8(reason.code());
        }
        if (hasProperties) {
            PropertyWriter.write(section, out);
        }
    }

    private boolean hasWords(@Nullable String reasonString, List<UserProperty> userProperties) {
        return switch (trimming) {
            case NONE -> reasonString != null || !userProperties.isEmpty();
            case USER_PROPERTIES -> reasonString != null;
            case ALL_WORDS -> false;
        };
    }
}
