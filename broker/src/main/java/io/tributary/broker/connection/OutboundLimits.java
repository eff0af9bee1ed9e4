package io.tributary.broker.connection;

/**
 * Limits of what is on its way to one client.
 *
 * @param maxInFlight how many QoS 1 and 2 messages are sent ahead of their acknowledgements, at most; the client's
 *     receive maximum counts where it is lower
 * @param topicAliasMaximum how many topic aliases are used towards a client that allows so many
 * @param queueMessages how many messages of QoS 0, and how many others of a transient session, wait at most
 * @param queueBytes how many bytes the waiting messages of each of these two kinds have at most
 * @param overflow which message is dropped beyond that
 */
public record OutboundLimits(
        int maxInFlight, int topicAliasMaximum, int queueMessages, long queueBytes, Overflow overflow) {

    /** What a full queue drops. */
    public enum Overflow {
        /** The message that waits longest. */
        DROP_OLDEST,
        /** The message that comes. */
        DROP_NEWEST
    }

    /** Limits that suit most brokers. */
    public static final OutboundLimits DEFAULT =
            new OutboundLimits(1_000, 32, 1_000, 4L * 1024 * 1024, Overflow.DROP_NEWEST);

    /** Checks the ranges. */
    public OutboundLimits {
        if (maxInFlight < 1 || maxInFlight > 65_535) {
            throw new IllegalArgumentException("maxInFlight " + maxInFlight + ": must be 1 to 65535");
        }
        if (topicAliasMaximum < 0 || topicAliasMaximum > 65_535) {
            throw new IllegalArgumentException("topicAliasMaximum " + topicAliasMaximum + ": must be 0 to 65535");
        }
        if (queueMessages < 1 || queueBytes < 1) {
            throw new IllegalArgumentException("queueMessages and queueBytes must be positive");
        }
    }
}
