package io.tributary.common.event;

import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.Will;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What happens to the sessions of a shard, as the shard's log records it. Everything that changes a session is one of
 * these; the state of a shard is the fold of its log. An event has no time of its own: its time is the log's.
 *
 * <p>A connection's <em>epoch</em> is the offset of its {@link Attach}; a session's identity is the offset of the
 * {@code Attach} that began it; an owner's epoch is the offset of its {@link Owner}.
 */
public sealed interface ShardEvent {

    /**
     * A message for persistent sessions of this shard, from the node that received it or forwarded by a shard.
     *
     * @param source where it was forwarded from, or null when it comes straight from a publisher
     * @param recipients at most {@link #MAX_RECIPIENTS}
     */
    record Publish(
            Message message,
            List<Recipient> recipients,
            @Nullable Source source) implements ShardEvent {
        public Publish {
            recipients = List.copyOf(recipients);
        }
    }

    /** The most recipients one {@link Publish} names; more are split over several records. */
    int MAX_RECIPIENTS = 200;

    /**
     * A QoS 2 message from a persistent publisher of this shard, to be forwarded once.
     *
     * @param clientId the publisher
     * @param epoch the publisher's connection
     * @param packetId its packet identifier, in use until {@link Release}
     */
    record Relay(String clientId, long epoch, int packetId, Message message, Destinations destinations)
            implements ShardEvent {

        /** The same to other destinations. */
        public Relay to(Destinations others) {
            return others.equals(destinations) ? this : new Relay(clientId, epoch, packetId, message, others);
        }
    }

    /** A publisher's PUBREL: the packet identifier is free again. */
    record Release(String clientId, long epoch, int packetId) implements ShardEvent {}

    /**
     * A connection wants the session: takeover, resumption or a new session.
     *
     * @param node the node that holds the connection
     * @param connection the connection's number there, unique while the node lives
     * @param cleanStart whether an existing session is to end first
     * @param sessionExpirySeconds how long the session outlives the connection; 0 makes it transient,
     *     {@code 0xFFFFFFFF} makes it stay for good
     * @param receiveMaximum how many unacknowledged messages the client takes at once
     * @param kind where the messages of a new session wait; a session that exists stays where it is, and is not to be
     *     had by a device when it is an application's, nor the other way round
     * @param will the will, or null
     * @param principal who the client is; the session of another one is not to be had. Null when it is not known, for
     *     the record is of format 1: then principals are not compared
     * @param takesAnyones whether the session is to be had though it is another principal's, as the configuration says
     * @param exhausted which limits of the client's tenant are reached
     */
    record Attach(
            String clientId,
            String node,
            long connection,
            boolean cleanStart,
            long sessionExpirySeconds,
            int receiveMaximum,
            ClientKind kind,
            @Nullable Will will,
            @Nullable Principal principal,
            boolean takesAnyones,
            Exhausted exhausted)
            implements ShardEvent {

        /** One whose tenant has room, or that has none. */
        public Attach(
                String clientId,
                String node,
                long connection,
                boolean cleanStart,
                long sessionExpirySeconds,
                int receiveMaximum,
                ClientKind kind,
                @Nullable Will will,
                @Nullable Principal principal,
                boolean takesAnyones) {
            this(
                    clientId,
                    node,
                    connection,
                    cleanStart,
                    sessionExpirySeconds,
                    receiveMaximum,
                    kind,
                    will,
                    principal,
                    takesAnyones,
                    Exhausted.NOTHING);
        }
    }

    /**
     * A connection ended.
     *
     * @param epoch the connection; an old one changes nothing
     * @param publishWill whether the will is to be published, after its delay
     * @param sessionExpirySeconds the expiry interval that now holds, which DISCONNECT may have changed
     * @param sentUpTo what was sent to the client: it may have been seen and carries DUP when it is sent again. Null
     *     when the connection's node is gone and this is not known.
     * @param willBefore the will that the session had before a connection that was refused, and has again
     */
    record Detach(
            String clientId,
            long epoch,
            boolean publishWill,
            long sessionExpirySeconds,
            @Nullable SentUpTo sentUpTo,
            @Nullable Will willBefore)
            implements ShardEvent {
        /** One of a connection that was not refused. */
        public Detach(
                String clientId,
                long epoch,
                boolean publishWill,
                long sessionExpirySeconds,
                @Nullable SentUpTo sentUpTo) {
            this(clientId, epoch, publishWill, sessionExpirySeconds, sentUpTo, null);
        }

        /** One that says for all priorities the same; -1 when it is not known. */
        public Detach(String clientId, long epoch, boolean publishWill, long sessionExpirySeconds, long sentUpTo) {
            this(clientId, epoch, publishWill, sessionExpirySeconds, sentUpTo < 0 ? null : SentUpTo.all(sentUpTo));
        }
    }

    /** A new owner took the shard over; its epoch is this record's offset, and older owners are void. */
    record Owner(String node) implements ShardEvent {}

