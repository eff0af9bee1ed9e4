package io.tributary.broker.connection;

import io.netty.util.collection.IntObjectHashMap;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.ReasonCode;

/**
 * The topic aliases that a client has set; they live with the connection [MQTT-3.3.2-7]. Confined to the event loop.
 */
final class InboundTopicAliases {
    private final int maximum;
    private final IntObjectHashMap<String> topics = new IntObjectHashMap<>(0);

    InboundTopicAliases(int maximum) {
        this.maximum = maximum;
    }

    /**
     * The topic that a PUBLISH means, by name or alias.
     *
     * @throws MqttException when the alias is out of range or was never set
     */
    String resolve(Publish packet) {
        int alias = packet.topicAlias();
        if (alias == 0) {
            return packet.topic();
        }
        if (alias > maximum) {
            throw new MqttException(
                    ReasonCode.TOPIC_ALIAS_INVALID, "topic alias is above " + maximum); // [MQTT-3.3.2-9]
        }
        if (!packet.topic().isEmpty()) {
            topics.put(alias, packet.topic()); // [MQTT-3.3.2-12]
            return packet.topic();
        }
        String topic = topics.get(alias);
        if (topic == null) {
            throw new MqttException(ReasonCode.PROTOCOL_ERROR, "topic alias was never set");
        }
        return topic;
    }
}
