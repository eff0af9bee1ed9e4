package io.tributary.perf.run;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

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

    /**
     * Those behind one of the form {@code host:port}: each address of the name, where a balancer has several, or a
     * headless Service of Kubernetes; the name itself where it has one or none. Asks the name service, and so blocks.
     *
     * @throws RunException if it is not of that form
     */
    public static List<InetSocketAddress> all(String text) {
        return all(text, Addresses::ofHost);
    }

    static List<InetSocketAddress> all(String text, Function<String, List<InetAddress>> names) {
        InetSocketAddress one = parse(text);
        List<InetAddress> found = names.apply(one.getHostString());
        return found.size() < 2
                ? List.of(one)
                : found.stream()
                        .map(address -> new InetSocketAddress(address, one.getPort()))
                        .toList();
    }

    /**
     * The addresses of a host, in an order that does not change: of one family, for a program that has both is asked
     * once; and of loopback one, for few programs listen at all of it. None of a name that nobody knows.
     */
    public static List<InetAddress> ofHost(String host) {
        try {
            InetAddress[] all = InetAddress.getAllByName(host);
            return Stream.of(all)
                    .filter(address -> address.getClass() == all[0].getClass())
                    .limit(all[0].isLoopbackAddress() ? 1 : all.length)
                    .sorted(Comparator.comparing(InetAddress::getHostAddress))
                    .toList();
        } catch (UnknownHostException e) {
            return List.of();
        }
    }
}
