package io.tributary.broker.delivery;

import io.tributary.common.event.QueueEntry;

/**
 * The connections of this node, as the router hands them what no log has. Every method may be called from any thread and never
 * blocks. Calls from one thread for one connection keep their order.
 */
public interface DeliveryTarget {

    /**
     * Hands a message to a transient session; it may be dropped at the session's limits, and is when the connection is gone.
     *
     * @param connection the number that the connection has on this node
     */
    void deliverTransient(long connection, QueueEntry.Queued message);

    /**
     * Hands a message to a member of a shared subscription that another node chose, or this one a while ago, as {@link
     * #deliverTransient} does. A session that began since under the same number gets nothing, unless it is the same client's.
     */
    void deliverToMember(String clientId, long connection, QueueEntry.Queued message);

    /**
     * Hands a message of QoS 0 to the connection of a persistent session, if it has one on this node.
     *
     * @param session the identity of the session; another session of the client gets nothing
     * @return whether the session is connected here
     */
    boolean deliverQos0(String clientId, long session, QueueEntry.Queued message);
}
