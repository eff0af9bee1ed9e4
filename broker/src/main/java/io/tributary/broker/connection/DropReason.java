package io.tributary.broker.connection;

/** Why a message for a client was not sent. */
public enum DropReason {
    /** Its expiry interval was over before it was sent. */
    EXPIRED,
    /** It is larger than the client's maximum packet size. */
    TOO_LARGE,
    /** The session's own queue was full. */
    QUEUE_FULL,
    /** The client may not receive it. */
    NOT_AUTHORIZED
}
