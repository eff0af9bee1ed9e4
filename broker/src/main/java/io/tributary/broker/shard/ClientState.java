package io.tributary.broker.shard;

import io.tributary.common.event.ClientKind;
import io.tributary.common.event.StoredSession;
import io.tributary.common.mqtt.Will;
import io.tributary.persistence.app.AppTopics.AppTopic;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One session as the fold of its shard's log: the mutable form of {@link StoredSession}, and its will. */
final class ClientState {
    /** More than any sequence number: an application may have been sent messages of which only its topic knows. */
    static final long UNKNOWN = Long.MAX_VALUE / 2;

    private static final char STRANDED = '\0';

    final String clientId;
    /** The offset of the Attach that began the session. */
    final long session;

    /** How far an application has come with its topic, which is its queue; null for a device. */
    final @Nullable TopicProgress topic;

    // Lives with the session.
    long lastSequence;
    long resendUpTo;
    long queuedMessages;
    long queuedBytes;
    long groupUpTo;
    long leftUpTo;
    final TreeSet<Integer> inboundPacketIds = new TreeSet<>();

    // Lives with the latest connection.
    long epoch;

    @Nullable
    String node;

    long connection;
    long sessionExpirySeconds;
    int receiveMaximum;
    long detachedAtMillis;
    long willDueAtMillis = Long.MAX_VALUE;

    @Nullable
    Will will;

    /** Whether what an earlier session left is being taken out of the queue; not folded, only the owner's. */
    boolean isSweeping;

    // What the owner has dropped of the queue, without gaps, since the client went; not folded.
    private long trimmedFrom;
    private long trimmedUpTo;

    /** The mean size of what an application read last; not folded, only the owner's. */
    double meanReadBytes = ApplicationLag.UNKNOWN;

    /** Where an application's topic ended when that was asked last; not folded, only the owner's. */
    long knownEnd;

    /** What the latest connection was handed at most, as far as this owner knows; not folded, only the owner's. */
    long handedUpTo = Long.MAX_VALUE;

    ClientState(String clientId, long session, ClientKind kind) {
        this(clientId, session, kind.isApplication() ? new TopicProgress(kind) : null);
    }

    private ClientState(String clientId, long session, @Nullable TopicProgress topic) {
        this.clientId = clientId;
        this.session = session;
        this.topic = topic;
    }

    ClientState(StoredSession stored) {
        this(stored.clientId(), stored.session(), stored.topic() == null ? null : new TopicProgress(stored.topic()));
        lastSequence = stored.lastSequence();
        resendUpTo = stored.resendUpTo();
        queuedMessages = stored.queuedMessages();
        queuedBytes = stored.queuedBytes();
        groupUpTo = stored.groupUpTo();
        leftUpTo = stored.leftUpTo();
        for (int packetId : stored.inboundPacketIds()) {
            inboundPacketIds.add(packetId);
        }
        epoch = stored.epoch();
        node = stored.node();
        connection = stored.connection();
        sessionExpirySeconds = stored.sessionExpirySeconds();
        receiveMaximum = stored.receiveMaximum();
        detachedAtMillis = stored.detachedAtMillis();
        willDueAtMillis = stored.willDueAtMillis();
    }

    /** The name under which the fold keeps messages for a session that is over: no client's, for it has U+0000 [MQTT-1.5.4-2]. */
    static String strandedName(String clientId, long session) {
        return clientId + STRANDED + session;
    }

    /** The client as its subscriptions name it. */
    String memberId() {
        int end = clientId.indexOf(STRANDED);
        return end < 0 ? clientId : clientId.substring(0, end);
    }

    /** Where the session's messages wait. */
    ClientKind kind() {
        return topic == null ? ClientKind.DEVICE : topic.kind;
    }

    /** The topic in which an application's messages wait; for an application only. */
    AppTopic appTopic() {
        return topicOf(clientId, kind());
    }

    /** The topic of an application. */
    static AppTopic topicOf(String clientId, ClientKind kind) {
        return new AppTopic(clientId, kind == ClientKind.SMALL_APPLICATION);
    }

    /** The highest sequence number that a connection may have been sent when nobody knows better. */
    long highestSequence() {
        return topic == null ? lastSequence : UNKNOWN;
    }

    /** The highest sequence number that a client without a connection may have been sent. */
    long maybeSentUpTo() {
        return Math.min(resendUpTo, handedUpTo);
    }

    boolean isAttached() {
        return node != null;
    }

    /** Whether the session outlives its connection. */
    boolean isPersistent() {
        return sessionExpirySeconds > 0;
    }

    /** Whether the latest connection did not begin the session. */
    boolean isResumed() {
        return epoch != session;
    }

    /** Whether messages are queued for the session: it outlives this connection, or has outlived the one before. */
    boolean hasQueue() {
        return isPersistent() || isResumed();
    }

    /** Log time at which the session ends if it is not resumed; never for one that is attached or does not expire. */
    long expiresAtMillis() {
        return isAttached() || sessionExpirySeconds == ShardState.NEVER_EXPIRES_SECONDS
                ? Long.MAX_VALUE
                : detachedAtMillis + sessionExpirySeconds * 1000;
    }

    void removedFromQueue(long messages, long bytes) {
        queuedMessages = Math.max(0, queuedMessages - messages);
        queuedBytes = Math.max(0, queuedBytes - bytes);
        if (queuedMessages == 0) {
            groupUpTo = 0;
        }
    }

    /** Takes the queue of the client's session before over, for it has messages that are to go to others. */
    void inherit(ClientState before) {
        lastSequence = before.lastSequence;
        resendUpTo = before.resendUpTo;
        queuedMessages = before.queuedMessages;
        queuedBytes = before.queuedBytes;
        groupUpTo = before.groupUpTo;
        leftUpTo = before.lastSequence;
    }

    /** Up to where the queue was looked through for what is too much, since the client went. */
    long trimmedUpTo() {
        return trimmedUpTo;
    }

    /** The queue is looked through from a sequence number on; what was passed over is not dropped. */
    void trimsFrom(long sequence) {
        if (sequence > trimmedUpTo + 1) {
            trimmedFrom = sequence;
        }
    }

    /** An entry of the queue was looked at, for there are too many; later ones follow. */
    void trimmed(long sequence, boolean isDropped) {
        trimmedUpTo = sequence;
        if (!isDropped) {
            trimmedFrom = sequence + 1;
        }
    }

    /** The client went: some of what it was handed was not sent, and is looked at again. */
    void untrimmed() {
        trimmedFrom = 0;
        trimmedUpTo = 0;
    }

    /** The first sequence number from the given one on that was not dropped. */
    long firstKept(long sequence) {
        return sequence >= trimmedFrom && sequence <= trimmedUpTo ? trimmedUpTo + 1 : sequence;
    }

    int[] inboundPacketIdArray() {
        return inboundPacketIds.stream().mapToInt(Integer::intValue).toArray();
    }

    StoredSession toStored() {
        return new StoredSession(
                clientId,
                session,
                epoch,
                node,
                connection,
                sessionExpirySeconds,
                receiveMaximum,
                detachedAtMillis,
                willDueAtMillis,
                lastSequence,
                resendUpTo,
                queuedMessages,
                queuedBytes,
                groupUpTo,
                leftUpTo,
                topic == null ? null : topic.toState(),
                inboundPacketIdArray());
    }
}