    /**
     * Messages that clients acknowledged and messages that were dropped, as the owner with the given epoch knows.
     *
     * @param positions how far applications have come; what they have settled up to there is not among the clients'
     */
    record Settled(long ownerEpoch, List<ClientSettled> clients, List<TopicPosition> positions) implements ShardEvent {
        public Settled {
            clients = List.copyOf(clients);
            positions = List.copyOf(positions);
        }
    }

    /**
     * How far an application has come with its topic.
     *
     * @param upTo all messages up to this sequence number are done with, or are not the session's
     * @param epoch the connection that the application has
     * @param resendUpTo no message above this sequence number was sent when that connection had come to {@code upTo}
     * @param sources the sources up to {@code upTo} that are later than what the session's state has
     */
    record TopicPosition(String clientId, long session, long epoch, long upTo, long resendUpTo, List<Source> sources) {
        public TopicPosition {
            sources = List.copyOf(sources);
        }
    }

    /**
     * An application's topic is there, and is another one than the session's state has, or has lost its end: its
     * positions become sequence numbers in another way from now on. Nothing of it is handed to a connection before that
     * is logged.
     *
     * @param topic which topic it is
     * @param base what makes its positions sequence numbers
     * @param first the lowest sequence number of its messages, above all that were used
     */
    record TopicFound(long ownerEpoch, String clientId, long session, String topic, long base, long first)
            implements ShardEvent {}

    /**
     * The part of {@link Settled} that one session has. Each sequence number is settled once.
     *
     * @param settled sequence numbers that are done with: acknowledged, expired, dropped or trimmed
     * @param settledBytes the total size of their messages
     * @param received sequence numbers of QoS 2 messages whose PUBREC came: only PUBREL is sent for them from now on
     */
    @SuppressWarnings("ArrayRecordComponent") // never modified
    record ClientSettled(String clientId, long session, long[] settled, long settledBytes, long[] received) {}

    /**
     * A session's expiry interval is over: the session ends, unless it was resumed meanwhile, or a message of a shared
     * subscription was added to its queue that is not handed to another member yet.
     *
     * @param ownerEpoch the owner that appended the event; an event of an old owner is void
     * @param redistributedUpTo the queue has no message of a shared subscription up to this sequence number any more
     */
    record SessionExpired(long ownerEpoch, String clientId, long epoch, long redistributedUpTo) implements ShardEvent {}

    /**
     * A will is due and was matched: it is forwarded, unless it has been cancelled meanwhile.
     *
     * @param epoch the connection that left the will
     * @param message the will with its expiry time filled in
     */
    record WillDue(String clientId, long epoch, Message message, Destinations destinations) implements ShardEvent {}

    /** Messages that a leaving member of a shared subscription was not sent, handed to other members. */
    record Redistribution(long ownerEpoch, String clientId, long session, List<MovedMessage> moved)
            implements ShardEvent {
        public Redistribution {
            moved = List.copyOf(moved);
        }
    }

    /** One message of a {@link Redistribution}: it leaves the session's queue and goes to the destinations. */
    record MovedMessage(long sequence, long bytes, Message message, Destinations destinations) {}

    /**
     * The state of one session at an earlier offset, logged again so that the log alone can rebuild it when its
     * beginning is deleted. It says nothing new and the fold ignores it; only an owner that rebuilds a lost state reads
     * it.
     *
     * <p>A log snapshot is of all sessions as they were at one offset: {@code SnapshotSession}s and
     * {@link SnapshotQueue}s, which count when a {@link SnapshotComplete} of the same owner and offset follows.
     *
     * @param ownerEpoch the owner that logs the snapshot
     * @param asOf the offset up to which (inclusive) the log is folded in this state
     * @param will the will of the session's latest connection, or null; never one that was due
     */
    record SnapshotSession(
            long ownerEpoch,
            long asOf,
            StoredSession session,
            @Nullable Will will) implements ShardEvent {}

    /**
     * Entries that the queue of a {@link SnapshotSession} has: all that were there at its offset, but for some
     * that were settled between that and this record.
     */
    record SnapshotQueue(long ownerEpoch, long asOf, String clientId, List<SnapshotEntry> entries)
            implements ShardEvent {
        public SnapshotQueue {
            entries = List.copyOf(entries);
        }
    }

    /** An entry of a queue under its sequence number. */
    record SnapshotEntry(long sequence, QueueEntry entry) {}

    /**
     * All sessions that there were at the offset are logged again; no will was due then.
     *
     * @param foldedOwner the epoch of the latest owner at that offset
     * @param sources the latest source applied by then from each shard that forwarded something
     */
    record SnapshotComplete(long ownerEpoch, long asOf, long foldedOwner, List<Source> sources) implements ShardEvent {
        public SnapshotComplete {
            sources = List.copyOf(sources);
        }
    }
}
