package io.tributary.broker.delivery;

import io.tributary.common.event.ClientKind;
import io.tributary.common.event.QueueEntry;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.function.Predicate;

/**
 * The connections of a node, as the owner of their sessions' shard talks to them. Every method may be called from any thread,
 * never blocks, and does nothing for a connection that is gone. Calls from one thread for one connection keep their order. A
 * connection is named by the number that it had in its {@code Attach}.
 */
public interface SessionTarget {

    /**
     * The {@code Attach} of the connection was applied. Comes before any delivery of a queue, and again when the session's
     * shard has been loaded anew, or its owner could not reach the node for a while; only the first time counts.
     */
    void attached(long connection, Attached attached);

    /** The connection does not get its session, which is of the other kind, application or device; see {@code Attach}. */
    void refused(long connection, ClientKind existing);

    /** Another connection has the session now: this one is to be closed with reason 0x8E. May come more than once. */
    void takenOver(long connection);

    /**
     * Of the connections of some clients only these have their session: the others are to be closed as with {@link #takenOver},
     * for what told them so may be lost.
     *
     * @param clients picks the clients by their identifiers
     * @param connections picks the connections that have the session
     * @param upTo the offset up to which the shard's log was folded; connections whose {@code Attach} is behind it, or of
     *     unknown offset, are left alone
     */
    void onlyTheseAttached(Predicate<String> clients, LongPredicate connections, long upTo);

    /** Hands over entries of the session's queue, in order of their sequence numbers, within the window agreed on. */
    void deliver(long connection, List<Delivery> deliveries);

    /** The PUBRECs of these sequence numbers are logged: PUBREL may be sent. */
    void received(long connection, long[] sequences);

    /** Hands a message of QoS 0 to the connection of a persistent session; see {@link DeliveryTarget#deliverQos0}. */
    boolean deliverQos0(String clientId, long session, QueueEntry.Queued message);
}
