package io.tributary.broker.security;

import io.tributary.common.mqtt.QoS;

/**
 * Whether a client may subscribe.
 *
 * @param extent how much of what it asks for it gets
 * @param maxQos the QoS of the subscription: that which was asked for, or what the rule allows when that is less
 * @param reason what decides, such as the rule {@code devices.rules[2]}; for logs
 */
public record SubscriptionDecision(Extent extent, QoS maxQos, String reason) {

    /** How much of a topic filter a client may read. */
    public enum Extent {
        /** All topics that the filter matches. */
        WHOLE,
        /** Not all, or it is not known: {@link Permissions#mayReceive} is to be asked about each message. */
        CUT,
        /** Too little to subscribe. */
        REFUSED
    }

    /** Whether a subscription with that QoS may stay as it is. */
    public boolean leaves(QoS qos) {
        return granted() && maxQos.compareTo(qos) >= 0;
    }

    /** Whether there is to be a subscription. */
    public boolean granted() {
        return extent != Extent.REFUSED;
    }
}
