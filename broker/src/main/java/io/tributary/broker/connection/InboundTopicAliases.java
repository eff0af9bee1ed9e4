package io.tributary.broker.connection;

import io.netty.util.collection.IntObjectHashMap;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.ReasonCode;
import org.jspecify.annotations.Nullable;

/**
 * Which topic a PUBLISH means: the name that the topic has inside the broker, by name or by an alias that the client
 * has set. Aliases live with the connection [MQTT-3.3.2-7], and what their topics take is bounded. Confined to the
 * event loop.
 */
final class InboundTopicAliases {
    /** How many characters the topics of all aliases have together, at least; where there is one, it may have more. */
    private static final int LEAST_ROOM = 64 << 10;
    /** The same for each alias that the client may use. */
    private static final int ROOM_OF_EACH = 256;

    private final int maximum;
    private final int room;
    private final @Nullable OfTenant tenant;
    private final IntObjectHashMap<String> topics = new IntObjectHashMap<>(0);
    private int characters;

    InboundTopicAliases(int maximum, @Nullable String tenant) {
        this.maximum = maximum;
        room = Math.max(LEAST_ROOM, ROOM_OF_EACH * maximum);
        this.tenant = tenant == null ? null : new OfTenant(tenant);
    }

    /**
     * The topic that a PUBLISH means.
     *
     * @throws MqttException when the alias is out of range or was never set, or the topics of all are too long
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
            set(alias, set);
            return set;
        }
        String topic = topics.get(alias);
        if (topic == null) {
            throw new MqttException(ReasonCode.PROTOCOL_ERROR, "topic alias was never set");
        }
        return topic;
    }

    /** Before anybody asks whether the client may publish there: refused or not, a PUBLISH sets its alias. */
    private void set(int alias, String topic) {
        String before = topics.put(alias, topic); // [MQTT-3.3.2-12]
        characters += topic.length() - (before == null ? 0 : before.length());
        if (characters > room && topics.size() > 1) {
            throw new MqttException(
                    ReasonCode.QUOTA_EXCEEDED, "topics of topic aliases have more than " + room + " characters");
        }
    }

    private String inside(String topic) {
        return tenant == null ? topic : tenant.inside(topic);
    }

    /** The topics of a client of a tenant, which often publishes to the same one again and again. */
    private static final class OfTenant {
        /** A longer topic is not remembered: it takes memory for as long as the client is connected. */
        private static final int LONGEST = 1024;

        private final String tenant;
        private @Nullable String last;
        private String lastInside = "";

        OfTenant(String tenant) {
            this.tenant = tenant;
        }

        String inside(String topic) {
            if (topic.length() > LONGEST) {
                return TenantNames.topic(tenant, topic);
            }
            if (!topic.equals(last)) {
                last = topic;
                lastInside = TenantNames.topic(tenant, topic);
            }
            return lastInside;
        }
    }
}
