package io.tributary.broker.subscription;

import org.jspecify.annotations.Nullable;

/**
 * A session that subscribes to a topic.
 *
 * @param subscriber the session
 * @param grant how it gets messages of others
 * @param ownGrant how it gets messages that its own client published, or null when all its subscriptions are "no local"
 */
public record Receiver(
        Subscriber subscriber, Grant grant, @Nullable Grant ownGrant) {

    /** The session with one subscription. */
    static Receiver of(Subscriber subscriber, SubscriptionRequest request) {
        Grant grant = Grant.of(request);
        return new Receiver(subscriber, grant, request.noLocal() ? null : grant);
    }

    /** How the session gets a message of the given client, or null when it does not [MQTT-3.8.3-3]. */
    public @Nullable Grant grantFor(String publisher) {
        return publisher.equals(subscriber.clientId()) ? ownGrant : grant;
    }

    /** The same session with the subscriptions of both. */
    Receiver merge(Receiver other) {
        return new Receiver(subscriber, grant.merge(other.grant), mergeNullable(ownGrant, other.ownGrant));
    }

    private static @Nullable Grant mergeNullable(@Nullable Grant first, @Nullable Grant second) {
        if (first == null || second == null) {
            return first == null ? second : first;
        }
        return first.merge(second);
    }
}
