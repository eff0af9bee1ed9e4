package io.tributary.broker.shard.fold;

import io.tributary.common.collection.PacketIdSet;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.SentUpTo;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.event.ShardEvent.TopicPosition;
import io.tributary.common.event.StoredSession;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.Will;
import org.jspecify.annotations.Nullable;

/**
 * One session as the fold of its shard's log: the mutable form of {@link StoredSession}, and its will. Only the fold
 * changes it; all that its owner knows besides is the owner's to keep. An owner has a million of them: what few have
 * takes memory only where it is. Confined to the thread of the shard.
 */
public final class SessionState {
    /** The session expiry interval of a session that never expires, in seconds. */
    public static final long NEVER_EXPIRES_SECONDS = ConnectProperties.NEVER_EXPIRES;

    /** More than any sequence number: an application may have been sent messages of which only its topic knows. */
    public static final long UNKNOWN = Long.MAX_VALUE / 2;

    private static final char STRANDED = '\0';
    private static final int[] NO_PACKET_IDS = {};

    private final String clientId;
    private final long session;
    private Rare rare;

    // Lives with the session.
    private long lastSequence;
    private long resendUpTo;
    private long queuedMessages;
    private long queuedBytes;
    private Tally tally = Tally.NONE;
    private boolean isTalliedAsPersistent;

    // Lives with the latest connection.
    private long epoch;
    private @Nullable String node;
    private long connection;
    /** Unsigned. */
    private int sessionExpirySeconds;

    private int receiveMaximum;
    private long detachedAtMillis;
    private @Nullable Principal principal;

    /** What few sessions have. */
    private static final class Rare {
        /** Of the many that have none of it; never changed. */
        static final Rare NOTHING = new Rare(null);

        final @Nullable TopicProgress topic;

        // Lives with the session.
        /** Null where it is {@link SessionState#resendUpTo} for all priorities. */
        @Nullable
        SentUpTo resendUpTo;

        long groupUpTo;
        long priorityUpTo;
        long leftUpTo;

        @Nullable
        PacketIdSet inboundPacketIds;

        /** From which connection the latest of these came. */
        long acceptedEpoch;

        // Lives with the latest connection.
        long willDueAtMillis = Long.MAX_VALUE;

        @Nullable
        Will will;

        Rare(@Nullable TopicProgress topic) {
            this.topic = topic;
        }

        boolean isNothing() {
            return topic == null
                    && resendUpTo == null
                    && groupUpTo == 0
                    && priorityUpTo == 0
                    && leftUpTo == 0
                    && inboundPacketIds == null
                    && willDueAtMillis == Long.MAX_VALUE
                    && will == null;
        }
    }

    SessionState(String clientId, long session, ClientKind kind) {
        this(clientId, session, kind.isApplication() ? new TopicProgress(kind) : null);
    }

    private SessionState(String clientId, long session, @Nullable TopicProgress topic) {
        this.clientId = clientId;
        this.session = session;
        rare = topic == null ? Rare.NOTHING : new Rare(topic);
    }

    SessionState(StoredSession stored) {
        this(stored.clientId(), stored.session(), stored.topic() == null ? null : new TopicProgress(stored.topic()));
        lastSequence = stored.lastSequence();
        queuedMessages = stored.queuedMessages();
        queuedBytes = stored.queuedBytes();
        Rare has = rare();
        has.groupUpTo = stored.groupUpTo();
        has.priorityUpTo = stored.priorityUpTo();
        has.leftUpTo = stored.leftUpTo();
        has.willDueAtMillis = stored.willDueAtMillis();
        if (stored.inboundPacketIds().length > 0) {
            has.inboundPacketIds = new PacketIdSet(stored.inboundPacketIds());
            has.acceptedEpoch = stored.acceptedEpoch();
        }
        epoch = stored.epoch();
        node = stored.node();
        connection = stored.connection();
        sessionExpirySeconds = unsigned(stored.sessionExpirySeconds());
        receiveMaximum = stored.receiveMaximum();
        detachedAtMillis = stored.detachedAtMillis();
        principal = stored.principal();
        resendUpTo(stored.resendUpTo()); // and leaves nothing that is not needed
    }

