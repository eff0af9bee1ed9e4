package io.tributary.localcluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/** Ports of the loopback interface. */
final class Ports {
    /** Below those that systems give to outgoing connections, so that none takes a port before its server does. */
    private static final int FROM = 20_000;

    private static final int TO = 32_000;

    private static final Set<Integer> GIVEN = new HashSet<>();

    private Ports() {}

    /** This many ports on which nobody listens and which this JVM has not given out before. */
    static synchronized List<Integer> free(int count) {
        List<Integer> ports = new ArrayList<>();
        while (ports.size() < count) {
            int port = ThreadLocalRandom.current().nextInt(FROM, TO);
            if (!GIVEN.contains(port) && isFree(port)) {
                GIVEN.add(port);
                ports.add(port);
            }
        }
        return List.copyOf(ports);
    }

    /** Ports one after the other. */
    static List<Integer> range(int first, int count) {
        return IntStream.range(first, first + count).boxed().toList();
    }

    /** Ports one after the other from the first; any free ones when that is 0. */
    static List<Integer> from(int first, int count) {
        return first == 0 ? free(count) : range(first, count);
    }

    /** Whether a server could listen there now. */
    static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            // As servers do: connections that an earlier server has closed do not count.
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
