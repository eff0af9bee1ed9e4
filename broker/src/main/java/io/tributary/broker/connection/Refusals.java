package io.tributary.broker.connection;

import io.tributary.common.event.AttachRefusal;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.ConnackProperties;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.ReasonCode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The packets that tell a client why its connection ends. */
final class Refusals {
    private Refusals() {}

    /**
     * Before the client was accepted [MQTT-3.2.2-6]; MQTT 3 gets the return code that comes closest.
     *
     * @param serverReference where the client shall go instead [MQTT-4.11], or null
     */
    static Connack connack(MqttException why, @Nullable String serverReference) {
        return new Connack(
                false, inConnack(why.reason()), ConnackProperties.refusal(why.getMessage(), serverReference));
    }

    /** Afterwards [MQTT-4.13.1-1]; only MQTT 5 has such a packet. */
    static Disconnect disconnect(MqttException why) {
        return new Disconnect(inDisconnect(why.reason()), MqttPacket.ABSENT, why.getMessage(), null, List.of());
    }

    /** The node sends its clients away. */
    static Disconnect disconnect(Farewell how) {
        return new Disconnect(how.reason(), MqttPacket.ABSENT, how.words(), how.serverReference(), List.of());
    }

    /** The client does not get the session of its identifier. Whose that is, is not for strangers. */
    static MqttException noSession(AttachRefusal reason) {
        return switch (reason) {
            case IS_DEVICE -> otherKind("a device", "an application");
            case IS_APPLICATION, IS_SMALL_APPLICATION -> otherKind("an application", "a device");
            case IS_SOMEBODY_ELSES ->
                new MqttException(ReasonCode.NOT_AUTHORIZED, "the client identifier has a session of somebody else");
            case TENANT_CONNECTIONS ->
                new MqttException(ReasonCode.QUOTA_EXCEEDED, "the tenant has as many connections as it may");
            case TENANT_SESSIONS ->
                new MqttException(ReasonCode.QUOTA_EXCEEDED, "the tenant has as many persistent sessions as it may");
            case NO_ROOM_FOR_WILL -> new MqttException(ReasonCode.QUOTA_EXCEEDED, "there is no memory for more wills");
        };
    }

    private static MqttException otherKind(String is, String asked) {
        return new MqttException(
                ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR,
                "the client identifier has a persistent session as " + is + ", and this connection is classified as "
                        + asked + "; connect with clean start to begin a new session");
    }

    /** CONNACK has no word of its own for a broker that shuts down. */
    private static ReasonCode inConnack(ReasonCode reason) {
        return reason == ReasonCode.SERVER_SHUTTING_DOWN ? ReasonCode.SERVER_UNAVAILABLE : reason;
    }

    /** Maps reason codes of authenticators for which DISCONNECT has no value of its own. */
    private static ReasonCode inDisconnect(ReasonCode reason) {
        return switch (reason) {
            case BAD_USER_NAME_OR_PASSWORD, BAD_AUTHENTICATION_METHOD, BANNED, CLIENT_IDENTIFIER_NOT_VALID ->
                ReasonCode.NOT_AUTHORIZED;
            case SERVER_UNAVAILABLE -> ReasonCode.SERVER_BUSY;
            default -> reason;
        };
    }
}
