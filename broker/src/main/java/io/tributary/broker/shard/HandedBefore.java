package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.SessionState;
import org.jspecify.annotations.Nullable;

/**
 * What the connection of a session that is gone was handed, where the log names more ({@code resendUpTo}) and messages
 * may move to other members of a shared subscription: those that were not handed move freely.
 */
final class HandedBefore {
    private static final long NOT_KNOWN = Long.MAX_VALUE;

    private final SessionState client;
    private long upTo = NOT_KNOWN;
    private long epoch;

    HandedBefore(SessionState client) {
        this.client = client;
    }

    boolean isKnown() {
        return upTo != NOT_KNOWN;
    }

    void forget() {
        upTo = NOT_KNOWN;
    }

    /** The session has no connection any more; null for one that was not served. */
    void detached(@Nullable Outgoing gone) {
        if (gone != null) {
            long maybeSentUpTo = gone.maybeSentUpTo();
            upTo = client.groupUpTo() > 0 && maybeSentUpTo < client.resendUpTo() ? maybeSentUpTo : NOT_KNOWN;
            epoch = client.epoch();
        } else if (epoch != client.epoch()) {
            upTo = NOT_KNOWN; // of a connection before, which a later one has followed unserved
        }
    }

    /** The highest sequence number that the client may have been sent, while no connection is served. */
    long maybeSentUpTo() {
        return client.isAttached()
                ? client.lastSequence() // another owner may have sent all
                : Math.min(client.resendUpTo(), client.epoch() == epoch ? upTo : NOT_KNOWN);
    }

    /** Whether it is less than the log knows. */
    boolean isOrdered() {
        return upTo == NOT_KNOWN || upTo < client.resendUpTo();
    }

    @Override
    public String toString() {
        return Long.toString(upTo);
    }
}
