package io.tributary.server.blackbox;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The DNS of a cluster, as far as balancers ask it: addresses (A) of names, over UDP at 127.0.0.1. For all threads. */
final class NameServer implements AutoCloseable {
    private static final int LARGEST = 8_192;
    private static final int HEADER = 12;
    private static final short A = 1;
    private static final short INTERNET = 1;
    private static final short ANSWER = (short) 0x8180;
    private static final short NO_SUCH_NAME = (short) 0x8183;
    /** Where the question's name is, as a pointer. */
    private static final short NAME = (short) (0xc000 | HEADER);

    private final DatagramSocket socket;
    private final Map<String, List<InetAddress>> names = new ConcurrentHashMap<>();

    NameServer() {
        try {
            socket = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        } catch (SocketException failure) {
            throw new UncheckedIOException(failure);
        }
        Thread.ofPlatform().daemon().name("dns").start(this::run);
    }

    int port() {
        return socket.getLocalPort();
    }

    /** What a name means from now on, without a dot at its end. */
    void set(String name, List<InetAddress> addresses) {
        names.put(name, List.copyOf(addresses));
    }

    @Override
    public void close() {
        socket.close();
    }

    private void run() {
        byte[] bytes = new byte[LARGEST];
        while (!socket.isClosed()) {
            DatagramPacket packet = new DatagramPacket(bytes, bytes.length);
            try {
                socket.receive(packet);
                byte[] answer = answer(ByteBuffer.wrap(bytes, 0, packet.getLength()));
                socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
            } catch (IOException closed) {
                // or an asker that is gone
            }
        }
    }

    private byte[] answer(ByteBuffer question) {
        short id = question.getShort(0);
        question.position(HEADER);
        StringBuilder name = new StringBuilder();
        for (int length = question.get(); length > 0; length = question.get()) {
            byte[] label = new byte[length];
            question.get(label);
            name.append(name.isEmpty() ? "" : ".").append(new String(label, US_ASCII));
        }
        boolean asksForA = question.getShort() == A;
        question.getShort();
        List<InetAddress> known = names.get(name.toString());
        List<InetAddress> found = known == null || !asksForA ? List.of() : known;
        ByteBuffer answer = ByteBuffer.allocate(LARGEST)
                .putShort(id)
                .putShort(known == null ? NO_SUCH_NAME : ANSWER)
                .putShort((short) 1)
                .putShort((short) found.size())
                .putInt(0)
                .put(question.slice(HEADER, question.position() - HEADER));
        for (InetAddress address : found) {
            answer.putShort(NAME).putShort(A).putShort(INTERNET).putInt(1).putShort((short) 4);
            answer.put(address.getAddress());
        }
        byte[] bytes = new byte[answer.flip().remaining()];
        answer.get(bytes);
        return bytes;
    }
}
