package io.tributary.perf.run;

import java.net.InetSocketAddress;

/** Addresses as people write them. */
public final class Addresses {
    private Addresses() {}

    /**
     * One of the form {@code host:port}; an IPv6 host in square brackets.
     *
     * @throws RunException if it is not
     */
    public static InetSocketAddress parse(String text) {
        int colon = text.lastIndexOf(':');
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            if (colon < 1 || port < 0 || port > 65_535) {
                throw new RunException("'" + text + "' is not host:port");
            }
            String host = text.substring(0, colon).replaceAll("[\\[\\]]", "");
            return new InetSocketAddress(host, port);
        } catch (NumberFormatException e) {
            throw new RunException("'" + text + "' is not host:port", e);
        }
    }
}
