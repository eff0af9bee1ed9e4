package io.tributary.broker.connection;

import io.netty.util.collection.IntObjectHashMap;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.ReasonCode;
import org.jspecify.annotations.Nullable;

/**
 * Which topic a PUBLISH means: the name that the topic has inside the broker, by name or by an alias that the client
 * has set. Aliases live with the connection [MQTT-3.3.2-7]. Confined to the event loop.
 */
final class InboundTopicAliases {
    private final int maximum;
    private final @Nullable OfTenant tenant;
    private final IntObjectHashMap<String> topics = new IntObjectHashMap<>(0);

    InboundTopicAliases(int maximum, @Nullable String tenant) {
        this.maximum = maximum;
        this.tenant = tenant == null ? null : new OfTenant(tenant);
    }

    /**
     * The topic that a PUBLISH means.
     *
     * @throws MqttException when the alias is out of range or was never set
     */
    String resolve(Publish packet) {
        int alias = packet.topicAlias();
        if (alias == 0) {
            return inside(packet.topic());
        }
        if (alias > maximum) {
            throw new MqttException(
                    ReasonCode.TOPIC_ALIAS_INVALID, "topic alias is above " + maximum); // [MQTT-3.3.2-9]
        }
        if (!packet.topic().isEmpty()) {
            String set = inside(packet.topic());
            topics.put(alias, set); // [MQTT-3.3.2-12]
            return set;
        }
        String topic = topics.get(alias);
        if (topic == null) {
            throw new MqttException(ReasonCode.PROTOCOL_ERROR, "topic alias was never set");
        }
        return topic;
    }

    private String inside(String topic) {
        return tenant == null ? topic : tenant.inside(topic);
    }

    /** The topics of a client of a tenant, which often publishes to the same one again and again. */
    private static final class OfTenant {
        private final String tenant;
        private @Nullable String last;
        private String lastInside = "";

        OfTenant(String tenant) {
            this.tenant = tenant;
        }

        String inside(String topic) {
            if (!topic.equals(last)) {
                last = topic;
                lastInside = TenantNames.topic(tenant, topic);
            }
            return lastInside;
        }
    }
}
