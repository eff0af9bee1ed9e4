package io.tributary.common.codec;

import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.PayloadFormat;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.UserProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the properties of one packet; properties that are null or {@link MqttPacket#ABSENT} are left out. */
record PropertyWriter(Sink out) {
    /** A list of properties that can be written more than once: to count them, and to write them. */
    @FunctionalInterface
    interface Section {
        void writeTo(PropertyWriter properties);
    }

    /** Writes the length of a section and the section. */
    static void write(Section section, Sink out) {
        SizeSink size = new SizeSink();
        section.writeTo(new PropertyWriter(size));
        out.varint(size.bytes());
        section.writeTo(new PropertyWriter(out));
    }

    /** Writes an integer property. */
    void number(Property property, long value) {
        if (value == MqttPacket.ABSENT) {
            return;
        }
        out.u8(property.id());
        switch (property.kind()) {
            case BYTE -> out.u8((int) value);
            case TWO_BYTES -> out.u16((int) value);
            case FOUR_BYTES -> out.u32(value);
            case VARINT -> out.varint((int) value);
            case TEXT, BINARY, PAIR -> throw new IllegalArgumentException(property + " is no number");
        }
    }

    /** Writes an integer property unless it has the value that its absence means. */
    void number(Property property, long value, long meantByAbsence) {
        number(property, value == meantByAbsence ? MqttPacket.ABSENT : value);
    }

    /** Writes a property that is 0 or 1, unless it has the value that its absence means. */
    void flag(Property property, boolean value, boolean meantByAbsence) {
        number(property, value == meantByAbsence ? MqttPacket.ABSENT : value ? 1 : 0);
    }

    /** Writes a string property. */
    void text(Property property, @Nullable String value) {
        if (value != null) {
            out.u8(property.id());
            out.text(value);
        }
    }

    /** Writes a binary property. */
    void binary(Property property, byte @Nullable [] value) {
        if (value != null) {
            out.u8(property.id());
            out.binary(value);
        }
    }

    /** Writes user properties in their order [MQTT-3.3.2-18]. */
    void user(List<UserProperty> userProperties) {
        for (UserProperty userProperty : userProperties) {
            out.u8(Property.USER_PROPERTY.id());
            out.text(userProperty.name());
            out.text(userProperty.value());
        }
    }

    /** Writes reason string and user properties, as far as they are not trimmed. */
    void words(@Nullable String reasonString, List<UserProperty> userProperties, Trimming trimming) {
        if (trimming != Trimming.ALL_WORDS) {
            text(Property.REASON_STRING, reasonString);
        }
        if (trimming == Trimming.NONE) {
            user(userProperties);
        }
    }

    /** Writes the properties of a message that go to the subscribers unaltered. */
    void unaltered(PublishProperties properties) {
        if (properties.payloadFormat() != null) {
            number(Property.PAYLOAD_FORMAT, properties.payloadFormat() == PayloadFormat.UTF_8 ? 1 : 0);
        }
        text(Property.CONTENT_TYPE, properties.contentType());
        text(Property.RESPONSE_TOPIC, properties.responseTopic());
        binary(Property.CORRELATION_DATA, properties.correlationData());
        user(properties.userProperties());
    }
}
