package io.tributary.broker.connection;

/** Why a message for a client was not sent. */
public enum DropReason {
    /** The message's expiry interval was over before it was sent. */
    EXPIRED,
    /** The message is larger than the client's maximum packet size, or one of its texts than MQTT's 65,535 bytes. */
    TOO_LARGE,
    /** The queue in this node's memory was full: for QoS 0, or of a transient session. */
    QUEUE_FULL,
    /** The client may not receive messages of the topic. */
    NOT_AUTHORIZED,
    /** The log did not take a retained message for a persistent session: it is closed or broken. */
    FAILED
}
