package io.tributary.broker.security.rules;

import io.tributary.broker.security.Decision;
import io.tributary.broker.security.Permissions;
import io.tributary.broker.security.SubscriptionDecision;
import io.tributary.common.mqtt.QoS;
import org.jspecify.annotations.Nullable;

/**
 * What a connected client may do, with a memory of the topics that it last published to and was sent messages of. Rules
 * that are replaced empty the memory. For one thread, or one after the other.
 */
final class RememberingPermissions implements Permissions {
    private final RulePermissions permissions;
    private final TopicMemory published = new TopicMemory();
    private final TopicMemory received = new TopicMemory();

    RememberingPermissions(RulePermissions permissions) {
        this.permissions = permissions;
    }

    @Override
    public Decision mayPublish(String topic, QoS qos, boolean retain) {
        BoundRules now = permissions.bound();
        if (permissions.isWithoutRules(now)) {
            return RulePermissions.withoutRules(topic);
        }
        OfRule known = published.find(now.book(), topic, retain);
        if (known == null) {
            known = published.keep(topic, retain, permissions.publishing(now, topic, retain));
        }
        return known.at(qos);
    }

    @Override
    public SubscriptionDecision maySubscribe(String topicFilter, QoS qos) {
        return permissions.maySubscribe(topicFilter, qos);
    }

    @Override
    public Decision mayReceive(String topic) {
        BoundRules now = permissions.bound();
        if (permissions.isWithoutRules(now)) {
            return Decision.ALLOWED;
        }
        OfRule known = received.find(now.book(), topic, false);
        if (known == null) {
            known = received.keep(topic, false, permissions.receiving(now, topic));
        }
        return known.here();
    }

    @Override
    public SubscriptionDecision standing(String topicFilter, QoS qos) {
        return permissions.standing(topicFilter, qos);
    }

    @Override
    public @Nullable Permissions reading(String topicFilter) {
        return permissions.reading(topicFilter);
    }
}
