package io.tributary.broker.shard.fold;

import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.event.ShardEvent.WillDue;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.Will;
import org.jspecify.annotations.Nullable;

/**
 * What the fold asks the owner of the shard to do. The fold asks the same each time it folds the same record, so an
 * owner that folds records again, as each does at first, carries out only what has to happen at least once
 * ({@code ReplayEffects}): {@link #forward}, that a session is over, and that a connection is told that it lost its
 * session. A live shard carries out all ({@code ShardService}).
 */
public interface Effects {

    /** A record of this shard's owner was folded. */
    void owned(long epoch);

    /**
     * A connection has its session.
     *
     * @param before what the session had before, null if the connection has begun it
     */
    void attached(SessionState client, @Nullable Before before);

    /**
     * What a session that goes on has lost to what its new connection brought.
     *
     * @param epoch of the connection before
     * @param will its will, unless that is due
     */
    record Before(
            long epoch, long sessionExpirySeconds, @Nullable Will will) {}

    /**
     * A connection loses its session to another one; before anything else that follows from that.
     *
     * @param by the node of the other one
     */
    void takenOver(TakenOver connection, String by);

    /** A connection that lost its session to another one. */
    record TakenOver(String clientId, long epoch, String node, long connection) {}

    /** A connection that had lost its session said how it ended. */
    void endedLate(Detach detach);

    /** A connection does not get the session; nothing has changed. */
    void refused(Attach attach, AttachRefusal reason);

    /** What a connection said was logged where it cannot be folded: its client has to connect and say it again. */
    void unheard(String node, long connection);

    /**
     * A session has no connection and goes on without one; it may be due to end. Also called when a message was added
     * to the queue of a session that is due to end.
     */
    void detached(SessionState client);

    /** A session is over, and the client's next one has its queue, of which nothing is meant for the next one. */
    void inherited(SessionState successor, SessionState before);

    /** A session is over. */
    void sessionEnded(SessionState client);

    /** A message was added to a session's queue. */
    void queued(SessionState client, long sequence, QueueEntry.Queued entry);

    /** It is logged which topic an application has from now on. */
    void topicFound(SessionState client);

    /** PUBRECs of a client are logged. */
    void receivedLogged(SessionState client, long[] sequences);

    /** A relayed message was accepted; it is not when its connection has lost the session meanwhile. */
    void relayed(SessionState publisher, int packetId);

    /** A message goes on to other shards and to transient sessions, in the name of the record that is being folded. */
    void forward(Message message, Destinations destinations);

    /**
     * A will goes on as {@link #forward} has it; what its client publishes next is to come behind it.
     *
     * @param wasDue whether {@link #willDue} told so before, and not a delay that is over
     */
    void forwardWill(WillDue due, boolean wasDue);

    /** A will is to be published now, whatever becomes of its client. */
    void willDue(String clientId, long epoch, Will will);

    /**
     * A will that was due, and for which no {@link WillDue} was folded, is not to be published: its client had said so.
     */
    void willDropped(String clientId, long epoch);
}
