package io.tributary.broker.subscription;

import io.tributary.common.topic.TopicFilter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All subscriptions of one session; immutable.
 *
 * @param identity the session, as in {@link Subscriber}
 */
record SessionSubscriptions(long identity, Map<TopicFilter, SubscriptionRequest> byFilter) {

    SessionSubscriptions {
        byFilter = Map.copyOf(byFilter);
    }

    /** A session without subscriptions. */
    static SessionSubscriptions none(long identity) {
        return new SessionSubscriptions(identity, Map.of());
    }

    boolean isEmpty() {
        return byFilter.isEmpty();
    }

    /** Adds or replaces subscriptions [MQTT-3.8.4-3], as long as there are no more than allowed. */
    Change<Subscriptions.Outcome> subscribe(List<SubscriptionRequest> requests, int maxSubscriptions) {
        Map<TopicFilter, SubscriptionRequest> after = new HashMap<>(byFilter);
        List<Subscriptions.Outcome> outcomes = new ArrayList<>(requests.size());
        for (SubscriptionRequest request : requests) {
            if (after.replace(request.filter(), request) != null) {
                outcomes.add(Subscriptions.Outcome.REPLACED);
            } else if (after.size() >= maxSubscriptions) {
                outcomes.add(Subscriptions.Outcome.QUOTA_EXCEEDED);
            } else {
                after.put(request.filter(), request);
                outcomes.add(Subscriptions.Outcome.CREATED);
            }
        }
        return new Change<>(new SessionSubscriptions(identity, after), outcomes);
    }

    /** Removes subscriptions. */
    Change<Boolean> unsubscribe(List<TopicFilter> filters) {
        Map<TopicFilter, SubscriptionRequest> after = new HashMap<>(byFilter);
        List<Boolean> existed = new ArrayList<>(filters.size());
        for (TopicFilter filter : filters) {
            existed.add(after.remove(filter) != null);
        }
        return new Change<>(new SessionSubscriptions(identity, after), existed);
    }

    /**
     * A decided change.
     *
     * @param after the subscriptions with the change made
     * @param results what to answer to each part of the request
     */
    record Change<R>(SessionSubscriptions after, List<R> results) {
        Change {
            results = List.copyOf(results);
        }
    }
}
