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
     * The grant of overlapping subscriptions, each with its own: one copy, at the highest QoS, with all identifiers
     * [MQTT-3.3.4-2, MQTT-3.3.4-4].
     */
    static Grant merge(List<Grant> grants) {
        QoS highest = QoS.AT_MOST_ONCE;
        boolean isAsPublished = false;
        List<Integer> ids = new ArrayList<>(grants.size());
        for (Grant grant : grants) {
            highest = highest.max(grant.qos);
            isAsPublished |= grant.retainAsPublished;
            ids.addAll(grant.subscriptionIds);
        }
        return ids.isEmpty()
                ? of(highest, isAsPublished, 0)
                : new Grant(
                        highest,
                        isAsPublished,
                        List.copyOf(ids.subList(0, Math.min(ids.size(), MOST_SUBSCRIPTION_IDS))));
    }

    /** How many identifiers a copy has at most: so many that only a client that is up to no good misses one. */
    static final int MOST_SUBSCRIPTION_IDS = 4_096;
}
