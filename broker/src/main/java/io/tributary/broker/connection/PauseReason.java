package io.tributary.broker.connection;

/** Why a connection does not take packets for now. */
public enum PauseReason {
    /** The client is being authenticated, or its session is being attached. */
    HANDSHAKE,
    /** A SUBSCRIBE or UNSUBSCRIBE is being made durable, and packets take effect in order. */
    SUBSCRIBING,
    /** The logs behind the shards cannot keep up. */
    CONGESTED,
    /** A PUBLISH waits, for too many messages wait for retained ones to be stored. */
    STORING,
    /** This node does not know all that the other nodes have acknowledged. */
    BEHIND,
    /** A SUBSCRIBE or UNSUBSCRIBE waits until the messages that the client published before it are matched. */
    PUBLISHING,
    /** Too many publishes wait for their acknowledgements. */
    UNACKNOWLEDGED,
    /** The client's message rate is used up. */
    RATE_LIMIT,
    /** The clients of its tenant publish, together, faster than they may. */
    TENANT_RATE,
    /** A SUBSCRIBE or UNSUBSCRIBE waits, for those before it have written as much as they may for now. */
    SUBSCRIBE_RATE,
    /** A client that gets what it publishes cannot keep up, and its listener has publishers wait. */
    SLOW_SUBSCRIBER;

    /** Whether a packet has come that waits to be taken, or to be made durable. */
    boolean holdsPacket() {
        return switch (this) {
            case SUBSCRIBING, STORING, BEHIND, PUBLISHING, TENANT_RATE, SUBSCRIBE_RATE -> true;
            case HANDSHAKE, CONGESTED, UNACKNOWLEDGED, RATE_LIMIT, SLOW_SUBSCRIBER -> false;
        };
    }

    /** Whether the client's own pace is the reason: it sends more than it may, or than it takes answers for. */
    boolean isOfClient() {
        return this == RATE_LIMIT || this == TENANT_RATE || this == SUBSCRIBE_RATE || this == UNACKNOWLEDGED;
    }
}
