package io.tributary.server.blackbox.foreign;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stands between a client and the broker, so that a connection can be cut which the client's library would only close
 * politely, and so that one can see that something is said on it.
 */
final class Cable implements Closeable {
    private static final int CHUNK_BYTES = 64 * 1024;

    private final int brokerPort;
    private final ServerSocket server = new ServerSocket();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger answers = new AtomicInteger();

    Cable(int brokerPort) throws IOException {
        this.brokerPort = brokerPort;
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** How many times the broker has said something. */
    int answers() {
        return answers.get();
    }

    /** Breaks all connections; neither side hears why. New ones can be made. */
    void cut() {
        for (Socket socket : sockets) {
            cut(socket);
        }
        sockets.clear();
    }

    @Override
    public void close() throws IOException {
        server.close();
        cut();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                connect(server.accept());
            } catch (IOException ended) {
                // the loop ends with the server socket; a broker that is not there is the client's concern
            }
        }
    }

    private void connect(Socket client) throws IOException {
        sockets.add(client);
        Socket broker = new Socket();
        try {
            broker.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), brokerPort));
        } catch (IOException refused) {
            cut(client);
            throw refused;
        }
        sockets.add(broker);
        client.setTcpNoDelay(true);
        broker.setTcpNoDelay(true);
        Thread.ofVirtual().start(() -> pump(client, broker, new AtomicInteger()));
        Thread.ofVirtual().start(() -> pump(broker, client, answers));
    }

    private static void pump(Socket from, Socket to, AtomicInteger chunks) {
        byte[] chunk = new byte[CHUNK_BYTES];
        try (from;
                to;
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                out.write(chunk, 0, count);
                chunks.incrementAndGet();
            }
        } catch (IOException ended) {
            // closing both sockets hands it on
        }
    }

    private static void cut(Socket socket) {
        try {
            socket.setSoLinger(true, 0); // a reset, not an end of stream
            socket.close();
        } catch (IOException ignored) {
            // it is broken, which is what was asked
        }
    }
}
