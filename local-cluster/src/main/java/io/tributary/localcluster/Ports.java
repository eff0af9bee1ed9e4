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

/**
 * Ports of the loopback interface. They lie below those that systems give to outgoing connections: a client that tries
 * again while its server is down must not be given the server's port, or even connect to itself.
 *
 * <p>Programs side by side never give out the same one if the system property {@code localcluster.part} is another
 * number from 1 to 3 for each: the third of the ports that is given out.
 */
public final class Ports {
    private static final int PART = 6_600;
    private static final int FROM = 12_000 + PART * (Integer.getInteger("localcluster.part", 2) - 1);
    private static final int TO = FROM + PART;

    private static final Set<Integer> GIVEN = new HashSet<>();

    private Ports() {}

    /** A port on which nobody listens and which this JVM has not given out before. */
    public static int free() {
        return free(1).getFirst();
    }

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
