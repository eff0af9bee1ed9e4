package io.tributary.common.mqtt;

/** The reason codes of MQTT 5 (section 2.4). Codes that MQTT names differently in different packets appear once. */
public enum ReasonCode {
    /** Success, normal disconnection, or QoS 0 granted. */
    SUCCESS(0x00),
    /** SUBACK: QoS 1 granted. */
    GRANTED_QOS_1(0x01),
    /** SUBACK: QoS 2 granted. */
    GRANTED_QOS_2(0x02),
    /** DISCONNECT from a client that wants its will published. */
    DISCONNECT_WITH_WILL(0x04),
    /** PUBACK, PUBREC: accepted, but no client subscribes. */
    NO_MATCHING_SUBSCRIBERS(0x10),
    /** UNSUBACK: there was no such subscription. */
    NO_SUBSCRIPTION_EXISTED(0x11),
    /** AUTH: another step of an enhanced authentication. */
    CONTINUE_AUTHENTICATION(0x18),
    /** AUTH: a client authenticates again. */
    RE_AUTHENTICATE(0x19),
    /** Unspecified error. */
    UNSPECIFIED_ERROR(0x80),
    /** The packet breaks the wire format. */
    MALFORMED_PACKET(0x81),
    /** The packet is well formed but not allowed. */
    PROTOCOL_ERROR(0x82),
    /** Valid, but not accepted by this broker. */
    IMPLEMENTATION_SPECIFIC_ERROR(0x83),
    /** CONNECT asks for an unknown protocol version. */
    UNSUPPORTED_PROTOCOL_VERSION(0x84),
    /** The client identifier is not allowed. */
    CLIENT_IDENTIFIER_NOT_VALID(0x85),
    /** User name or password is wrong. */
    BAD_USER_NAME_OR_PASSWORD(0x86),
    /** The client is not authorised. */
    NOT_AUTHORIZED(0x87),
    /** The broker is not available. */
    SERVER_UNAVAILABLE(0x88),
    /** The broker is busy; try again later. */
    SERVER_BUSY(0x89),
    /** The client is banned. */
    BANNED(0x8A),
    /** The broker shuts down. */
    SERVER_SHUTTING_DOWN(0x8B),
    /** The authentication method is unknown. */
    BAD_AUTHENTICATION_METHOD(0x8C),
    /** Nothing came within one and a half times the keep alive. */
    KEEP_ALIVE_TIMEOUT(0x8D),
    /** Another connection uses the same client identifier now. */
    SESSION_TAKEN_OVER(0x8E),
    /** The topic filter is well formed but not accepted. */
    TOPIC_FILTER_INVALID(0x8F),
    /** The topic name is well formed but not accepted. */
    TOPIC_NAME_INVALID(0x90),
    /** The packet identifier is in use. */
    PACKET_IDENTIFIER_IN_USE(0x91),
    /** The packet identifier is unknown. */
    PACKET_IDENTIFIER_NOT_FOUND(0x92),
    /** More unacknowledged messages than the receive maximum. */
    RECEIVE_MAXIMUM_EXCEEDED(0x93),
    /** The topic alias is out of range or unknown. */
    TOPIC_ALIAS_INVALID(0x94),
    /** The packet is larger than allowed. */
    PACKET_TOO_LARGE(0x95),
    /** Messages come too fast. */
    MESSAGE_RATE_TOO_HIGH(0x96),
    /** A limit of the broker is reached. */
    QUOTA_EXCEEDED(0x97),
    /** Closed by an administrator. */
    ADMINISTRATIVE_ACTION(0x98),
    /** The payload is not in the format it says. */
    PAYLOAD_FORMAT_INVALID(0x99),
    /** The broker does not keep retained messages. */
    RETAIN_NOT_SUPPORTED(0x9A),
    /** The broker does not accept this QoS. */
    QOS_NOT_SUPPORTED(0x9B),
    /** Use another server for now. */
    USE_ANOTHER_SERVER(0x9C),
    /** The server moved for good. */
    SERVER_MOVED(0x9D),
    /** The broker has no shared subscriptions. */
    SHARED_SUBSCRIPTIONS_NOT_SUPPORTED(0x9E),
    /** Connections come too fast. */
    CONNECTION_RATE_EXCEEDED(0x9F),
    /** The connection's maximum time is over. */
    MAXIMUM_CONNECT_TIME(0xA0),
    /** The broker has no subscription identifiers. */
    SUBSCRIPTION_IDENTIFIERS_NOT_SUPPORTED(0xA1),
    /** The broker has no wildcard subscriptions. */
    WILDCARD_SUBSCRIPTIONS_NOT_SUPPORTED(0xA2);

    private final int code;

    ReasonCode(int code) {
        this.code = code;
    }

    /** The number on the wire, 0 to 255. */
    public int code() {
        return code;
    }

    /** Whether the code says that something was refused or went wrong. */
    public boolean isError() {
        return code >= 0x80;
    }

    /** The code in SUBACK that grants the given quality of service. */
    public static ReasonCode granted(QoS qos) {
        return switch (qos) {
            case AT_MOST_ONCE -> SUCCESS;
            case AT_LEAST_ONCE -> GRANTED_QOS_1;
            case EXACTLY_ONCE -> GRANTED_QOS_2;
        };
    }
}
