package io.tributary.broker.subscription;

import io.tributary.broker.security.Permissions;
import io.tributary.common.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The subscriptions, as the sessions of clients change them. Any thread; never blocks. */
public interface ClientSubscriptions {

    /** {@link Subscriptions#subscribe}. */
    CompletionStage<List<SubscriptionRequest.Outcome>> subscribe(
            Subscriber subscriber, long epoch, List<SubscriptionRequest> requests, long room);

    /** The same of a session without a tenant. */
    default CompletionStage<List<SubscriptionRequest.Outcome>> subscribe(
            Subscriber subscriber, long epoch, List<SubscriptionRequest> requests) {
        return subscribe(subscriber, epoch, requests, Long.MAX_VALUE);
    }

    /** {@link Subscriptions#count(String)}. */
    long count(String tenant);

    /** {@link Subscriptions#unsubscribe}. */
    CompletionStage<List<Boolean>> unsubscribe(Subscriber subscriber, long epoch, List<TopicFilter> filters);

    /** {@link Subscriptions#waitNanos}. */
    long waitNanos(Subscriber subscriber);

    /** Whether a client with these permissions may have all subscriptions of its session as they are. */
    boolean areWithin(Subscriber subscriber, Permissions permissions);

    /**
     * Removes subscriptions that a client with these permissions may not have, and lowers the QoS of others. The stage
     * completes as those of {@link #unsubscribe} and {@link #subscribe}.
     *
     * @param epoch as in {@link #subscribe}
     * @return one entry for each subscription that was removed or lowered
     */
    CompletionStage<List<Withdrawal>> withdraw(Subscriber subscriber, long epoch, Permissions permissions);

    /** {@link Subscriptions#online}. */
    void online(Subscriber subscriber);

    /**
     * A connection goes on with a persistent session, so it is its principal's from now on: the record of its
     * subscriptions says so, if there are any. Or a client, of whatever session, has authenticated again. What it may
     * have of its subscriptions is decided anew. Only where this node is current.
     *
     * @param epoch as in {@link #subscribe}
     * @return completes when it is so on all live nodes
     */
    CompletionStage<?> resumed(Subscriber subscriber, long epoch);

    /** {@link Subscriptions#offline}. */
    CompletionStage<@Nullable Void> offline(Subscriber subscriber);

    /** {@link Subscriptions#end}. */
    void end(Subscriber subscriber);
}