    private static int unsigned(long seconds) {
        return (int) Math.min(seconds, NEVER_EXPIRES_SECONDS);
    }

    /** To be changed. */
    private Rare rare() {
        if (rare == Rare.NOTHING) {
            rare = new Rare(null);
        }
        return rare;
    }

    private void forgetNothing() {
        if (rare.isNothing()) {
            rare = Rare.NOTHING;
        }
    }

    /**
     * The name under which the fold keeps messages for a session that is over: no client's, for it has U+0000
     * [MQTT-1.5.4-2].
     */
    static String strandedName(String clientId, long session) {
        return clientId + STRANDED + session;
    }

    /** The client identifier, or a name that no client can have. */
    public String clientId() {
        return clientId;
    }

    /** The client as its subscriptions name it; there is a / behind a U+0000 that stands for something else. */
    public String memberId() {
        return memberId(clientId);
    }

    /** The same for the name of a session: the client by whose identifier the session has its shard. */
    public static String memberId(String clientId) {
        int end = clientId.lastIndexOf(STRANDED);
        return end < 0 || clientId.indexOf('/', end) >= 0 ? clientId : clientId.substring(0, end);
    }

    /** The offset of the Attach that began the session. */
    public long session() {
        return session;
    }

    /** How far an application has come with its topic, which is its queue; null for a device. */
    public @Nullable TopicProgress topic() {
        return rare.topic;
    }

    /** Where the session's messages wait. */
    public ClientKind kind() {
        return rare.topic == null ? ClientKind.DEVICE : rare.topic.kind();
    }

    /** The highest sequence number that was given to a message of a device's queue. */
    public long lastSequence() {
        return lastSequence;
    }

    /** What a connection before the latest may have been sent: it is sent again with DUP. */
    public SentUpTo resendUpTo() {
        return rare.resendUpTo == null ? SentUpTo.all(resendUpTo) : rare.resendUpTo;
    }

    private void resendUpTo(SentUpTo now) {
        resendUpTo = now.lowest();
        if (!now.isOfAll()) {
            rare().resendUpTo = now;
        } else if (rare.resendUpTo != null) {
            rare.resendUpTo = null;
        }
        forgetNothing();
    }

    /** How many messages a device's queue has. */
    public long queuedMessages() {
        return queuedMessages;
    }

    /** The size of a device's queue, in bytes. */
    public long queuedBytes() {
        return queuedBytes;
    }

    /** The sequence number of the last message of a shared subscription, 0 when there is none in the queue. */
    public long groupUpTo() {
        return rare.groupUpTo;
    }

    /** The sequence number of the last message with a priority above 0, 0 when there is none in the queue. */
    public long priorityUpTo() {
        return rare.priorityUpTo;
    }

    /** Messages up to this sequence number were queued for an earlier session, and are not for this one. */
    public long leftUpTo() {
        return rare.leftUpTo;
    }

    /** The offset of the latest connection's Attach. */
    public long epoch() {
        return epoch;
    }

    /** The node that has the session's connection; null when there is none. */
    public @Nullable String node() {
        return node;
    }

    /** The latest connection's number at its node. */
    public long connection() {
        return connection;
    }

    /** The session expiry interval that the client asked for last, in seconds. */
    public long sessionExpirySeconds() {
        return Integer.toUnsignedLong(sessionExpirySeconds);
    }

    /** The latest connection's Receive Maximum. */
    int receiveMaximum() {
        return receiveMaximum;
    }

    /** The log's time at which the session lost its connection; without meaning while there is one. */
    public long detachedAtMillis() {
        return detachedAtMillis;
    }

    /** The log's time at which the delay of the will is over; never where none has begun. */
    public long willDueAtMillis() {
        return rare.willDueAtMillis;
    }

    /** The will of the latest connection, until it is due or dropped. */
    public @Nullable Will will() {
        return rare.will;
    }

    /** Whose session it is; null when that is not known, for all its connections were logged in format 1. */
    public @Nullable Principal principal() {
        return principal;
    }

