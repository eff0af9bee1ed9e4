package io.tributary.server;

import io.tributary.server.settings.AgentCheckSettings;
import io.tributary.server.settings.check.SettingException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A port at which HAProxy asks how many clients this broker is to get ({@code agent-check}): each connection is
 * answered with one line of {@link AgentAnswer}, and closed. Whoever holds connections open holds at most
 * {@value #MOST_OF_PEER} of them, for a second each, and all together {@value #MOST_CONNECTIONS}; further ones are
 * closed without an answer, which HAProxy takes for no news.
 */
final class AgentCheck implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AgentCheck.class);
    private static final int MOST_CONNECTIONS = 128;
    /** Several processes of HAProxy may ask from one address. */
    private static final int MOST_OF_PEER = 16;

    private static final int BACKLOG = 64;
    private static final int MOST_READ = 256;
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Duration NEWS_EACH = Duration.ofMillis(500);

    private final @Nullable ServerSocket listening;
    private final Supplier<String> answer;
    // Guarded by answer.
    private @Nullable String line;
    private long lineNanos;
    private final Map<InetAddress, Integer> connections = new HashMap<>(); // guarded by itself

    /**
     * Begins to listen, where a port is set.
     *
     * @param answer the line without its end; must not block
     * @throws SettingException when nobody can listen there
     */
    AgentCheck(AgentCheckSettings settings, Supplier<String> answer) {
        this.answer = answer;
        Integer port = settings.port();
        listening = port == null ? null : listen(settings.host(), port);
        if (listening != null) {
            ServerSocket socket = listening;
            LOG.info("HAProxy's agent-check at {}, port {}", settings.host(), socket.getLocalPort());
            Thread _ =
                    Thread.ofPlatform().name("tributary-agent-check").daemon().start(() -> accept(socket));
        }
    }

    /** Where it listens; 0 where it does not. */
    int port() {
        return listening == null ? 0 : listening.getLocalPort();
    }

    private static ServerSocket listen(String host, int port) {
        try {
            ServerSocket socket = new ServerSocket();
            socket.bind(new InetSocketAddress(InetAddress.getByName(host), port), BACKLOG);
            return socket;
        } catch (IOException e) {
            throw new SettingException(
                    AgentCheckSettings.PORT, "'" + port + "' cannot be listened at on " + host + ": " + e.getMessage());
        }
    }

    private void accept(ServerSocket socket) {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                if (admit(client.getInetAddress())) {
                    Thread _ = Thread.ofVirtual().start(() -> serve(client));
                } else {
                    client.close();
                }
            } catch (IOException e) {
                LOG.debug("a connection to the agent-check was not accepted", e);
                LockSupport.parkNanos(PATIENCE.toNanos()); // no files left, say
            }
        }
    }

    private boolean admit(InetAddress peer) {
        synchronized (connections) {
            int all = connections.values().stream().mapToInt(count -> count).sum();
            int ofPeer = connections.getOrDefault(peer, 0);
            boolean hasRoom = all < MOST_CONNECTIONS && ofPeer < MOST_OF_PEER;
            if (hasRoom) {
                connections.put(peer, ofPeer + 1);
            }
            return hasRoom;
        }
    }

    private void leave(InetAddress peer) {
        synchronized (connections) {
            connections.computeIfPresent(peer, (_, count) -> count == 1 ? null : count - 1);
        }
    }

    /** The status costs something, and the load is that of the time since it was asked last. */
    private String line() {
        synchronized (answer) {
            String known = line;
            if (known == null || System.nanoTime() - lineNanos > NEWS_EACH.toNanos()) {
                known = answer.get();
                line = known;
                lineNanos = System.nanoTime();
            }
            return known;
        }
    }

    /** What comes from the other side is read first: closed over it, the answer would be lost. */
    private void serve(Socket client) {
        InetAddress peer = client.getInetAddress();
        try (client) {
            client.getOutputStream().write((line() + "\n").getBytes(StandardCharsets.US_ASCII));
            client.shutdownOutput();
            InputStream in = client.getInputStream();
            long until = System.nanoTime() + PATIENCE.toNanos();
            int read = 0;
            boolean isOver = false;
            while (!isOver && read < MOST_READ) {
                long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
                client.setSoTimeout((int) Math.max(1, left));
                isOver = left <= 0 || in.read() < 0;
                read++;
            }
        } catch (IOException e) {
            LOG.debug("an agent-check ended early", e);
        } finally {
            leave(peer);
        }
    }

    @Override
    public void close() {
        try {
            if (listening != null) {
                listening.close();
            }
        } catch (IOException e) {
            LOG.debug("the agent-check's port was not closed", e);
        }
    }
}
