package io.tributary.common.codec;

import static io.tributary.common.codec.Property.AUTHENTICATION_DATA;
import static io.tributary.common.codec.Property.AUTHENTICATION_METHOD;
import static io.tributary.common.codec.Property.REASON_STRING;
import static io.tributary.common.codec.Property.SERVER_REFERENCE;
import static io.tributary.common.codec.Property.SESSION_EXPIRY;
import static io.tributary.common.codec.Property.USER_PROPERTY;

import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Auth;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.ReasonCode;
import java.util.List;

/** Decodes DISCONNECT and AUTH (sections 3.14 and 3.15), in the short forms, too. */
final class DisconnectDecoder {
    private static final long FROM_CLIENT = Property.setOf(SESSION_EXPIRY, REASON_STRING, USER_PROPERTY);
    private static final long FROM_SERVER = // [MQTT-3.14.2-2]
            Property.setOf(REASON_STRING, USER_PROPERTY, SERVER_REFERENCE);
    private static final long AUTH_PROPERTIES =
            Property.setOf(AUTHENTICATION_METHOD, AUTHENTICATION_DATA, REASON_STRING, USER_PROPERTY);

    private DisconnectDecoder() {}

    static Disconnect disconnect(WireReader in, PropertyReader properties) {
        boolean server = properties.reader() == Role.SERVER;
        ReasonCode reason = ReasonCode.SUCCESS;
        if (properties.mqtt5() && in.remaining() > 0) {
            reason = (server ? ReasonCodes.DISCONNECT_FROM_CLIENT : ReasonCodes.DISCONNECT_FROM_SERVER).read(in);
        }
        boolean hasProperties = properties.mqtt5() && in.remaining() > 0;
        PropertyValues values =
                hasProperties ? properties.read(server ? FROM_CLIENT : FROM_SERVER) : PropertyValues.NONE;
        in.requireEnd();
        return new Disconnect(
                reason,
                values.number(SESSION_EXPIRY, MqttPacket.ABSENT),
                values.text(REASON_STRING),
                values.text(SERVER_REFERENCE),
                values.userProperties());
    }

    static Auth auth(WireReader in, PropertyReader properties) {
        if (in.remaining() == 0 && properties.reader() == Role.CLIENT) {
            return new Auth(ReasonCode.SUCCESS, null, null, null, List.of());
        }
        boolean server = properties.reader() == Role.SERVER;
        ReasonCode reason = (server ? ReasonCodes.AUTH_FROM_CLIENT : ReasonCodes.AUTH_FROM_SERVER).read(in);
        PropertyValues values = in.remaining() > 0 ? properties.read(AUTH_PROPERTIES) : PropertyValues.NONE;
        in.requireEnd();
        String method = values.text(AUTHENTICATION_METHOD);
        if (method == null) {
            throw new MqttException(ReasonCode.PROTOCOL_ERROR, "AUTH without an authentication method");
        }
        return new Auth(
                reason,
                method,
                values.binary(AUTHENTICATION_DATA),
                values.text(REASON_STRING),
                values.userProperties());
    }
}
