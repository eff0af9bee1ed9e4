package io.tributary.common.codec;

import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.QoS;
import java.util.List;

/**
 * The parts of a PUBLISH that differ from one receiver of the same message to the next.
 *
 * @param qos the quality of service of this delivery
 * @param retain the RETAIN flag as this receiver shall see it
 * @param dup whether this is a repetition
 * @param packetId 1 to 65,535, or 0 with QoS 0
 * @param topicAlias 1 to 65,535, or 0 for none
 * @param sendTopic whether the topic is written out; false is only allowed with an alias that the receiver knows
 * @param messageExpirySeconds what is left of the expiry interval, or {@link MqttPacket#ABSENT}
 * @param subscriptionIds the identifiers of the subscriptions that matched
 */
public record PublishVariant(
        QoS qos,
        boolean retain,
        boolean dup,
        int packetId,
        int topicAlias,
        boolean sendTopic,
        long messageExpirySeconds,
        List<Integer> subscriptionIds) {

    /** Checks that packet identifier, alias and flags fit each other. */
    public PublishVariant {
        if (packetId < 0 || packetId > 65_535 || (packetId != 0) != qos.isAcknowledged()) {
            throw new IllegalArgumentException("packet id " + packetId + " with " + qos); // [MQTT-2.2.1-2, 2.2.1-4]
        }
        if (topicAlias < 0 || topicAlias > 65_535 || (topicAlias == 0 && !sendTopic)) {
            throw new IllegalArgumentException("topic alias " + topicAlias + ", topic sent: " + sendTopic);
        }
        if (dup && !qos.isAcknowledged()) {
            throw new IllegalArgumentException("DUP with QoS 0"); // [MQTT-3.3.1-2]
        }
    }

    /** A delivery without anything that only MQTT 5 has. */
    public static PublishVariant plain(QoS qos, boolean retain, boolean dup, int packetId) {
        return new PublishVariant(qos, retain, dup, packetId, 0, true, MqttPacket.ABSENT, List.of());
    }
}
