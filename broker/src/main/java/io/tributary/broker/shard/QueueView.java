package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.SessionState;
import io.tributary.common.event.SentUpTo;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the queues of a shard's sessions: what the fold says, and on top of that what the owner knows of
 * those that have a {@link SessionDelivery}. It changes nothing. Confined to the thread of the driver.
 */
final class QueueView {
    private final Function<SessionState, @Nullable SessionDelivery> deliveries;

    /** @param deliveries those of the shard, for each session that has one */
    QueueView(Function<SessionState, @Nullable SessionDelivery> deliveries) {
        this.deliveries = deliveries;
    }

    private @Nullable Outgoing windowOf(SessionState client) {
        SessionDelivery known = deliveries.apply(client);
        return known == null ? null : known.window();
    }

    private @Nullable Unlogged unloggedOf(SessionState client) {
        SessionDelivery known = deliveries.apply(client);
        return known == null ? null : known.unlogged();
    }

    /** Whether what a connection of the session that is gone has acknowledged is waited for. */
    boolean isLeaving(SessionState client) {
        Outgoing gone = windowOf(client);
        return gone != null && gone.isLeaving();
    }

    /** The highest sequence number of an application that its topic must have reached, as far as this owner knows. */
    long readUpTo(SessionState client) {
        Outgoing to = windowOf(client);
        return to == null ? 0 : to.next() - 1;
    }

    /**
     * Whether messages are with the connection of a session which its client has not acknowledged, and the next ones
     * are not late.
     */
    boolean isWaitingForClient(SessionState client) {
        Outgoing to = windowOf(client);
        return to != null && to.hasUnsettled() && !to.isReading;
    }

    /** How many entries are in a queue, as far as the owner knows. */
    long messagesOf(SessionState client) {
        Unlogged known = unloggedOf(client);
        return client.queuedMessages() - (known == null ? 0 : known.messages());
    }

    /** The size of a queue in bytes, as far as the owner knows. */
    long bytesOf(SessionState client) {
        Unlogged known = unloggedOf(client);
        return client.queuedBytes() - (known == null ? 0 : known.bytes());
    }

    /**
     * Messages of this priority below this sequence number have been handed to a connection, or may have been, or are
     * being read for it: a limit that dropped those, as fast as they are read, would have the client get nothing any
     * more.
     */
    long firstUnseen(SessionState client, int priority) {
        return 1 + Math.max(client.leftUpTo(), seenUpTo(client, priority));
    }

    private long seenUpTo(SessionState client, int priority) {
        Outgoing to = windowOf(client);
        if (to != null) {
            return to.readingUpTo(priority);
        }
        SentUpTo seen = client.isAttached() ? client.resendUpTo() : maybeSentUpTo(client);
        return seen.of(priority);
    }

    /** What the client of a session may have been sent. */
    SentUpTo maybeSentUpTo(SessionState client) {
        SessionDelivery known = deliveries.apply(client);
        if (known != null) {
            return known.maybeSentUpTo();
        }
        return client.isAttached()
                ? SentUpTo.all(client.lastSequence()) // another owner may have sent all
                : client.resendUpTo();
    }

    /** Up to where messages of a priority were looked at, for what is too much of the queue, since its client went. */
    long trimmedUpTo(SessionState client, int priority) {
        SessionDelivery known = deliveries.apply(client);
        return known == null ? 0 : known.unseen().trimmedUpTo(priority);
    }

    /** Entries of a queue that are settled or about to move, though the queue still has them. */
    Set<Long> withheldOf(SessionState client) {
        Unlogged known = unloggedOf(client);
        return known == null ? new HashSet<>() : known.withheld();
    }

    /** The same; empty without any work when none is from a sequence number on. */
    Set<Long> withheldFrom(SessionState client, long sequence) {
        Unlogged known = unloggedOf(client);
        return known != null && known.withholdsFrom(sequence) ? known.withheld() : Set.of();
    }

    /** Tells which entries of a queue are settled, about to move, or with a connection, as of now. */
    LongPredicate known(SessionState client) {
        SessionDelivery known = deliveries.apply(client);
        return known == null ? _ -> false : known.known();
    }
}
