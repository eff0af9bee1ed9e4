package io.tributary.cluster.link;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A TCP proxy whose connections a test can break, for both sides or for the one that connected only, or have stand
 * still. Where its target names servers, clients can be told proxies instead.
 */
public final class CuttableProxy implements AutoCloseable {
    private static final byte[] HOST = "127.0.0.1".getBytes(US_ASCII);
    private static final int BUFFER_BYTES = 64 * 1024;

    private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final InetSocketAddress target;
    private final List<Socket> near = new CopyOnWriteArrayList<>();
    private final List<Socket> far = new CopyOnWriteArrayList<>();
    /** What is replaced in what the target says. */
    private volatile Map<ByteBuffer, byte[]> names = Map.of();

    private boolean stalled; // guarded by this

    public CuttableProxy(InetSocketAddress target) throws IOException {
        this.target = target;
        Thread.ofVirtual().start(this::accept);
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) listening.getLocalSocketAddress();
    }

    /**
     * From now on the target seems to name proxies where it names servers, in the words of Redis and in those of Kafka.
     *
     * @param proxies the port of each server's proxy; of ports of 127.0.0.1 that have five digits
     */
    public void rename(Map<Integer, Integer> proxies) {
        Map<ByteBuffer, byte[]> all = new TreeMap<>();
        proxies.forEach((server, proxy) -> {
            all.put(ByteBuffer.wrap(words(server)), words(proxy));
            all.put(ByteBuffer.wrap(number(server)), number(proxy));
        });
        names = all;
    }

    private static byte[] words(int port) {
        return ("127.0.0.1:" + port).getBytes(US_ASCII);
    }

    private static byte[] number(int port) {
        return ByteBuffer.allocate(HOST.length + Integer.BYTES)
                .put(HOST)
                .putInt(port)
                .array();
    }

    /** Whether somebody has connected, and is still there. */
    public boolean isInUse() {
        return !near.isEmpty();
    }

    /** Breaks all connections. */
    void cut() throws IOException {
        closeAll(near);
        closeAll(far);
    }

    /** Breaks all connections for those who connected; the target does not notice. */
    void cutNear() throws IOException {
        closeAll(near);
    }

    /** Lets no byte through, either way, until {@link #flow}: nothing is closed, as where a network has a hole. */
    public synchronized void stall() {
        stalled = true;
    }

    /** Lets through what has waited, and all else. */
    public synchronized void flow() {
        stalled = false;
        notifyAll();
    }

    @Override
    public void close() throws IOException {
        listening.close();
        cut();
        flow();
    }

    private static void closeAll(List<Socket> sockets) throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                Thread.ofVirtual().start(() -> connect(client));
            }
        } catch (IOException closed) {
            return; // the test is over
        }
    }

    private void connect(Socket client) {
        near.add(client);
        try {
            awaitFlow();
            Socket server = new Socket(target.getAddress(), target.getPort());
            far.add(server);
            Thread.ofVirtual().start(() -> copy(client, server, false));
            copy(server, client, true);
            far.remove(server);
        } catch (IOException refused) {
            closeQuietly(client);
        } finally {
            near.remove(client);
        }
    }

    private synchronized void awaitFlow() throws IOException {
        while (stalled) {
            try {
                wait();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
    }

    private void copy(Socket from, Socket to, boolean answers) {
        byte[] bytes = new byte[BUFFER_BYTES];
        int kept = 0;
        try {
            OutputStream out = to.getOutputStream();
            while (true) {
                int read = from.getInputStream().read(bytes, kept, bytes.length - kept);
                awaitFlow();
                int length = kept + Math.max(0, read);
                kept = answers && read > 0 ? renamed(bytes, length) : 0;
                out.write(bytes, 0, length - kept);
                System.arraycopy(bytes, length - kept, bytes, 0, kept);
                if (read < 0) {
                    to.shutdownOutput();
                    return;
                }
            }
        } catch (IOException cut) {
            closeQuietly(from);
            closeQuietly(to);
        }
    }

    /** Replaces names; returns how many bytes at the end may be the beginning of one. */
    private int renamed(byte[] bytes, int length) {
        Map<ByteBuffer, byte[]> replaced = names;
        for (int at = 0; at < length && !replaced.isEmpty(); at++) {
            int host = Math.min(HOST.length, length - at);
            if (!Arrays.equals(bytes, at, at + host, HOST, 0, host)) {
                continue;
            }
            for (Map.Entry<ByteBuffer, byte[]> name : replaced.entrySet()) {
                byte[] server = name.getKey().array();
                int there = Math.min(server.length, length - at);
                if (Arrays.equals(bytes, at, at + there, server, 0, there)) {
                    if (there < server.length) {
                        return there;
                    }
                    System.arraycopy(name.getValue(), 0, bytes, at, there);
                }
            }
        }
        return 0;
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            return; // it is closed anyway
        }
    }
}
