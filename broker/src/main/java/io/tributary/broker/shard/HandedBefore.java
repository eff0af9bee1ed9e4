package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.SessionState;
import io.tributary.common.event.SentUpTo;
import org.jspecify.annotations.Nullable;

/**
 * What the connection of a session that is gone was handed, where the log names more ({@code resendUpTo}), as when its
 * node is dead, and cannot say what it has sent. Messages that were not handed expire, move to other members of a
 * shared subscription, and come without DUP.
 */
final class HandedBefore {
    private final SessionState client;
    /** Null where it is not known. */
    private @Nullable SentUpTo upTo;

    private long epoch;

    HandedBefore(SessionState client) {
        this.client = client;
    }

    boolean isKnown() {
        return upTo != null;
    }

    void forget() {
        upTo = null;
    }

    /** The session has no connection any more; null for one that was not served. */
    void detached(@Nullable Outgoing gone) {
        if (gone != null) {
            SentUpTo less = gone.maybeSentUpTo().and(client.resendUpTo());
            upTo = less.equals(client.resendUpTo()) ? null : less;
            epoch = client.epoch();
        } else if (epoch != client.epoch()) {
            upTo = null; // of a connection before, which a later one has followed unserved
        }
    }

    /** What the client may have been sent, while no connection is served. */
    SentUpTo maybeSentUpTo() {
        if (client.isAttached()) {
            return SentUpTo.all(client.lastSequence()); // another owner may have sent all
        }
        return upTo == null || client.epoch() != epoch ? client.resendUpTo() : upTo.and(client.resendUpTo());
    }

    /**
     * What the client may have been sent, asked before its next connection is served. What is known here holds, for no
     * other owner has served a connection since.
     *
     * @param last the highest sequence number that the queue may have
     */
    SentUpTo orAll(long last) {
        return upTo == null ? SentUpTo.all(last) : upTo;
    }

    /** Whether it is less than the log knows, which learns of less where an application's topic is made anew. */
    boolean isOrdered() {
        return upTo == null
                || client.topic() != null
                || !upTo.and(client.resendUpTo()).equals(client.resendUpTo());
    }

    @Override
    public String toString() {
        return String.valueOf(upTo);
    }
}
