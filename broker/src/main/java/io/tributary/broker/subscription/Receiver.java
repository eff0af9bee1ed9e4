package io.tributary.broker.subscription;

import io.tributary.broker.security.Decision;
import io.tributary.broker.security.Permissions;
import java.util.List;
import java.util.Objects;
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
     * One session with all these subscriptions of it, of which there is at least one. Those that may bring nothing do
     * not count, and where one may bring all, it brings the topic.
     */
    static Receiver merge(List<Receiver> all) {
        List<Receiver> counted =
                all.stream().filter(each -> !each.bringsNothing()).toList();
        Receiver first = counted.isEmpty() ? all.getFirst() : counted.getFirst();
        if (counted.size() <= 1) {
            return first;
        }
        Grant grant = Grant.merge(counted.stream().map(Receiver::grant).toList());
        List<Grant> own = counted.stream()
                .map(Receiver::ownGrant)
                .filter(Objects::nonNull)
                .toList();
        Grant ownGrant = own.size() == counted.size() ? grant : own.isEmpty() ? null : Grant.merge(own);
        boolean mayBringAll = counted.stream().anyMatch(each -> each.asked == null);
        return new Receiver(first.subscriber, grant, ownGrant, mayBringAll ? null : first.asked);
    }

    private boolean bringsNothing() {
        return Permissions.nothing().equals(asked);
    }
}
