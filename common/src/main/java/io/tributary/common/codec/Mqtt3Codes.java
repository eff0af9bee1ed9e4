package io.tributary.common.codec;

import static io.tributary.common.codec.WireReader.malformed;

import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;

/** The return codes of CONNACK and SUBACK in MQTT 3, and the reason codes of MQTT 5 that stand for them here. */
final class Mqtt3Codes {
    private static final int SUBACK_FAILURE = 0x80;

    private static final ReasonCode[] CONNACK = {
        ReasonCode.SUCCESS,
        ReasonCode.UNSUPPORTED_PROTOCOL_VERSION,
        ReasonCode.CLIENT_IDENTIFIER_NOT_VALID,
        ReasonCode.SERVER_UNAVAILABLE,
        ReasonCode.BAD_USER_NAME_OR_PASSWORD,
        ReasonCode.NOT_AUTHORIZED
    };

    private Mqtt3Codes() {}

    /** The return code of CONNACK that comes closest. */
    static int connack(ReasonCode reason) {
        return switch (reason) {
            case SUCCESS -> 0;
            case UNSUPPORTED_PROTOCOL_VERSION -> 1;
            case CLIENT_IDENTIFIER_NOT_VALID -> 2;
            case BAD_USER_NAME_OR_PASSWORD -> 4;
            case NOT_AUTHORIZED, BANNED, BAD_AUTHENTICATION_METHOD -> 5;
            default -> 3;
        };
    }

    /** Whether a return code of CONNACK means just that reason. */
    static boolean hasConnack(ReasonCode reason) {
        return CONNACK[connack(reason)] == reason;
    }

    static ReasonCode readConnack(WireReader in) {
        int code = in.u8();
        if (code >= CONNACK.length) {
            throw malformed("unknown return code of CONNACK");
        }
        return CONNACK[code];
    }

    /** The return code of SUBACK [MQTT-3.9.3-2 of MQTT 3.1.1]. */
    static int suback(ReasonCode reason) {
        return reason.isError() ? SUBACK_FAILURE : reason.code();
    }

    static ReasonCode readSuback(WireReader in) {
        int code = in.u8();
        if (code == SUBACK_FAILURE) {
            return ReasonCode.UNSPECIFIED_ERROR;
        }
        if (code > QoS.EXACTLY_ONCE.code()) {
            throw malformed("unknown return code of SUBACK");
        }
        return ReasonCode.granted(QoS.of(code));
    }
}
