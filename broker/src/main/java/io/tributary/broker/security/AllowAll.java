package io.tributary.broker.security;

import io.tributary.broker.security.SubscriptionDecision.Extent;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicName;
import org.jspecify.annotations.Nullable;

/** The authorizer of a broker that has none configured, and what each client may do then. */
enum AllowAll implements Authorizer, Permissions {
    INSTANCE;

    @Override
    public boolean mayPublish(ClientInfo client, String topic, QoS qos, boolean retain) {
        return !TopicName.isReserved(TenantNames.visible(topic));
    }

    @Override
    public boolean maySubscribe(ClientInfo client, String topicFilter, QoS qos) {
        return true;
    }

    @Override
    public boolean mayReceive(ClientInfo client, String topic) {
        return true;
    }

    @Override
    public Permissions bind(ClientInfo client) {
        return this;
    }

    @Override
    public Decision mayPublish(String topic, QoS qos, boolean retain) {
        return TopicName.isReserved(TenantNames.visible(topic)) ? Decision.RESERVED : Decision.ALLOWED;
    }

    @Override
    public SubscriptionDecision maySubscribe(String topicFilter, QoS qos) {
        return new SubscriptionDecision(Extent.WHOLE, qos, Decision.ALLOWED.reason());
    }

    @Override
    public Decision mayReceive(String topic) {
        return Decision.ALLOWED;
    }

    @Override
    public @Nullable Permissions reading(String topicFilter) {
        return null;
    }
}
