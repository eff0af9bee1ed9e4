package io.tributary.common.codec;

import static io.tributary.common.codec.WireReader.malformed;
import static io.tributary.common.mqtt.ReasonCode.PROTOCOL_ERROR;
import static io.tributary.common.mqtt.ReasonCode.QUOTA_EXCEEDED;
import static io.tributary.common.mqtt.ReasonCode.TOPIC_ALIAS_INVALID;

import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.UserProperty;

/** Reads property sections (section 2.2.2) and enforces the rules that hold for all of them. */
final class PropertyReader {
    private final WireReader in;
    private final Role reader;
    private final DecoderLimits limits;
    private boolean mqtt5;

    PropertyReader(WireReader in, Role reader, DecoderLimits limits) {
        this.in = in;
        this.reader = reader;
        this.limits = limits;
    }

    /** The side that reads, because some properties may only go one way. */
    Role reader() {
        return reader;
    }

    /** Whether packets have properties; false until told. */
    boolean mqtt5() {
        return mqtt5;
    }

    /** Tells which protocol version the connection has. */
    void use(ProtocolVersion version) {
        mqtt5 = version.isMqtt5();
    }

    /** Reads a section in which only the given set of properties may occur; in MQTT 3 there is none. */
    PropertyValues read(long allowed) {
        if (!mqtt5) {
            return PropertyValues.NONE;
        }
        int length = in.varint();
        if (length == 0) {
            return PropertyValues.NONE;
        }
        if (length > limits.maxPropertyBytes()) {
            throw new MqttException(QUOTA_EXCEEDED, "more than " + limits.maxPropertyBytes() + " bytes of properties");
        }
        int outerEnd = in.enter(length);
        PropertyValues values = new PropertyValues();
        while (in.remaining() > 0) {
            readOne(values, allowed);
        }
        in.leave(outerEnd);
        return values;
    }

    private void readOne(PropertyValues values, long allowed) {
        Property property = Property.of(in.varint());
        if (property == null) {
            throw malformed("unknown property");
        }
        if ((allowed & property.bit()) == 0) {
            throw misplaced(property);
        }
        if (values.hasAny(property.bit()) && !isRepeatable(property)) {
            throw new MqttException(PROTOCOL_ERROR, property + " occurs twice");
        }
        switch (property.kind()) {
            case BYTE -> values.put(property, checked(property, in.u8()));
            case TWO_BYTES -> values.put(property, checked(property, in.u16()));
            case FOUR_BYTES -> values.put(property, checked(property, in.u32()));
            case VARINT -> values.addSubscriptionId((int) checked(property, in.varint()));
            case TEXT -> values.put(property, in.text());
            case BINARY -> values.put(property, in.binary());
            case PAIR -> readUserProperty(values);
        }
    }

    private void readUserProperty(PropertyValues values) {
        if (values.userPropertyCount() == limits.maxUserProperties()) {
            throw new MqttException(QUOTA_EXCEEDED, "more than " + limits.maxUserProperties() + " user properties");
        }
        values.add(new UserProperty(in.text(), in.text()));
    }

    /** A message may match several subscriptions of a client; in SUBSCRIBE there is one identifier at most. */
    private boolean isRepeatable(Property property) {
        return property == Property.USER_PROPERTY || (property == Property.SUBSCRIPTION_ID && reader == Role.CLIENT);
    }

    private MqttException misplaced(Property property) {
        if (property == Property.SUBSCRIPTION_ID && reader == Role.SERVER) {
            return new MqttException(PROTOCOL_ERROR, "subscription identifier from a client [MQTT-3.3.4-6]");
        }
        return malformed(property + " does not belong in this packet");
    }

    private static long checked(Property property, long number) {
        if (!property.accepts(number)) {
            boolean alias = property == Property.TOPIC_ALIAS; // [MQTT-3.3.2-8]
            throw new MqttException(alias ? TOPIC_ALIAS_INVALID : PROTOCOL_ERROR, property + " must not be " + number);
        }
        return number;
    }
}
