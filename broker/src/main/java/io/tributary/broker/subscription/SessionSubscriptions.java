package io.tributary.broker.subscription;

import io.tributary.broker.security.Permissions;
import io.tributary.broker.security.SubscriptionDecision;
import io.tributary.broker.subscription.SubscriptionRequest.Outcome;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.topic.TopicFilter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All subscriptions of one session; immutable. Of one client's, the session decides which are newer, then the
 * connection that changed them last, then the number of the change.
 *
 * @param identity the session, as in {@link Subscriber}
 * @param epoch the epoch of the connection that changed them last; 0 when that is not known, {@link #OVER} when the
 *     session is over
 * @param revision how many changes the connection has made before this one
 * @param kind where the session's messages wait
 * @param principal whose session it is, as far as records say: null in a record of format 1, and when the session is
 *     over
 */
record SessionSubscriptions(
        long identity,
        long epoch,
        int revision,
        ClientKind kind,
        @Nullable Principal principal,
        Map<TopicFilter, SubscriptionRequest> byFilter) {

    /** After every connection. */
    static final long OVER = Long.MAX_VALUE;

    private static final Comparator<SessionSubscriptions> BY_AGE = Comparator.comparingLong(
                    SessionSubscriptions::identity)
            .thenComparingLong(SessionSubscriptions::epoch)
            .thenComparingInt(SessionSubscriptions::revision);

    SessionSubscriptions {
        byFilter = Map.copyOf(byFilter);
    }

    /** A session without subscriptions. */
    static SessionSubscriptions none(long identity) {
        return new SessionSubscriptions(identity, 0, 0, ClientKind.DEVICE, null, Map.of());
    }

    /** The subscriptions of a session that is over: none. */
    static SessionSubscriptions over(long identity) {
        return new SessionSubscriptions(identity, OVER, 0, ClientKind.DEVICE, null, Map.of());
    }

    /** Whether the session is over. */
    boolean isOver() {
        return epoch == OVER;
    }

    boolean isOlderThan(SessionSubscriptions other) {
        return BY_AGE.compare(this, other) < 0;
    }

    /** The same as the change that a connection makes to these. */
    SessionSubscriptions changedBy(long connectionEpoch, SessionSubscriptions after) {
        int next = after.identity == identity && connectionEpoch == epoch ? revision + 1 : 0;
        return new SessionSubscriptions(
                after.identity, connectionEpoch, next, after.kind, after.principal, after.byFilter);
    }

    /** The same of a session whose messages wait there, and which is that principal's. */
    SessionSubscriptions of(ClientKind itsKind, @Nullable Principal itsPrincipal) {
        return new SessionSubscriptions(identity, epoch, revision, itsKind, itsPrincipal, byFilter);
    }

    boolean isEmpty() {
        return byFilter.isEmpty();
    }

    /**
     * Adds or replaces subscriptions [MQTT-3.8.4-3], as long as there is no more than allowed. What is
     * there stays, also when it is more.
     *
     * @param room how many may be added
     * @param admit asked about each that is within these limits: takes room at this node, or tells that there is none
     */
    Change<Outcome> subscribe(
            List<SubscriptionRequest> requests, SubscriptionLimits limits, long room, Predicate<TopicFilter> admit) {
        Map<TopicFilter, SubscriptionRequest> after = new HashMap<>(byFilter);
        Filters filters = new Filters(byFilter.keySet());
        List<Outcome> outcomes = new ArrayList<>(requests.size());
        for (SubscriptionRequest request : requests) {
            if (after.replace(request.filter(), request) != null) {
                outcomes.add(Outcome.REPLACED);
            } else if (!filters.leaveRoom(request.filter(), limits)) {
                outcomes.add(Outcome.QUOTA_EXCEEDED);
            } else if (after.size() - byFilter.size() >= room) {
                outcomes.add(Outcome.TENANT_QUOTA_EXCEEDED);
            } else if (!admit.test(request.filter())) {
                outcomes.add(Outcome.NODE_QUOTA_EXCEEDED);
            } else {
                after.put(request.filter(), request);
                filters.add(request.filter());
                outcomes.add(Outcome.CREATED);
            }
        }
        return new Change<>(new SessionSubscriptions(identity, epoch, revision, kind, principal, after), outcomes);
    }

    /** Removes subscriptions. */
    Change<Boolean> unsubscribe(List<TopicFilter> filters) {
        Map<TopicFilter, SubscriptionRequest> after = new HashMap<>(byFilter);
        List<Boolean> existed = new ArrayList<>(filters.size());
        for (TopicFilter filter : filters) {
            existed.add(after.remove(filter) != null);
        }
        return new Change<>(new SessionSubscriptions(identity, epoch, revision, kind, principal, after), existed);
    }

    /** Whether a client with these permissions may have them all as they are. */
    boolean areWithin(Permissions permissions) {
        for (SubscriptionRequest request : byFilter.values()) {
            if (!standing(request, permissions).leaves(request.qos())) {
                return false;
            }
        }
        return true;
    }

    /** Removes and lowers what a client with these permissions may not have as it is. */
    Change<Withdrawal> within(Permissions permissions) {
        Map<TopicFilter, SubscriptionRequest> after = new HashMap<>(byFilter);
        List<Withdrawal> withdrawn = new ArrayList<>();
        for (SubscriptionRequest request : byFilter.values()) {
            SubscriptionDecision left = standing(request, permissions);
            if (!left.granted()) {
                after.remove(request.filter());
                withdrawn.add(new Withdrawal(Withdrawal.Change.REMOVED, request.filter()));
            } else if (!left.leaves(request.qos())) {
                after.put(request.filter(), request.atMost(left.maxQos()));
                withdrawn.add(new Withdrawal(Withdrawal.Change.LOWERED, request.filter()));
            }
        }
        return new Change<>(new SessionSubscriptions(identity, epoch, revision, kind, principal, after), withdrawn);
    }

    private static SubscriptionDecision standing(SubscriptionRequest request, Permissions permissions) {
        return permissions.standing(request.filter().filter(), request.qos());
    }

    /** What of its client's limits a session's filters take. */
    private static final class Filters {
        private int count;
        private int shared;
        private long size;

        Filters(Set<TopicFilter> filters) {
            filters.forEach(this::add);
        }

        void add(TopicFilter filter) {
            count++;
            shared += filter.isShared() ? 1 : 0;
            size += SubscriptionLimits.cost(filter);
        }

        boolean leaveRoom(TopicFilter filter, SubscriptionLimits limits) {
            return count < limits.perClient()
                    && !(filter.isShared() && shared >= limits.sharedPerClient())
                    && !limits.exceededBy(filter)
                    && size + SubscriptionLimits.cost(filter) <= limits.sizePerClient();
        }
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
