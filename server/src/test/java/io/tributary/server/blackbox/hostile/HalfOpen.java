package io.tributary.server.blackbox.hostile;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Many connections on which next to nothing happens, run by one thread: some say nothing, some a byte now and then. One
 * thread.
 */
final class HalfOpen implements AutoCloseable {
    private static final int CONNECT_BATCH = 200;
    private static final Duration LOOK = Duration.ofMillis(50);

    private final Selector selector = Selector.open();
    private final List<SocketChannel> channels = new ArrayList<>();
    private final ByteBuffer trash = ByteBuffer.allocate(4_096);
    private final int port;
    private final byte[] words;
    private int open;
    private int connected;

    /**
     * Prepares connections.
     *
     * @param words what the talkative ones say, byte by byte
     */
    HalfOpen(int port, byte[] words) throws IOException {
        this.port = port;
        this.words = words.clone();
    }

    /** Opens connections, and waits until the broker has accepted them. */
    void open(int count) throws IOException {
        int wanted = connected + count;
        while (channels.size() < wanted || connected < wanted) {
            for (int i = 0; i < CONNECT_BATCH && channels.size() < wanted; i++) {
                openOne();
            }
            look();
        }
    }

    /** How many are open still, as far as {@link #look} has seen. */
    int open() {
        return open;
    }

    /** Says the byte at the given place on every other connection. */
    void say(int place) throws IOException {
        for (int i = 0; i < channels.size(); i += 2) {
            SocketChannel channel = channels.get(i);
            if (channel.isConnected()) {
                try {
                    channel.write(ByteBuffer.wrap(words, place, 1));
                } catch (IOException broken) {
                    close(channel);
                }
            }
        }
    }

    /** Sees what has happened on the connections, and waits a moment when nothing has. */
    void look() throws IOException {
        selector.select(LOOK.toMillis());
        for (SelectionKey key : selector.selectedKeys()) {
            SocketChannel channel = (SocketChannel) key.channel();
            try {
                look(key, channel);
            } catch (IOException broken) {
                close(channel);
            }
        }
        selector.selectedKeys().clear();
    }

    @Override
    public void close() throws IOException {
        for (SocketChannel channel : channels) {
            channel.close();
        }
        selector.close();
    }

    private void openOne() throws IOException {
        SocketChannel channel = SocketChannel.open();
        channels.add(channel);
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_CONNECT);
        channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        open++;
    }

    private void look(SelectionKey key, SocketChannel channel) throws IOException {
        if (key.isConnectable() && channel.finishConnect()) {
            connected++;
            key.interestOps(SelectionKey.OP_READ);
        } else if (key.isReadable() && channel.read(trash.clear()) < 0) {
            close(channel);
        }
    }

    private void close(SocketChannel channel) throws IOException {
        if (channel.isOpen()) {
            channel.close();
            open--;
        }
    }
}
