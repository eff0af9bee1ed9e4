package io.tributary.broker.link;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A TCP proxy between two nodes whose connections a test can break, for both sides or for the one that connected only. */
final class CuttableProxy implements AutoCloseable {
    private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final InetSocketAddress target;
    private final List<Socket> near = new CopyOnWriteArrayList<>();
    private final List<Socket> far = new CopyOnWriteArrayList<>();

    CuttableProxy(InetSocketAddress target) throws IOException {
        this.target = target;
        Thread.ofVirtual().start(this::accept);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listening.getLocalSocketAddress();
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

    @Override
    public void close() throws IOException {
        listening.close();
        cut();
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
                Socket server = new Socket(target.getAddress(), target.getPort());
                near.add(client);
                far.add(server);
                Thread.ofVirtual().start(() -> copy(client, server));
                Thread.ofVirtual().start(() -> copy(server, client));
            }
        } catch (IOException closed) {
            return; // the test is over
        }
    }

    private static void copy(Socket from, Socket to) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            in.transferTo(out);
        } catch (IOException cut) {
            return; // as the test wants
        }
    }
}
