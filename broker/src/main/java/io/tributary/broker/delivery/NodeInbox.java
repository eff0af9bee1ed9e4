package io.tributary.broker.delivery;

import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.Message;
import io.tributary.common.thread.RoomQueue;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The other nodes, as the router hands them messages that no log has. Any thread; never blocks. Messages that one
 * thread hands over for one node keep their order.
 */
public interface NodeInbox {

    /** There are no other nodes. */
    NodeInbox NONE = new NodeInbox() {
        @Override
        public void deliver(
                String node,
                Message message,
                List<Recipient> members,
                boolean matching,
                Runnable taken,
                @Nullable Consumer<RoomQueue> publisher) {
            taken.run();
        }

        @Override
        public boolean deliverQos0(String clientId, long session, Queued message) {
            return false;
        }

        @Override
        public void deliverShared(
                String node, String clientId, long session, Queued message, boolean dup, MemberReply reply) {
            reply.returned(false);
        }
    };

    /**
     * Hands a message to sessions of another node that no log serves.
     *
     * @param node the node and its incarnation, {@code name#number}
     * @param members transient sessions that shared subscriptions chose, by the numbers of their connections on that
     *     node, and persistent sessions that get it with QoS 0, by their identities; any number
     * @param matching whether it is also for every transient session that it matches there
     * @param taken run once, on any thread, when the node has taken it; or when that is given up because there is no
     *     link, no room, or no answer in time, which is counted
     * @param publisher told what the publisher is to wait for before it publishes more, once for each client of the
     *     other node that cannot keep up: before {@code taken} where the message is acknowledged to its publisher, and
     *     later for QoS 0. It may be kept for longer than the message, and so must not refer to it. Null when the
     *     publisher never waits
     */
    void deliver(
            String node,
            Message message,
            List<Recipient> members,
            boolean matching,
            Runnable taken,
            @Nullable Consumer<RoomQueue> publisher);

    /**
     * Hands a message of QoS 0 to a persistent session that has no connection on this node, by way of its shard's
     * owner.
     *
     * @param session the identity of the session; another session of the client gets nothing
     * @return false when it is certain that it does not arrive: nobody is known to own the shard, or there is no link
     */
    boolean deliverQos0(String clientId, long session, Queued message);

    /**
     * Hands a message of a shared subscription of applications to a member that is connected to another node; see
     * {@link ConnectionRegistry#deliverShared}.
     *
     * @param node the node and its incarnation, {@code name#number}
     * @param reply told, too, when there is no link to the node or no room in it, and when it breaks before there is an
     *     answer
     */
    void deliverShared(String node, String clientId, long session, Queued message, boolean dup, MemberReply reply);
}
