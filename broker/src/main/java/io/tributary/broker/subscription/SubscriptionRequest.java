package io.tributary.broker.subscription;

import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;

/**
 * A subscription that is to be made; the fields are those of SUBSCRIBE.
 *
 * @param subscriptionId 1 to 268,435,455, or 0 for none
 */
public record SubscriptionRequest(
        TopicFilter filter, QoS qos, boolean noLocal, boolean retainAsPublished, int subscriptionId) {

    /** The outcome of a request. */
    public enum Outcome {
        /** The subscription is new. */
        CREATED,
        /** The subscription replaced another of the same client with the same filter. */
        REPLACED,
        /** The client has as many subscriptions as it may, or this one is too long. */
        QUOTA_EXCEEDED,
        /** The sessions of the client's tenant have, together, as many as they may. */
        TENANT_QUOTA_EXCEEDED,
        /** All subscriptions that the node knows take, together, as much memory as they may. */
        NODE_QUOTA_EXCEEDED,
        /** Applications were to share it, and nobody hands out its messages. */
        NOT_SHARED;

        /** Whether the subscription is there. */
        public boolean isMade() {
            return this == CREATED || this == REPLACED;
        }
    }

    /** The same with a maximum quality of service that is no higher. */
    public SubscriptionRequest atMost(QoS limit) {
        return new SubscriptionRequest(filter, qos.min(limit), noLocal, retainAsPublished, subscriptionId);
    }
}
