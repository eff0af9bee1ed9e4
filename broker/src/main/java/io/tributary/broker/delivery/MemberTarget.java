package io.tributary.broker.delivery;

import io.tributary.common.event.QueueEntry.Queued;

/** The connections of this node, as members of shared subscriptions of applications. Any thread; never blocks. */
@FunctionalInterface
public interface MemberTarget {

    /**
     * Hands a message to the connection of a persistent session.
     *
     * @param session the identity of the session; another session of the client gets nothing
     * @param message as the member shall get it, with QoS 0 or 1
     * @param dup whether any member may have been sent it before
     * @param reply told what became of it, at once when the session is not connected here
     */
    void deliverShared(String clientId, long session, Queued message, boolean dup, MemberReply reply);
}
