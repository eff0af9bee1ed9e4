package io.tributary.broker.connection;

import io.tributary.common.codec.DecoderLimits;

/**
 * What the clients of one listener may ask of the broker.
 *
 * @param packets limits of single packets
 * @param connect limits of CONNECT and of the connection as a whole
 * @param inbound limits of what a client publishes
 * @param outbound limits of what is on its way to a client
 */
public record ClientLimits(
        DecoderLimits packets, ConnectLimits connect, InboundLimits inbound, OutboundLimits outbound) {

    /** Limits that suit most brokers. */
    public static final ClientLimits DEFAULT = new ClientLimits(
            DecoderLimits.DEFAULT, ConnectLimits.DEFAULT, InboundLimits.DEFAULT, OutboundLimits.DEFAULT);
}
