package io.tributary.common.codec;

import io.tributary.common.mqtt.MqttPacket.Acknowledgement;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.UserProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decodes PUBACK, PUBREC, PUBREL and PUBCOMP (sections 3.4 to 3.7), in the short forms, too. */
final class AcknowledgementDecoder {
    private static final long PROPERTIES = Property.setOf(Property.REASON_STRING, Property.USER_PROPERTY);

    private AcknowledgementDecoder() {}

    static Acknowledgement decode(PacketType type, WireReader in, PropertyReader properties) {
        int packetId = in.packetId();
        boolean hasReason = properties.mqtt5() && in.remaining() > 0;
        ReasonCode reason = hasReason ? reasons(type, properties.reader()).read(in) : ReasonCode.SUCCESS;
        boolean hasProperties = hasReason && in.remaining() > 0;
        PropertyValues values = hasProperties ? properties.read(PROPERTIES) : PropertyValues.NONE;
        in.requireEnd();
        return create(type, packetId, reason, values.text(Property.REASON_STRING), values.userProperties());
    }

    private static ReasonCodeSet reasons(PacketType type, Role reader) {
        if (type == PacketType.PUBREL || type == PacketType.PUBCOMP) {
            return ReasonCodes.PUBREL;
        }
        return reader == Role.SERVER ? ReasonCodes.PUBACK_FROM_CLIENT : ReasonCodes.PUBACK_FROM_SERVER;
    }

    private static Acknowledgement create(
            PacketType type, int packetId, ReasonCode reason, @Nullable String words, List<UserProperty> user) {
        return switch (type) {
            case PUBACK -> new Puback(packetId, reason, words, user);
            case PUBREC -> new Pubrec(packetId, reason, words, user);
            case PUBREL -> new Pubrel(packetId, reason, words, user);
            case PUBCOMP -> new Pubcomp(packetId, reason, words, user);
            default -> throw new IllegalArgumentException(type + " is no acknowledgement");
        };
    }
}
