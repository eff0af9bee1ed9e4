package io.tributary.broker.connection;

/**
 * Limits of what one client publishes.
 *
 * @param receiveMaximum how many QoS 1 and 2 messages an MQTT 5 client may have open at once
 * @param topicAliasMaximum the highest topic alias that an MQTT 5 client may use; 0 for none
 * @param maxUnacknowledged how many publishes may wait for their acknowledgement before an MQTT 3 client, which knows
 *     no receive maximum, is not read any more
 * @param maxUnreleased how many QoS 2 messages an MQTT 3 client may leave without PUBREL
 * @param checkPayloadFormat whether payloads that say so are checked to be UTF-8
 * @param rate how many messages a second it may publish
 */
public record InboundLimits(
        int receiveMaximum,
        int topicAliasMaximum,
        int maxUnacknowledged,
        int maxUnreleased,
        boolean checkPayloadFormat,
        MessageRate rate) {

    /** Limits that suit most brokers. */
    public static final InboundLimits DEFAULT =
            new InboundLimits(1_000, 32, 1_000, 10_000, false, MessageRate.UNLIMITED);

    /** Checks the ranges. */
    public InboundLimits {
        if (receiveMaximum < 1 || receiveMaximum > 65_535) {
            throw new IllegalArgumentException("receiveMaximum " + receiveMaximum + ": must be 1 to 65535");
        }
        if (topicAliasMaximum < 0 || topicAliasMaximum > 65_535) {
            throw new IllegalArgumentException("topicAliasMaximum " + topicAliasMaximum + ": must be 0 to 65535");
        }
        if (maxUnacknowledged < 1 || maxUnreleased < 1 || maxUnreleased > 65_535) {
            throw new IllegalArgumentException("maxUnacknowledged and maxUnreleased must be positive");
        }
    }
}
