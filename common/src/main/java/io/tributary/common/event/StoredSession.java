package io.tributary.common.event;

import org.jspecify.annotations.Nullable;

/**
 * The state of one session but for its queue and its will: what an owner keeps in memory and a store keeps by client.
 *
 * @param clientId the client identifier
 * @param session the identity: the offset of the {@link ShardEvent.Attach} that began it
 * @param epoch the offset of the latest {@code Attach}
 * @param node the node that holds its connection, or null while it is offline
 * @param connection the connection's number on that node
 * @param sessionExpirySeconds how long the session outlives its connection
 * @param receiveMaximum the client's receive maximum at its latest connection
 * @param detachedAtMillis log time of the end of the latest connection; meaningless while it is attached
 * @param willDueAtMillis log time at which the stored will is due, {@link Long#MAX_VALUE} while there is none to come
 * @param lastSequence the highest sequence number given to a message of this session; the first is 1
 * @param resendUpTo messages up to this may have been sent before and carry DUP
 * @param queuedMessages how many entries are in the queue
 * @param queuedBytes the total size of the messages in the queue
 * @param groupUpTo the highest sequence number of a message that came through a shared subscription; 0 when there is
 *     none in the queue
 * @param priorityUpTo the highest sequence number of a message with a priority above 0; 0 when there is none in the
 *     queue
 * @param leftUpTo messages up to this sequence number were left by a session before this one: they are not for this
 *     one, and stay only until those of shared subscriptions are with other members
 * @param topic how far an application has come, null for a device
 * @param inboundPacketIds QoS 2 packet identifiers of the client's own messages between PUBREC and PUBREL, ascending
 * @param acceptedEpoch the epoch of the latest connection from which one of these was accepted; 0 without any
 * @param principal whose session it is: who had the latest connection; null when that is not known, for all connections
 *     were logged in format 1
 */
@SuppressWarnings("ArrayRecordComponent") // never modified; a stored session is replaced as a whole
public record StoredSession(
        String clientId,
        long session,
        long epoch,
        @Nullable String node,
        long connection,
        long sessionExpirySeconds,
        int receiveMaximum,
        long detachedAtMillis,
        long willDueAtMillis,
        long lastSequence,
        SentUpTo resendUpTo,
        long queuedMessages,
        long queuedBytes,
        long groupUpTo,
        long priorityUpTo,
        long leftUpTo,
        @Nullable TopicState topic,
        int[] inboundPacketIds,
        long acceptedEpoch,
        @Nullable Principal principal) {}
