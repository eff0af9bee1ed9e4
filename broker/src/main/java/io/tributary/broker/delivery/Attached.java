package io.tributary.broker.delivery;

import io.tributary.common.event.ClientKind;

/**
 * The answer to an {@code Attach}: the connection has its session.
 *
 * @param session the identity of the session
 * @param epoch the epoch of the connection
 * @param sessionPresent whether the session existed before
 * @param kind where the session's messages wait
 * @param inboundPacketIds QoS 2 packet identifiers of the client's own messages between PUBREC and PUBREL, ascending
 * @param foldedUpTo the offset in the shard's log up to which these are counted; {@link #UNKNOWN} where the owner is
 *     too old to say
 */
@SuppressWarnings("ArrayRecordComponent") // handed on, never compared or modified
public record Attached(
        long session, long epoch, boolean sessionPresent, ClientKind kind, int[] inboundPacketIds, long foldedUpTo) {
    /** The owner does not say (format 3): every offset counts as folded. */
    public static final long UNKNOWN = Long.MAX_VALUE;
}
