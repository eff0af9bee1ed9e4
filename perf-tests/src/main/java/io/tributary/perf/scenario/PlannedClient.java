package io.tributary.perf.scenario;

import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One client of a plan.
 *
 * @param number its number among all clients of the scenario
 * @param index its number in its group
 * @param clientId its client identifier, different in each run
 * @param firstSource the source that its first topic is
 */
public record PlannedClient(int number, Group group, int index, String clientId, int firstSource) {

    /** Its subscriptions. */
    public List<Subscription> subscriptions() {
        return group.subscribe().stream()
                .map(one -> new Subscription(
                        Template.fill(one.filter(), index, 0),
                        QoS.of(one.qos()),
                        false,
                        false,
                        RetainHandling.DO_NOT_SEND))
                .toList();
    }

    /** Where answers to what it publishes go; null for nowhere. */
    public @Nullable String responseTopic() {
        PublishOptions publish = group.publish();
        String template = publish == null ? null : publish.responseTopic();
        return template == null ? null : Template.fill(template, index, 0);
    }

    /** The name of one of the topics that it publishes to. */
    public String topic(int topic) {
        PublishOptions publish = group.publish();
        if (publish == null) {
            throw new IllegalStateException(clientId + " does not publish");
        }
        return Template.fill(publish.topic(), index, topic);
    }
}
