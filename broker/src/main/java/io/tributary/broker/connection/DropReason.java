package io.tributary.broker.connection;

/** Why a message for a client was not sent, or one of a client not taken. */
public enum DropReason {
    /** The message's expiry interval was over before it was sent. */
    EXPIRED,
    /** The message is larger than the client's maximum packet size, or one of its texts than MQTT's 65,535 bytes. */
    TOO_LARGE,
    /** The queue in this node's memory was full: for QoS 0, or of a transient session. */
    QUEUE_FULL,
    /** The client may not receive messages of the topic. */
    NOT_AUTHORIZED,
    /** What a client published is not UTF-8, as it says, and its listener checks that. */
    PAYLOAD_FORMAT_INVALID,
    /** The log did not take a retained message for a persistent session: it is closed or broken. */
    FAILED
}
