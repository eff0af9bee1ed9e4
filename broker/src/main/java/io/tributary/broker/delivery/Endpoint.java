package io.tributary.broker.delivery;

import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.thread.RoomQueue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The holder of a connection number at this node, see {@link ConnectionRegistry}: the connection of a client, the host
 * of a shared subscription of applications, or a subscription of the embedding application. Each takes what it has use
 * for and leaves the rest as it is here. Every method may be called from any thread and never blocks; calls from one
 * thread keep their order.
 */
public interface Endpoint {

    /** The client identifier of its session; empty for the embedding application. */
    String clientId();

    /**
     * The {@code Attach} was applied. Comes before any delivery of a queue, and again when the session's shard has been
     * loaded anew, or its owner could not reach the node for a while; only the first time counts.
     */
    default void attached(Attached attached) {}

    /** The connection does not get the session of its client identifier; see {@code Attach}. */
    default void refused(AttachRefusal reason) {}

    /** Another connection has the session now: this one is to be closed with reason 0x8E. May come more than once. */
    default void takenOver() {}

    /** Whether the log is known to have the {@code Attach}, no later than at the offset. */
    default boolean isAttachedUpTo(long offset) {
        return false;
    }

    /** The epoch of a client's connection that has, or had, a session; 0 for others. */
    default long epoch() {
        return 0;
    }

    /** Whether it has, or had, the persistent session with the identity. */
    default boolean has(long session) {
        return false;
    }

    /** Takes entries of the session's queue, in order of their sequence numbers, within the window agreed on. */
    default void deliver(List<Delivery> deliveries) {}

    /** The PUBRECs of these sequence numbers are logged: PUBREL may be sent. */
    default void receivedLogged(long[] sequences) {}

    /**
     * Takes a message that no log has: one for a transient session, or one of QoS 0. May drop it at the session's
     * limits.
     *
     * @return what its publisher is to wait for before it publishes more; null when it need not wait
     */
    default @Nullable RoomQueue offer(Queued message) {
        return null;
    }

    /**
     * Takes a message as a member of a shared subscription of applications.
     *
     * @param message as the member shall get it, with QoS 0 or 1
     * @param dup whether any member may have been sent it before
     */
    default void share(Queued message, boolean dup, MemberReply reply) {
        reply.returned(false);
    }

    /**
     * How many messages are in flight towards it in the lower half; in the upper one how many were before, which begins
     * again at 2^31. -1 where the endpoint does not count.
     */
    default long flow() {
        return -1;
    }
}
