package io.tributary.broker.subscription;

import io.tributary.common.mqtt.QoS;
import java.util.ArrayList;
import java.util.List;

/**
 * How a session gets the messages of a topic: what its matching subscriptions amount to together.
 *
 * @param qos the highest quality of service that they grant
 * @param retainAsPublished whether one of them passes RETAIN on as the publisher set it
 * @param subscriptionIds the identifiers of those that have one, at most 4,096; one that several share appears as often
 */
public record Grant(QoS qos, boolean retainAsPublished, List<Integer> subscriptionIds) {

    private static final Grant[] WITHOUT_ID = {
        new Grant(QoS.AT_MOST_ONCE, false, List.of()),
        new Grant(QoS.AT_LEAST_ONCE, false, List.of()),
        new Grant(QoS.EXACTLY_ONCE, false, List.of()),
        new Grant(QoS.AT_MOST_ONCE, true, List.of()),
        new Grant(QoS.AT_LEAST_ONCE, true, List.of()),
        new Grant(QoS.EXACTLY_ONCE, true, List.of())
    };

    /** The grant of one subscription. */
    static Grant of(SubscriptionRequest request) {
        return of(request.qos(), request.retainAsPublished(), request.subscriptionId());
    }

    /** The grant of one subscription, whose identifier is 0 when it has none; most are one of a few objects. */
    static Grant of(QoS qos, boolean retainAsPublished, int subscriptionId) {
        return subscriptionId == 0
                ? WITHOUT_ID[qos.code() + (retainAsPublished ? WITHOUT_ID.length / 2 : 0)]
                : new Grant(qos, retainAsPublished, List.of(subscriptionId));
    }

    /**
     * The grant of overlapping subscriptions: one copy, at the highest QoS, with all identifiers [MQTT-3.3.4-2,
     * MQTT-3.3.4-4].
     */
    Grant merge(Grant other) {
        return new Grant(
                qos.max(other.qos),
                retainAsPublished || other.retainAsPublished,
                concat(subscriptionIds, other.subscriptionIds));
    }

    /** How many identifiers a copy has at most: so many that only a client that is up to no good misses one. */
    static final int MOST_SUBSCRIPTION_IDS = 4_096;

    private static List<Integer> concat(List<Integer> first, List<Integer> second) {
        if (first.isEmpty()) {
            return second;
        }
        List<Integer> all = new ArrayList<>(first);
        all.addAll(second);
        return List.copyOf(all.subList(0, Math.min(all.size(), MOST_SUBSCRIPTION_IDS)));
    }
}
