package io.tributary.broker;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/** Stands between one client and a broker, and counts the records of TLS with data that the broker sends. */
final class RecordCounter implements AutoCloseable {
    private static final int APPLICATION_DATA = 23;

    private final ServerSocket listening;
    private final Socket broker;
    private final AtomicInteger records = new AtomicInteger();

    RecordCounter(int brokerPort) {
        try {
            listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            broker = new Socket(InetAddress.getLoopbackAddress(), brokerPort);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::run);
    }

    int port() {
        return listening.getLocalPort();
    }

    int records() {
        return records.get();
    }

    private void run() {
        try (Socket client = listening.accept()) {
            Thread.ofVirtual().start(() -> {
                try {
                    client.getInputStream().transferTo(broker.getOutputStream());
                } catch (IOException ended) {
                    // so does the other direction
                }
            });
            DataInputStream in = new DataInputStream(broker.getInputStream());
            DataOutputStream out = new DataOutputStream(client.getOutputStream());
            while (true) {
                int type = in.readUnsignedByte();
                int version = in.readUnsignedShort();
                byte[] content = new byte[in.readUnsignedShort()];
                in.readFully(content);
                if (type == APPLICATION_DATA) {
                    records.incrementAndGet();
                }
                out.writeByte(type);
                out.writeShort(version);
                out.writeShort(content.length);
                out.write(content);
                out.flush();
            }
        } catch (IOException ended) {
            // the test is over
        }
    }

    @Override
    public void close() throws IOException {
        broker.close();
        listening.close();
    }
}
