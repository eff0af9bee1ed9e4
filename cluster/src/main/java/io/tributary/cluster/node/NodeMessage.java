package io.tributary.cluster.node;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.Delivery;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.Message;
import java.util.List;

/**
 * A message between two nodes. No message survives a break of the link between them: then the owner tells all again,
 * and connections repeat what they had answered.
 *
 * <p>A connection is named by the number that it had in its {@code Attach}; a connection's epoch, a session's identity
 * and an owner's epoch are offsets of the shard's log, as in {@link io.tributary.common.event.ShardEvent}.
 */
@SuppressWarnings("ArrayRecordComponent") // handed on, never compared or modified
public sealed interface NodeMessage {

    /** The most members that a {@link Transient} names; a sender with more sends several. */
    int MAX_MEMBERS = 200;

    /**
     * A message of a shard's owner to the node of connections. The receiver refuses what an older owner says than it
     * has heard of; otherwise each is one call of {@link io.tributary.broker.shard.OwnerTarget}.
     */
    sealed interface OwnerMessage extends NodeMessage {

        /** The shard that is owned. */
        int shard();

        /** The epoch of the owner that sends the message. */
        long ownerEpoch();
    }

    /** The owner begins to name all connections that have a session, until {@link AllAttached}. */
    record OwnerSpeaks(int shard, long ownerEpoch) implements OwnerMessage {}

    /**
     * The connection has its session, and {@link AttachedTo} follows once its application's topic is there, perhaps
     * behind {@link AllAttached}.
     */
    record AttachedLater(int shard, long ownerEpoch, long connection) implements OwnerMessage {}

    /** All connections of the receiver that have a session are named, as far as the log is folded. */
    record AllAttached(int shard, long ownerEpoch, long upTo) implements OwnerMessage {}

    /** The {@code Attach} of the connection was applied. */
    record AttachedTo(int shard, long ownerEpoch, long connection, Attached attached) implements OwnerMessage {}

    /** The connection does not get the session of its client identifier. */
    record AttachRefused(int shard, long ownerEpoch, long connection, AttachRefusal reason) implements OwnerMessage {}

    /** Another connection has the session now. */
    record TakenOver(int shard, long ownerEpoch, long connection) implements OwnerMessage {}

    /**
     * The owner asks whether it was told all acknowledgements of a connection that the receiver knows of;
     * {@link AllSettled} is the answer.
     *
     * @param epoch the epoch of the connection, which need not be there any more
     */
    record AskForAllSettled(int shard, long ownerEpoch, String clientId, long epoch) implements OwnerMessage {}

    /** Entries of the session's queue, in order of their sequence numbers. */
    record Deliver(int shard, long ownerEpoch, long connection, List<Delivery> deliveries) implements OwnerMessage {
        public Deliver {
            deliveries = List.copyOf(deliveries);
        }
    }

    /** The PUBRECs of these sequence numbers are logged. */
    record ReceivedLogged(int shard, long ownerEpoch, long connection, long[] sequences) implements OwnerMessage {}

    /**
     * A QoS 2 message that a client published is forwarded.
     *
     * @param epoch the epoch of the client's connection
     */
    record Relayed(int shard, long ownerEpoch, long epoch, int packetId) implements OwnerMessage {}

    /** What the node of a connection, or of a message, tells the owner of a shard, as far as it knows who that is. */
    sealed interface ToOwner extends NodeMessage {

        /** The shard that is owned. */
        int shard();
    }

    /** A client is done with these sequence numbers. */
    record Settle(int shard, String clientId, long epoch, long[] sequences) implements ToOwner {}

    /** A client's PUBRECs; {@link ReceivedLogged} is the answer. */
    record Received(int shard, String clientId, long epoch, long[] sequences) implements ToOwner {}

    /**
     * All acknowledgements of a connection that the sender knew of when it was asked went before this, or were lost.
     */
    record AllSettled(int shard, String clientId, long epoch) implements ToOwner {}

    /** Something was lost: the owner is to tell again about all connections that the sender has in this shard. */
    record Resume(int shard) implements ToOwner {}

    /**
     * A message of QoS 0 for a persistent session. It goes to the shard's owner, and the owner sends it on to the node
     * of the session's connection. A node that has neither the shard nor the connection drops it.
     *
     * @param session the identity of the session
     */
    record QosZero(int shard, String clientId, long session, Queued message) implements NodeMessage {}

