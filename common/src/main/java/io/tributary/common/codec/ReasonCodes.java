package io.tributary.common.codec;

import static io.tributary.common.mqtt.ReasonCode.ADMINISTRATIVE_ACTION;
import static io.tributary.common.mqtt.ReasonCode.BAD_AUTHENTICATION_METHOD;
import static io.tributary.common.mqtt.ReasonCode.BAD_USER_NAME_OR_PASSWORD;
import static io.tributary.common.mqtt.ReasonCode.BANNED;
import static io.tributary.common.mqtt.ReasonCode.CLIENT_IDENTIFIER_NOT_VALID;
import static io.tributary.common.mqtt.ReasonCode.CONNECTION_RATE_EXCEEDED;
import static io.tributary.common.mqtt.ReasonCode.CONTINUE_AUTHENTICATION;
import static io.tributary.common.mqtt.ReasonCode.DISCONNECT_WITH_WILL;
import static io.tributary.common.mqtt.ReasonCode.GRANTED_QOS_1;
import static io.tributary.common.mqtt.ReasonCode.GRANTED_QOS_2;
import static io.tributary.common.mqtt.ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR;
import static io.tributary.common.mqtt.ReasonCode.KEEP_ALIVE_TIMEOUT;
import static io.tributary.common.mqtt.ReasonCode.MALFORMED_PACKET;
import static io.tributary.common.mqtt.ReasonCode.MAXIMUM_CONNECT_TIME;
import static io.tributary.common.mqtt.ReasonCode.MESSAGE_RATE_TOO_HIGH;
import static io.tributary.common.mqtt.ReasonCode.NOT_AUTHORIZED;
import static io.tributary.common.mqtt.ReasonCode.NO_MATCHING_SUBSCRIBERS;
import static io.tributary.common.mqtt.ReasonCode.NO_SUBSCRIPTION_EXISTED;
import static io.tributary.common.mqtt.ReasonCode.PACKET_IDENTIFIER_IN_USE;
import static io.tributary.common.mqtt.ReasonCode.PACKET_IDENTIFIER_NOT_FOUND;
import static io.tributary.common.mqtt.ReasonCode.PACKET_TOO_LARGE;
import static io.tributary.common.mqtt.ReasonCode.PAYLOAD_FORMAT_INVALID;
import static io.tributary.common.mqtt.ReasonCode.PROTOCOL_ERROR;
import static io.tributary.common.mqtt.ReasonCode.QOS_NOT_SUPPORTED;
import static io.tributary.common.mqtt.ReasonCode.QUOTA_EXCEEDED;
import static io.tributary.common.mqtt.ReasonCode.RECEIVE_MAXIMUM_EXCEEDED;
import static io.tributary.common.mqtt.ReasonCode.RETAIN_NOT_SUPPORTED;
import static io.tributary.common.mqtt.ReasonCode.RE_AUTHENTICATE;
import static io.tributary.common.mqtt.ReasonCode.SERVER_BUSY;
import static io.tributary.common.mqtt.ReasonCode.SERVER_MOVED;
import static io.tributary.common.mqtt.ReasonCode.SERVER_SHUTTING_DOWN;
import static io.tributary.common.mqtt.ReasonCode.SERVER_UNAVAILABLE;
import static io.tributary.common.mqtt.ReasonCode.SESSION_TAKEN_OVER;
import static io.tributary.common.mqtt.ReasonCode.SHARED_SUBSCRIPTIONS_NOT_SUPPORTED;
import static io.tributary.common.mqtt.ReasonCode.SUBSCRIPTION_IDENTIFIERS_NOT_SUPPORTED;
import static io.tributary.common.mqtt.ReasonCode.SUCCESS;
import static io.tributary.common.mqtt.ReasonCode.TOPIC_ALIAS_INVALID;
import static io.tributary.common.mqtt.ReasonCode.TOPIC_FILTER_INVALID;
import static io.tributary.common.mqtt.ReasonCode.TOPIC_NAME_INVALID;
import static io.tributary.common.mqtt.ReasonCode.UNSPECIFIED_ERROR;
import static io.tributary.common.mqtt.ReasonCode.UNSUPPORTED_PROTOCOL_VERSION;
import static io.tributary.common.mqtt.ReasonCode.USE_ANOTHER_SERVER;
import static io.tributary.common.mqtt.ReasonCode.WILDCARD_SUBSCRIPTIONS_NOT_SUPPORTED;