    /** Where the session is counted. */
    public Tally tally() {
        return tally;
    }

    /** The packet identifiers of the client's QoS 2 messages that wait for PUBREL. */
    public int[] inboundPacketIds() {
        return rare.inboundPacketIds == null ? NO_PACKET_IDS : rare.inboundPacketIds.toArray();
    }

    /** How many QoS 2 messages of the client wait for PUBREL. */
    int unreleased() {
        return rare.inboundPacketIds == null ? 0 : rare.inboundPacketIds.size();
    }

    /** The highest sequence number that a connection may have been sent, as far as the fold knows. */
    private long highestSequence() {
        return rare.topic == null ? lastSequence : UNKNOWN;
    }

    /** Whether the session has a connection. */
    public boolean isAttached() {
        return node != null;
    }

    /** Whether the session's connection is the one of this record. */
    boolean hasConnection(Attach attach) {
        return attach.node().equals(node) && attach.connection() == connection;
    }

    /** Whether the session outlives its connection. */
    public boolean isPersistent() {
        return sessionExpirySeconds != 0;
    }

    /** Whether the latest connection did not begin the session. */
    public boolean isResumed() {
        return epoch != session;
    }

    /** Whether messages are queued for the session: it outlives this connection, or has outlived the one before. */
    public boolean hasQueue() {
        return isPersistent() || isResumed();
    }

    /** Log time at which the session ends if it is not resumed; never for one that is attached or does not expire. */
    public long expiresAtMillis() {
        return isAttached() || sessionExpirySeconds() == NEVER_EXPIRES_SECONDS
                ? Long.MAX_VALUE
                : detachedAtMillis + sessionExpirySeconds() * 1000;
    }

    // What happens to a session.

    /** A connection has the session, by the record at an offset. */
    void connect(long offset, Attach attach) {
        epoch = offset;
        node = attach.node();
        connection = attach.connection();
        sessionExpirySeconds = unsigned(attach.sessionExpirySeconds());
        receiveMaximum = attach.receiveMaximum();
        forgetWill();
        if (attach.will() != null) {
            rare().will = attach.will();
        }
        if (attach.principal() != null && !attach.principal().equals(principal)) { // else the memory is shared already
            principal = attach.principal();
        }
        tallyPersistence();
    }

    /** The connection is gone; the session may go on without one. */
    void detach(long timeMillis, Detach detach) {
        node = null;
        detachedAtMillis = timeMillis;
        sessionExpirySeconds = unsigned(detach.sessionExpirySeconds());
        if (detach.sentUpTo() == null) {
            mayHaveBeenSentAll();
        } else {
            resendUpTo(resendUpTo().or(detach.sentUpTo()));
        }
        tallyPersistence();
    }

    /** The session is one of the shard's from now on, and counts there. */
    void begin(Tally where) {
        tally = where;
        isTalliedAsPersistent = isPersistent();
        tally.add(1, isTalliedAsPersistent ? 1 : 0, queuedBytes);
    }

    /** It is none of the shard's any more. */
    void end() {
        tally.add(-1, isTalliedAsPersistent ? -1 : 0, -queuedBytes);
        tally = Tally.NONE;
    }

    private void tallyPersistence() {
        if (isTalliedAsPersistent != isPersistent()) {
            isTalliedAsPersistent = !isTalliedAsPersistent;
            tally.add(0, isTalliedAsPersistent ? 1 : -1, 0);
        }
    }

    /** The session begins without any connection, and is due to end at once. */
    void beginDetached(long offset, long timeMillis) {
        epoch = offset;
        detachedAtMillis = timeMillis;
    }

    /** It is not known which messages the previous connection was sent. */
    void mayHaveBeenSentAll() {
        resendUpTo(SentUpTo.all(highestSequence()));
    }

    /** Messages above this sequence number were not sent on any connection before. */
    void wasSentAtMost(long sequence) {
        resendUpTo(resendUpTo().and(SentUpTo.all(sequence)));
    }