    /**
     * A message for transient sessions of the receiving node.
     *
     * @param id the sender's number for it, which {@link Receipt} and {@link HoldPublisher} repeat; 0 when no answer is
     *     wanted
     * @param members members of shared subscriptions that were chosen, at most {@link #MAX_MEMBERS}
     * @param matchHere whether it is also for every transient session that it matches there
     */
    record Transient(long id, Message message, List<Recipient> members, boolean matchHere) implements NodeMessage {
        public Transient {
            members = List.copyOf(members);
            if (members.size() > MAX_MEMBERS) {
                throw new IllegalArgumentException(members.size() + " members: at most " + MAX_MEMBERS);
            }
        }
    }

    /** The receiver of these {@link Transient}s has handed them to its sessions. */
    record Receipt(long[] ids) implements NodeMessage {}

    /**
     * Publishers are to wait for clients of the sender: the receiver is to have little on its way, and to want answers
     * to messages of QoS 0, too. Not sent before all live nodes read format 4.
     */
    record PublishersWait() implements NodeMessage {}

    /**
     * A client of the sender has no room for what waits for it, so the publisher of a message for it is to wait until
     * {@link RoomAgain}. Not sent before all live nodes read format 4.
     *
     * @param id what the {@link Transient} had
     * @param room the sender's number for the client's room
     */
    record HoldPublisher(long id, long room) implements NodeMessage {}

    /**
     * The client has room again: publishers that wait for this room go on. The number is not used again over the link.
     */
    record RoomAgain(long room) implements NodeMessage {}

    /**
     * A message of a shared subscription of applications, for a member that is connected to the receiving node.
     *
     * @param id the sender's number for it, which {@link SharedAnswer} repeats
     * @param session the identity of the member's session
     * @param dup whether any member may have been sent it before
     */
    record Shared(long id, String clientId, long session, boolean dup, Queued message) implements NodeMessage {}

    /** The outcome of a {@link Shared}. */
    record SharedAnswer(long id, SharedOutcome outcome) implements NodeMessage {}

    /** The possible outcomes of a {@link Shared}. */
    enum SharedOutcome {
        /** The client has acknowledged it, or is not to have it. */
        DONE,
        /** The client was not sent it. */
        RETURNED,
        /** The client may have been sent it. */
        RETURNED_MAYBE_SENT
    }

    /**
     * What the sender wants of the owner of shard 0, which it takes the receiver for. Not sent before all live nodes
     * read format 3.
     *
     * @param id the sender's number for it, which {@link OwnerAnswer} repeats
     * @param question at most {@value #MAX_BYTES} bytes, which links and messages do not look into
     */
    record OwnerQuestion(long id, byte[] question) implements NodeMessage {
        /** How long a question may be. */
        public static final int MAX_BYTES = 1 << 20;
    }

    /** The answer to an {@link OwnerQuestion}. */
    record OwnerAnswer(long id, byte[] answer) implements NodeMessage {}

    /**
     * What tenants use at the sender; the newest counts. Not sent before all live nodes read format 3.
     *
     * @param report at most {@value #MAX_BYTES} bytes, which links and messages do not look into
     */
    record TenantsReport(byte[] report) implements NodeMessage {
        /** How long a report may be. */
        public static final int MAX_BYTES = 1 << 20;
    }

    /** The sender has applied a replicated map up to the position. */
    record MapProgress(String map, long position) implements NodeMessage {}

    /**
     * The sender has heard nothing of the receiver in the node table for so long, while its own heartbeats came back:
     * soon it declares the receiver dead.
     *
     * @param silentMillis how long
     */
    record Unheard(long silentMillis) implements NodeMessage {}

    /**
     * For how many shards the store of their state does not answer the sender; told while it does not for some node.
     */
    record StoreMisses(int shards) implements NodeMessage {}

    /**
     * What the sender says of itself, for the figures about the whole cluster; the newest counts.
     *
     * @param stats at most {@value #MAX_BYTES} bytes, which links and messages do not look into
     */
    record Stats(byte[] stats) implements NodeMessage {
        /** How much one node may say. */
        public static final int MAX_BYTES = 1_024;

        public Stats {
            if (stats.length > MAX_BYTES) {
                throw new IllegalArgumentException(stats.length + " bytes of stats: at most " + MAX_BYTES);
            }
        }
    }
}