/** The reason codes that each type of packet may carry, by the tables of sections 3.2.2.2 to 3.15.2.1. */
final class ReasonCodes {
    static final ReasonCodeSet CONNACK = ReasonCodeSet.of(
            SUCCESS,
            UNSPECIFIED_ERROR,
            MALFORMED_PACKET,
            PROTOCOL_ERROR,
            IMPLEMENTATION_SPECIFIC_ERROR,
            UNSUPPORTED_PROTOCOL_VERSION,
            CLIENT_IDENTIFIER_NOT_VALID,
            BAD_USER_NAME_OR_PASSWORD,
            NOT_AUTHORIZED,
            SERVER_UNAVAILABLE,
            SERVER_BUSY,
            BANNED,
            BAD_AUTHENTICATION_METHOD,
            TOPIC_NAME_INVALID,
            PACKET_TOO_LARGE,
            QUOTA_EXCEEDED,
            PAYLOAD_FORMAT_INVALID,
            RETAIN_NOT_SUPPORTED,
            QOS_NOT_SUPPORTED,
            USE_ANOTHER_SERVER,
            SERVER_MOVED,
            CONNECTION_RATE_EXCEEDED);

    static final ReasonCodeSet PUBACK_FROM_CLIENT = ReasonCodeSet.of(
            SUCCESS,
            UNSPECIFIED_ERROR,
            IMPLEMENTATION_SPECIFIC_ERROR,
            NOT_AUTHORIZED,
            TOPIC_NAME_INVALID,
            PACKET_IDENTIFIER_IN_USE,
            QUOTA_EXCEEDED,
            PAYLOAD_FORMAT_INVALID);
    static final ReasonCodeSet PUBACK_FROM_SERVER = PUBACK_FROM_CLIENT.and(NO_MATCHING_SUBSCRIBERS);
    static final ReasonCodeSet PUBREL = ReasonCodeSet.of(SUCCESS, PACKET_IDENTIFIER_NOT_FOUND);

    static final ReasonCodeSet SUBACK = ReasonCodeSet.of(
            SUCCESS,
            GRANTED_QOS_1,
            GRANTED_QOS_2,
            UNSPECIFIED_ERROR,
            IMPLEMENTATION_SPECIFIC_ERROR,
            NOT_AUTHORIZED,
            TOPIC_FILTER_INVALID,
            PACKET_IDENTIFIER_IN_USE,
            QUOTA_EXCEEDED,
            SHARED_SUBSCRIPTIONS_NOT_SUPPORTED,
            SUBSCRIPTION_IDENTIFIERS_NOT_SUPPORTED,
            WILDCARD_SUBSCRIPTIONS_NOT_SUPPORTED);
    static final ReasonCodeSet UNSUBACK = ReasonCodeSet.of(
            SUCCESS,
            NO_SUBSCRIPTION_EXISTED,
            UNSPECIFIED_ERROR,
            IMPLEMENTATION_SPECIFIC_ERROR,
            NOT_AUTHORIZED,
            TOPIC_FILTER_INVALID,
            PACKET_IDENTIFIER_IN_USE);

    private static final ReasonCodeSet DISCONNECT_FROM_ANYBODY = ReasonCodeSet.of(
            SUCCESS,
            UNSPECIFIED_ERROR,
            MALFORMED_PACKET,
            PROTOCOL_ERROR,
            IMPLEMENTATION_SPECIFIC_ERROR,
            TOPIC_NAME_INVALID,
            RECEIVE_MAXIMUM_EXCEEDED,
            TOPIC_ALIAS_INVALID,
            PACKET_TOO_LARGE,
            MESSAGE_RATE_TOO_HIGH,
            QUOTA_EXCEEDED,
            ADMINISTRATIVE_ACTION,
            PAYLOAD_FORMAT_INVALID);
    static final ReasonCodeSet DISCONNECT_FROM_CLIENT = DISCONNECT_FROM_ANYBODY.and(DISCONNECT_WITH_WILL);
    static final ReasonCodeSet DISCONNECT_FROM_SERVER = DISCONNECT_FROM_ANYBODY.and(
            NOT_AUTHORIZED,
            SERVER_BUSY,
            SERVER_SHUTTING_DOWN,
            KEEP_ALIVE_TIMEOUT,
            SESSION_TAKEN_OVER,
            TOPIC_FILTER_INVALID,
            RETAIN_NOT_SUPPORTED,
            QOS_NOT_SUPPORTED,
            USE_ANOTHER_SERVER,
            SERVER_MOVED,
            SHARED_SUBSCRIPTIONS_NOT_SUPPORTED,
            CONNECTION_RATE_EXCEEDED,
            MAXIMUM_CONNECT_TIME,
            SUBSCRIPTION_IDENTIFIERS_NOT_SUPPORTED,
            WILDCARD_SUBSCRIPTIONS_NOT_SUPPORTED);

    static final ReasonCodeSet AUTH_FROM_CLIENT = ReasonCodeSet.of(CONTINUE_AUTHENTICATION, RE_AUTHENTICATE);
    static final ReasonCodeSet AUTH_FROM_SERVER = ReasonCodeSet.of(SUCCESS, CONTINUE_AUTHENTICATION);

    private ReasonCodes() {}
}
