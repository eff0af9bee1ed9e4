package io.tributary.broker.subscription;

import io.tributary.broker.security.Decision;
import io.tributary.broker.security.Permissions;
import org.jspecify.annotations.Nullable;

/**
 * A session that subscribes to a topic.
 *
 * @param subscriber the session
 * @param grant how it gets messages of others
 * @param ownGrant how it gets messages that its own client published, or null when all its subscriptions are "no local"
 * @param asked what says whether its client may have a message; null when it may have all that the subscription brings
 */
public record Receiver(
        Subscriber subscriber,
        Grant grant,
        @Nullable Grant ownGrant,
        @Nullable Permissions asked) {

    /** The session with one subscription, which may have all messages. */
    static Receiver of(Subscriber subscriber, SubscriptionRequest request) {
        Grant grant = Grant.of(request);
        return new Receiver(subscriber, grant, request.noLocal() ? null : grant, null);
    }

    /** The same, whose client may have what these permissions say; null for all. */
    Receiver asking(@Nullable Permissions permissions) {
        return permissions == null ? this : new Receiver(subscriber, grant, ownGrant, permissions);
    }

    /** How the session gets a message of the given client, or null when it does not [MQTT-3.8.3-3]. */
    public @Nullable Grant grantFor(String publisher) {
        return publisher.equals(subscriber.clientId()) ? ownGrant : grant;
    }

    /** Whether its client may have what is published on a topic that it subscribes to. */
    public boolean mayReceive(String topic) {
        return receiving(topic).allowed();
    }

    /** The same, and what says so. */
    public Decision receiving(String topic) {
        return asked == null ? Decision.ALLOWED : asked.mayReceive(topic);
    }

    /**
     * The same session with the subscriptions of both. One that may bring nothing does not count, and where one may
     * bring all, it brings the topic.
     */
    Receiver merge(Receiver other) {
        if (bringsNothing() || other.bringsNothing()) {
            return bringsNothing() ? other : this;
        }
        return new Receiver(
                subscriber,
                grant.merge(other.grant),
                mergeNullable(ownGrant, other.ownGrant),
                other.asked == null ? null : asked);
    }

    private boolean bringsNothing() {
        return Permissions.nothing().equals(asked);
    }

    private static @Nullable Grant mergeNullable(@Nullable Grant first, @Nullable Grant second) {
        if (first == null || second == null) {
            return first == null ? second : first;
        }
        return first.merge(second);
    }
}
