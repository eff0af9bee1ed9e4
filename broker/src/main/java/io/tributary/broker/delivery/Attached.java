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
 */
@SuppressWarnings("ArrayRecordComponent") // handed on, never compared or modified
public record Attached(long session, long epoch, boolean sessionPresent, ClientKind kind, int[] inboundPacketIds) {}
