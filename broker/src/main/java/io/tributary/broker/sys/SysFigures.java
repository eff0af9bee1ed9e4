package io.tributary.broker.sys;

/** The figures behind the {@code $SYS} topics, at one time. */
public record SysFigures(Clients clients, Traffic traffic, Kept kept) {

    /**
     * The clients that have sessions.
     *
     * @param connected those with a connection
     * @param disconnected persistent sessions without one
     * @param maximum the most that were connected at once
     * @param applications applications with a connection
     */
    public record Clients(long connected, long disconnected, long maximum, long applications) {}

    /**
     * What has come and gone since the node started.
     *
     * @param connections connections that were opened
     * @param packets MQTT packets of all types
     * @param publishes PUBLISH packets
     * @param publishesDropped messages, or copies of them, that went nowhere
     * @param bytes bytes on the wire
     */
    public record Traffic(long connections, Flow packets, Flow publishes, long publishesDropped, Flow bytes) {}

    /** A count for either direction. */
    public record Flow(long received, long sent) {}

    /**
     * What the broker keeps.
     *
     * @param queuedMessages messages in the queues of persistent sessions
     * @param subscriptions subscriptions, shared ones not counted
     * @param sharedSubscriptions memberships in shared subscriptions
     * @param retainedMessages retained messages
     */
    public record Kept(long queuedMessages, long subscriptions, long sharedSubscriptions, long retainedMessages) {}
}
