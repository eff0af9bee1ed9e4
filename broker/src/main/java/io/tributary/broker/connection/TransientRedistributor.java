package io.tributary.broker.connection;

import io.tributary.common.event.Destinations;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.Recipient;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives the messages of shared subscriptions that a transient session leaves behind to other members; for persistent
 * sessions the shard's owner does so. To be called when the session's subscriptions are removed.
 */
final class TransientRedistributor {
    private TransientRedistributor() {}

    static void of(List<Queued> left, Identity leaving, ConnectionContext context) {
        Backend backend = context.backend();
        for (Queued message : left) {
            Recipient member = new Recipient(
                    leaving.clientId(),
                    leaving.connection(),
                    message.qos(),
                    message.retain(),
                    message.subscriptionIds(),
                    message.group());
            Destinations others = backend.router().matchGroup(message.message(), member, true);
            if (!others.recipients().isEmpty()) {
                backend.appends()
                        .publish(message.message(), others.recipients(), null, (_, failure) -> count(failure, context));
            }
            if (!others.nodes().isEmpty()) {
                backend.router().deliverTransient(message.message(), others, () -> {});
            }
        }
    }

    private static void count(@Nullable Throwable failure, ConnectionContext context) {
        if (failure != null) {
            context.services().recorder().dropped(DropReason.FAILED);
        }
    }
}
