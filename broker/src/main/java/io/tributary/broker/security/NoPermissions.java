package io.tributary.broker.security;

import io.tributary.broker.security.SubscriptionDecision.Extent;
import io.tributary.common.mqtt.QoS;

/** Those of a client that may do nothing. */
enum NoPermissions implements Permissions {
    INSTANCE;

    private static final Decision NO = new Decision(false, "nothing is allowed");

    @Override
    public Decision mayPublish(String topic, QoS qos, boolean retain) {
        return NO;
    }

    @Override
    public SubscriptionDecision maySubscribe(String topicFilter, QoS qos) {
        return new SubscriptionDecision(Extent.REFUSED, qos, NO.reason());
    }

    @Override
    public Decision mayReceive(String topic) {
        return NO;
    }

    @Override
    public Permissions reading(String topicFilter) {
        return this;
    }
}
