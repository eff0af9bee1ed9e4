package io.tributary.cluster.link;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tributary.cluster.link.Handshake.Authenticated;
import io.tributary.cluster.link.Handshake.NoLink;
import io.tributary.cluster.link.Handshake.Reply;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;

/** A program that connects to a node and sends what a test says, byte by byte. */
final class RawPeer implements AutoCloseable {
    private final Socket socket;
    private final DataInputStream in;

    RawPeer(InetSocketAddress node) throws IOException {
        socket = new Socket(node.getAddress(), node.getPort());
        socket.setSoTimeout(20_000);
        in = new DataInputStream(socket.getInputStream());
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    void send(HandshakeMessage message) throws IOException {
        sendFrame(message.encode());
    }

    void sendFrame(byte[] content) throws IOException {
        ByteBuf frame = LinkOutbound.frame(content);
        byte[] bytes = new byte[frame.readableBytes()];
        frame.readBytes(bytes);
        send(bytes);
    }

    HandshakeMessage receive() throws IOException {
        byte[] header = in.readNBytes(FrameReader.HEADER_BYTES);
        if (header.length < FrameReader.HEADER_BYTES) {
            throw new EOFException();
        }
        return HandshakeMessage.decode(
                in.readNBytes(Unpooled.wrappedBuffer(header).readInt()));
    }

    /** Becomes a link, or fails. */
    void authenticate(NodeId self, NodeId to) throws IOException {
        LinkIdentity identity = new LinkIdentity(self, "cluster", TestNode.SECRET);
        DialerHandshake handshake = new DialerHandshake(identity, to);
        send(handshake.opening());
        while (true) {
            switch (handshake.on(receive())) {
                case Reply reply -> send(reply.message());
                case Authenticated welcomed -> {
                    return;
                }
                case NoLink none -> throw new IOException(none.toString());
            }
        }
    }

    /** Reads whatever comes until the node closes the connection. */
    void awaitEnd() throws IOException {
        try {
            in.transferTo(OutputStream.nullOutputStream());
        } catch (SocketException reset) {
            return;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
