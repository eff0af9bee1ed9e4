package io.tributary.common.mqtt;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An MQTT control packet of any version, decoded and well formed. In MQTT 3 all properties are absent and reason codes
 * are {@link ReasonCode#SUCCESS}, except CONNACK's and SUBACK's, which are given as their MQTT 5 equivalents; the codec
 * translates them. Arrays are not copied: the creator of a packet must not write to them afterwards.
 */
@SuppressWarnings("ArrayRecordComponent") // packets are short-lived; tests compare them field by field
public sealed interface MqttPacket {

    /** The value of an interval or limit property that is absent. */
    long ABSENT = -1;

    /**
     * CONNECT.
     *
     * @param cleanStart clean start, in MQTT 3 clean session
     * @param keepAliveSeconds 0 turns keep alive off
     * @param clientId the client identifier, empty when the broker shall assign one
     * @param will the will, or null
     * @param properties the MQTT 5 properties; in MQTT 3 the session expiry interval is 0 with clean session and
     *     4,294,967,295 (never) without
     */
    record Connect(
            ProtocolVersion version,
            boolean cleanStart,
            int keepAliveSeconds,
            String clientId,
            @Nullable Will will,
            @Nullable String userName,
            byte @Nullable [] password,
            ConnectProperties properties)
            implements MqttPacket {}

    /**
     * The properties of CONNECT, with MQTT's defaults where a client sent none.
     *
     * @param sessionExpirySeconds 0 to 4,294,967,295 (never)
     * @param receiveMaximum 1 to 65,535
     * @param maximumPacketSize in bytes; 268,435,460 (the largest packet MQTT has) when absent
     * @param topicAliasMaximum 0 to 65,535
     */
    record ConnectProperties(
            long sessionExpirySeconds,
            int receiveMaximum,
            int maximumPacketSize,
            int topicAliasMaximum,
            boolean requestResponseInformation,
            boolean requestProblemInformation,
            @Nullable String authenticationMethod,
            byte @Nullable [] authenticationData,
            List<UserProperty> userProperties) {

        /** The session expiry interval of a session that never expires. */
        public static final long NEVER_EXPIRES = 0xFFFF_FFFFL;

        /** The size of the largest packet that MQTT can express, in bytes. */
        public static final int LARGEST_PACKET = 268_435_460;

        /** What an MQTT 3 client has, or an MQTT 5 client that sent no properties. */
        public static ConnectProperties defaults(long sessionExpirySeconds) {
            return new ConnectProperties(
                    sessionExpirySeconds, 65_535, LARGEST_PACKET, 0, false, true, null, null, List.of());
        }
    }

    /** CONNACK. */
    record Connack(boolean sessionPresent, ReasonCode reason, ConnackProperties properties) implements MqttPacket {}

    /**
     * The properties of CONNACK; {@link #ABSENT} or null leaves a property out.
     *
     * @param maximumQos null when all three are available
     */
    record ConnackProperties(
            long sessionExpirySeconds,
            long receiveMaximum,
            @Nullable QoS maximumQos,
            boolean retainAvailable,
            long maximumPacketSize,
            @Nullable String assignedClientId,
            long topicAliasMaximum,
            @Nullable String reasonString,
            List<UserProperty> userProperties,
            boolean wildcardSubscriptionAvailable,
            boolean subscriptionIdentifiersAvailable,
            boolean sharedSubscriptionAvailable,
            long serverKeepAlive,
            @Nullable String responseInformation,
            @Nullable String serverReference,
            @Nullable String authenticationMethod,
            byte @Nullable [] authenticationData) {

        /** A CONNACK without properties but perhaps a reason string, as refusals have. */
        public static ConnackProperties reason(@Nullable String reasonString) {
            return refusal(reasonString, null);
        }

        /** Those of a refusal, which may say where the client shall go instead. */
        public static ConnackProperties refusal(@Nullable String reasonString, @Nullable String serverReference) {
            return new ConnackProperties(
                    ABSENT,
                    ABSENT,
                    null,
                    true,
                    ABSENT,
                    null,
                    ABSENT,
                    reasonString,
                    List.of(),
                    true,
                    true,
                    true,
                    ABSENT,
                    null,
                    serverReference,
                    null,
                    null);
        }
    }

    /**
     * PUBLISH.
     *
     * @param packetId 1 to 65,535, or 0 with QoS 0
     * @param topic the topic name; empty when only the alias names it
     * @param topicAlias 1 to 65,535, or 0 for none
     * @param messageExpirySeconds the expiry interval, or {@link #ABSENT}
     * @param subscriptionIds towards a client, the identifiers of the subscriptions that matched; empty from a client
     */
    record Publish(
            String topic,
            byte[] payload,
            QoS qos,
            boolean retain,
            boolean dup,
            int packetId,
            int topicAlias,
            long messageExpirySeconds,
            PublishProperties properties,
            List<Integer> subscriptionIds)
            implements MqttPacket {}

    /** PUBACK, PUBREC, PUBREL or PUBCOMP: the acknowledgements of one message. */
    sealed interface Acknowledgement extends MqttPacket {
        /** The identifier of the packet that is acknowledged, 1 to 65,535. */
        int packetId();

        /** The outcome. */
        ReasonCode reason();

        /** Words for a developer, or null. */
        @Nullable
        String reasonString();

        /** The user properties, in order. */
        List<UserProperty> userProperties();
    }

    /** PUBACK: the answer to a QoS 1 PUBLISH. */
    record Puback(int packetId, ReasonCode reason, @Nullable String reasonString, List<UserProperty> userProperties)
            implements Acknowledgement {}

    /** PUBREC: the first answer to a QoS 2 PUBLISH. */
    record Pubrec(int packetId, ReasonCode reason, @Nullable String reasonString, List<UserProperty> userProperties)
            implements Acknowledgement {}

    /** PUBREL: the answer to PUBREC. */
    record Pubrel(int packetId, ReasonCode reason, @Nullable String reasonString, List<UserProperty> userProperties)
            implements Acknowledgement {}

    /** PUBCOMP: the answer to PUBREL, and the end of a QoS 2 exchange. */
    record Pubcomp(
            int packetId, ReasonCode reason, @Nullable String reasonString, List<UserProperty> userProperties)
            implements Acknowledgement {}

    /**
     * SUBSCRIBE.
     *
     * @param subscriptions at least one
     * @param subscriptionId 1 to 268,435,455, or 0 for none
     */
    record Subscribe(
            int packetId, List<Subscription> subscriptions, int subscriptionId, List<UserProperty> userProperties)
            implements MqttPacket {}

    /** SUBACK; one reason for each subscription, in their order. */
    record Suback(
            int packetId,
            List<ReasonCode> reasons,
            @Nullable String reasonString,
            List<UserProperty> userProperties) implements MqttPacket {}

    /** UNSUBSCRIBE; at least one filter. */
    record Unsubscribe(int packetId, List<String> filters, List<UserProperty> userProperties) implements MqttPacket {}

    /** UNSUBACK; one reason for each filter, in their order. */
    record Unsuback(
            int packetId,
            List<ReasonCode> reasons,
            @Nullable String reasonString,
            List<UserProperty> userProperties) implements MqttPacket {}

    /** PINGREQ. */
    record Pingreq() implements MqttPacket {}

    /** PINGRESP. */
    record Pingresp() implements MqttPacket {}

    /**
     * DISCONNECT.
     *
     * @param sessionExpirySeconds the new session expiry interval, or {@link #ABSENT}
     */
    record Disconnect(
            ReasonCode reason,
            long sessionExpirySeconds,
            @Nullable String reasonString,
            @Nullable String serverReference,
            List<UserProperty> userProperties)
            implements MqttPacket {}

    /** AUTH: one step of an enhanced authentication (MQTT 5 only). */
    record Auth(
            ReasonCode reason,
            @Nullable String authenticationMethod,
            byte @Nullable [] authenticationData,
            @Nullable String reasonString,
            List<UserProperty> userProperties)
            implements MqttPacket {}
}
