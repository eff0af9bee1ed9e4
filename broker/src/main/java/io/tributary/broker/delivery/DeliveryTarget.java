package io.tributary.broker.delivery;

import io.tributary.common.event.QueueEntry;
import java.util.List;

/**
 * The connections of this node, as shards and router see them. Every method may be called from any thread, never blocks,
 * and does nothing for a connection that is gone. Calls from one thread for one connection keep their order. A connection
 * is named by the number that it had in its {@code Attach}.
 */
public interface DeliveryTarget {

    /**
     * The {@code Attach} of the connection was applied. Comes before any delivery of a queue, and again when the session's
     * shard has been loaded anew; only the first time counts.
     */
    void attached(long connection, Attached attached);

    /** Another connection has the session now: this one is to be closed with reason 0x8E. May come more than once. */
    void takenOver(long connection);

    /** Hands over entries of the session's queue, in order of their sequence numbers, within the window agreed on. */
    void deliver(long connection, List<Delivery> deliveries);

    /** The PUBRECs of these sequence numbers are logged: PUBREL may be sent. */
    void received(long connection, long[] sequences);

    /** Hands a message to a transient session, or one of QoS 0 to any session; it may be dropped at the session's limits. */
    void deliverTransient(long connection, QueueEntry.Queued message);

    /**
     * Hands a message of QoS 0 to the connection of a persistent session, if it has one on this node.
     *
     * @param session the identity of the session; another session of the client gets nothing
     * @return whether the session is connected here
     */
    boolean deliverQos0(String clientId, long session, QueueEntry.Queued message);
}
