package io.tributary.broker.connection;

import io.tributary.common.event.Destinations;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.Recipient;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Gives the messages of shared subscriptions that a transient session leaves behind to other members; for persistent
 * sessions the shard's owner does so. To be used once the session's subscriptions are removed. A session may leave
 * thousands of messages: they go in pieces, so that members that come and leave do not hold up their event loop, and
 * wait while the logs have no room. Confined to the event loop.
 */
final class TransientRedistributor {
    /** How many bytes may wait for their new members at a node; what finds no room is dropped, and counted. */
    static final long MOST_BYTES = 64 << 20;

    private static final int PIECE = 100;

    private final ConnectionContext context;
    private final Identity leaving;
    private final Queue<Queued> left = new ArrayDeque<>();
    private boolean isUnderWay;

    TransientRedistributor(ConnectionContext context, Identity leaving) {
        this.context = context;
        this.leaving = leaving;
    }

    /** Gives the message to another member soon, behind those that were added before. */
    void add(Queued message) {
        if (!context.backend().leftBehind().tryAcquire(OutboundQueue.size(message))) {
            context.services().recorder().dropped(DropReason.QUEUE_FULL);
            return;
        }
        left.add(message);
        if (!isUnderWay) {
            isUnderWay = true;
            context.slowly(this::proceed);
        }
    }

    private void proceed() {
        Backend backend = context.backend();
        if (backend.shards().isCongested()) {
            Runnable _ = backend.room().await(() -> context.run(() -> context.slowly(this::proceed)));
            return;
        }
        try {
            givePiece();
        } finally { // one that cannot be given holds up no others
            isUnderWay = !left.isEmpty();
            if (isUnderWay) {
                context.slowly(this::proceed);
            }
        }
    }

    private void givePiece() {
        for (int i = 0; i < PIECE && !left.isEmpty(); i++) {
            Queued message = left.remove();
            context.backend().leftBehind().release(OutboundQueue.size(message));
            give(message);
        }
    }

    private void give(Queued message) {
        Backend backend = context.backend();
        Recipient member = new Recipient(
                leaving.clientId(),
                leaving.connection(),
                message.qos(),
                message.retain(),
                message.subscriptionIds(),
                message.group());
        Destinations others = backend.router().matchGroup(message.message(), member, true);
        if (!others.recipients().isEmpty()) {
            backend.appends().publish(message.message(), others.recipients(), null, (_, failure) -> count(failure));
        }
        if (!others.nodes().isEmpty()) {
            backend.router().deliverTransient(message.message(), others, () -> {});
        }
    }

    private void count(@Nullable Throwable failure) {
        if (failure != null) {
            context.services().recorder().dropped(DropReason.FAILED);
        }
    }
}