    /** A message enters the queue; returns its sequence number. */
    long enqueue(QueueEntry.Queued entry) {
        lastSequence++;
        queuedMessages++;
        queuedBytes += entry.sizeBytes();
        tally.add(0, 0, entry.sizeBytes());
        if (entry.group() != null) {
            rare().groupUpTo = lastSequence;
        }
        if (entry.message().priority() > 0) {
            rare().priorityUpTo = lastSequence;
        }
        return lastSequence;
    }

    /** Messages left the queue. */
    void dequeue(long messages, long bytes) {
        queuedMessages = Math.max(0, queuedMessages - messages);
        long left = Math.max(0, queuedBytes - bytes);
        tally.add(0, 0, left - queuedBytes);
        queuedBytes = left;
        if (queuedMessages == 0 && (rare.groupUpTo != 0 || rare.priorityUpTo != 0)) {
            rare.groupUpTo = 0;
            rare.priorityUpTo = 0;
            forgetNothing();
        }
    }

    /** Takes the queue of the client's session before over, for it has messages that are to go to others. */
    void inherit(SessionState before) {
        lastSequence = before.lastSequence;
        resendUpTo(before.resendUpTo());
        queuedMessages = before.queuedMessages;
        queuedBytes = before.queuedBytes;
        Rare has = rare();
        has.groupUpTo = before.rare.groupUpTo;
        has.priorityUpTo = before.rare.priorityUpTo;
        has.leftUpTo = before.lastSequence;
    }

    /** An application is done with a part of its topic. */
    void advance(TopicPosition position) {
        if (rare.topic != null) {
            rare.topic.advance(position.upTo(), position.sources());
        }
        if (isAttached() && epoch == position.epoch()) { // else more may have been sent since
            wasSentAtMost(position.resendUpTo());
        }
    }

    /** The client's QoS 2 message is taken; false when it was before. */
    boolean accept(int packetId) {
        Rare has = rare();
        PacketIdSet accepted = has.inboundPacketIds == null ? new PacketIdSet() : has.inboundPacketIds;
        has.inboundPacketIds = accepted;
        boolean isNew = accepted.add(packetId);
        if (isNew) {
            has.acceptedEpoch = epoch;
        }
        return isNew;
    }

    /**
     * PUBREL came on a connection, which may have been taken over meanwhile by one that its client knows nothing of: a
     * node logs a CONNECT late, when the client has long been at another node. The client has its PUBCOMP, so the
     * identifier is free, unless a later connection has used it since.
     *
     * @return false when nothing waited for it
     */
    boolean release(long byEpoch, int packetId) {
        PacketIdSet accepted = rare.inboundPacketIds;
        if (accepted == null || byEpoch < rare.acceptedEpoch || !accepted.remove(packetId)) {
            return false;
        }
        if (accepted.size() == 0) {
            rare.inboundPacketIds = null;
            rare.acceptedEpoch = 0;
            forgetNothing();
        }
        return true;
    }

    /** A store has this will of the latest connection. */
    void load(Will stored) {
        rare().will = stored;
    }

    /** The will waits for its delay from now on. */
    void delayWill(long delaySeconds) {
        rare().willDueAtMillis = detachedAtMillis + delaySeconds * 1000;
    }

    /** The will is the session's no more. */
    void forgetWill() {
        if (rare.will != null || rare.willDueAtMillis != Long.MAX_VALUE) {
            rare.will = null;
            rare.willDueAtMillis = Long.MAX_VALUE;
            forgetNothing();
        }
    }

    /** The session as a save point has it. */
    public StoredSession toStored() {
        return new StoredSession(
                clientId,
                session,
                epoch,
                node,
                connection,
                sessionExpirySeconds(),
                receiveMaximum,
                detachedAtMillis,
                rare.willDueAtMillis,
                lastSequence,
                resendUpTo(),
                queuedMessages,
                queuedBytes,
                rare.groupUpTo,
                rare.priorityUpTo,
                rare.leftUpTo,
                rare.topic == null ? null : rare.topic.toState(),
                inboundPacketIds(),
                rare.acceptedEpoch,
                principal);
    }
}
