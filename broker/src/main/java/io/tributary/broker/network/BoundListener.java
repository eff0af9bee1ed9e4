package io.tributary.broker.network;

import io.netty.util.NetUtil;
import java.net.InetSocketAddress;

/**
 * A listener that listens.
 *
 * @param name its name in the configuration
 * @param address where, with the port that was picked when the configuration left that open
 */
public record BoundListener(String name, InetSocketAddress address) {

    /** Host and port, for people to read. */
    @Override
    public String toString() {
        return NetUtil.toSocketAddressString(address);
    }
}
