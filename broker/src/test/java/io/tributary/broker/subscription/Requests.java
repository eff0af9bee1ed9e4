package io.tributary.broker.subscription;

import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;

/** Subscription requests in short. */
final class Requests {

    private Requests() {}

    static SubscriptionRequest request(String filter) {
        return request(filter, QoS.AT_LEAST_ONCE);
    }

    static SubscriptionRequest request(String filter, QoS qos) {
        return new SubscriptionRequest(TopicFilter.parseStored(filter), qos, false, false, 0);
    }

    static SubscriptionRequest withId(String filter, QoS qos, int id) {
        return new SubscriptionRequest(TopicFilter.parseStored(filter), qos, false, false, id);
    }

    static SubscriptionRequest noLocal(String filter) {
        return new SubscriptionRequest(TopicFilter.parseStored(filter), QoS.AT_LEAST_ONCE, true, false, 0);
    }
}
