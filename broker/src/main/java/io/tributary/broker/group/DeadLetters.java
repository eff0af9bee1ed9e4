package io.tributary.broker.group;

import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.common.topic.TopicFilter;
import io.tributary.common.topic.TopicLimits;
import io.tributary.common.topic.TopicName;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is published of a message of a shared subscription that its members leave unacknowledged time and again. The topic is
 * {@code $dead-letter/<name of the shared subscription>/<topic>}; two user properties are added, all else stays as it is.
 */
final class DeadLetters {
    private static final String PREFIX = "$dead-letter/";
    private static final String SUBSCRIPTION = "dead-letter-subscription";
    private static final String DELIVERIES = "dead-letter-deliveries";

    private DeadLetters() {}

    /** Whether a message has been put aside once: it is not again. */
    static boolean isOne(Message message) {
        return message.topic().startsWith(PREFIX);
    }

    /**
     * What to publish of a message.
     *
     * @param group the shared subscription as clients write it
     * @param deliveries how often it was sent
     * @return null when its topic would be longer than a topic can be
     */
    static @Nullable Message of(Queued queued, String group, int deliveries) {
        Message message = queued.message();
        String topic = PREFIX + TopicFilter.parse(group).shareName() + '/' + message.topic();
        if (!TopicName.isValid(topic, TopicLimits.MQTT)) {
            return null;
        }
        PublishProperties properties = message.properties();
        List<UserProperty> all = new ArrayList<>(properties.userProperties());
        all.add(new UserProperty(SUBSCRIPTION, group));
        all.add(new UserProperty(DELIVERIES, String.valueOf(deliveries)));
        return new Message(
                topic,
                message.payload(),
                QoS.AT_LEAST_ONCE,
                false,
                new PublishProperties(
                        properties.payloadFormat(),
                        properties.contentType(),
                        properties.responseTopic(),
                        properties.correlationData(),
                        all),
                message.expiresAtMillis(),
                message.publisher());
    }
}
