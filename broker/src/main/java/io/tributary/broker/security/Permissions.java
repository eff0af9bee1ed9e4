package io.tributary.broker.security;

import io.tributary.broker.security.SubscriptionDecision.Extent;
import io.tributary.common.mqtt.QoS;
import org.jspecify.annotations.Nullable;

/**
 * What one client may do, at the moment of the question: an {@link Authorizer} with the client put in. No answer
 * blocks, none throws, and what fails is a no.
 */
public interface Permissions {
    /** Whether the client may publish such a message; also as its will. */
    Decision mayPublish(String topic, QoS qos, boolean retain);

    /**
     * Whether the client may subscribe.
     *
     * @param topicFilter a valid one, without {@code $share/NAME/}
     * @param qos the QoS that the client asks for
     */
    SubscriptionDecision maySubscribe(String topicFilter, QoS qos);

    /** Whether the client may receive what is published on a topic, whichever of its subscriptions matches. */
    Decision mayReceive(String topic);

    /**
     * What is to be asked about each message that a subscription brings which is there already: null for nothing, as
     * all may be received.
     *
     * @param topicFilter as in {@link #maySubscribe}
     */
    @Nullable
    Permissions reading(String topicFilter);

    /**
     * What is left of the right to a subscription that is there: refused when it is to be removed, or the QoS to which
     * it is to be lowered. Where that cannot be told, all of it is left: what is taken from a client is taken for good.
     *
     * @param topicFilter as in {@link #maySubscribe}
     * @param qos that of the subscription
     */
    default SubscriptionDecision standing(String topicFilter, QoS qos) {
        return new SubscriptionDecision(Extent.CUT, qos, "it is not known");
    }

    /** Those of a client that may do nothing; one object. */
    static Permissions nothing() {
        return NoPermissions.INSTANCE;
    }

    /** The same for one thread, or one after the other, with a memory of the topics that it was asked about last. */
    default Permissions remembering() {
        return this;
    }
}
