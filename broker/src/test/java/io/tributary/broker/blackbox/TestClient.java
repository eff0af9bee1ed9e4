package io.tributary.broker.blackbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tributary.common.codec.DecoderLimits;
import io.tributary.common.codec.MqttDecoder;
import io.tributary.common.codec.MqttEncoder;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Will;
import io.tributary.common.topic.TopicLimits;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A client that does exactly what a test tells it: it answers nothing by itself, so that a test decides about every
 * acknowledgement, repetition and packet identifier. One thread at a time.
 */
public final class TestClient implements AutoCloseable {
    private static final DecoderLimits LIMITS =
            new DecoderLimits(1 << 20, 1 << 28, new TopicLimits(65_535, 65_535), 1 << 20, 65_535, 65_535);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int READ_BYTES = 64 * 1024;

    private final Socket socket;
    private final MqttDecoder decoder;
    private final MqttEncoder encoder;
    private final ByteBuf in = Unpooled.buffer();
    private final ByteBuf out = Unpooled.buffer();
    private final byte[] chunk = new byte[READ_BYTES];
    private UnaryOperator<MqttPacket> dressed = UnaryOperator.identity();

    private TestClient(Socket socket, ProtocolVersion version) {
        this.socket = socket;
        decoder = MqttDecoder.forClient(version, LIMITS);
        encoder = new MqttEncoder(version, ConnectProperties.LARGEST_PACKET);
    }

    /**
     * A client over a socket that is connected, whatever is below MQTT there.
     *
     * @param user said in each CONNECT, with the password
     */
    public static TestClient over(Socket socket, ProtocolVersion version, String user, String password) {
        TestClient client = new TestClient(socket, version);
        client.dressed =
                packet -> packet instanceof Connect connect ? as(user, password.getBytes(UTF_8), connect) : packet;
        return client;
    }

    /** The CONNECT with a user name, and a password if there is one. */
    public static Connect as(String user, byte @Nullable [] password, Connect connect) {
        return new Connect(
                connect.version(),
                connect.cleanStart(),
                connect.keepAliveSeconds(),
                connect.clientId(),
                connect.will(),
                user,
                password,
                connect.properties());
    }

    /** Opens a connection and sends nothing. */
    public static TestClient open(int port, ProtocolVersion version) throws IOException {
        return open(port, version, 0);
    }

    /** Opens a connection whose receive buffer has the given size, or the usual one for 0. */
    static TestClient open(int port, ProtocolVersion version, int receiveBytes) throws IOException {
        Socket socket = new Socket();
        try {
            if (receiveBytes > 0) {
                socket.setReceiveBufferSize(receiveBytes);
            }
            socket.setTcpNoDelay(true);
            socket.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                    Math.toIntExact(PATIENCE.toMillis()));
            return new TestClient(socket, version);
        } catch (IOException failure) {
            socket.close();
            throw failure;
        }
    }

    /** Connects without will and waits for CONNACK. */
    public static TestClient connect(int port, ProtocolVersion version, String clientId, long sessionExpirySeconds)
            throws IOException {
        TestClient client = open(port, version);
        client.connect(connectPacket(version, clientId, sessionExpirySeconds));
        return client;
    }

    /**
     * A CONNECT with a clean start where the session does not outlive the connection anyway, and without keep alive.
     */
    public static Connect connectPacket(ProtocolVersion version, String clientId, long sessionExpirySeconds) {
        return new Connect(
                version,
                sessionExpirySeconds == 0,
                0,
                clientId,
                null,
                null,
                null,
                ConnectProperties.defaults(sessionExpirySeconds));
    }

    /**
     * A CONNECT of MQTT 5 that may resume a session, without keep alive.
     *
     * @param willTopic where the will goes, at QoS 0, or null for none
     */
    public static Connect connectPacket(String clientId, long sessionExpirySeconds, @Nullable String willTopic) {
        Will will = willTopic == null
                ? null
                : new Will(
                        new Message(
                                willTopic,
                                "gone".getBytes(UTF_8),
                                QoS.AT_MOST_ONCE,
                                false,
                                PublishProperties.NONE,
                                Message.NEVER,
                                ""),
                        0,
                        -1);
        return new Connect(
                ProtocolVersion.MQTT_5,
                false,
                0,
                clientId,
                will,
                null,
                null,
                ConnectProperties.defaults(sessionExpirySeconds));
    }

    /**
     * Sends DISCONNECT and closes the connection right behind it.
     *
     * @param sessionExpirySeconds for how long the session goes on, -1 for as long as CONNECT said
     */
    public void disconnect(long sessionExpirySeconds) throws IOException {
        send(new Disconnect(ReasonCode.SUCCESS, sessionExpirySeconds, null, null, List.of()));
        close();
    }

    /** Sends CONNECT and waits for a CONNACK that accepts. */
    public Connack connect(Connect connect) throws IOException {
        send(connect);
        return accepted(expect(Connack.class));
    }

    /**
     * Sends CONNECT and waits for a CONNACK that accepts, for some time.
     *
     * @throws IOException also when no CONNACK came in time
     */
    public Connack connect(Connect connect, Duration patience) throws IOException {
        send(connect);
        return accepted(await(Connack.class, patience));
    }

    private static Connack accepted(Connack connack) throws IOException {
        if (connack.reason().isError()) {
            throw new IOException("refused: " + connack);
        }
        return connack;
    }

    /** Sends a packet, and what was queued before. */
    public void send(MqttPacket packet) throws IOException {
        queue(packet);
        flush();
    }

    /** Keeps a packet until {@link #flush}. */
    public void queue(MqttPacket packet) {
        encoder.encode(dressed.apply(packet), out);
    }

    /** Sends what was queued. */
    public void flush() throws IOException {
        if (out.isReadable()) {
            socket.getOutputStream().write(out.array(), out.arrayOffset() + out.readerIndex(), out.readableBytes());
            out.clear();
        }
    }

    /** Sends bytes, whatever they mean. */
    public void sendBytes(byte... bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /** The next packet that is already here, without waiting for more bytes; null when there is none. */
    public @Nullable MqttPacket next() {
        MqttPacket packet = decoder.decode(in);
        if (packet == null) {
            in.discardReadBytes();
        }
        return packet;
    }

    /**
     * Waits for the next packet.
     *
     * @return the packet, or null when none came in time
     * @throws IOException when the connection ended
     */
    public @Nullable MqttPacket poll(Duration patience) throws IOException {
        long deadline = System.nanoTime() + patience.toNanos();
        MqttPacket packet = next();
        boolean hasLooked = false; // which it does without patience, too
        while (packet == null) {
            long left = Math.ceilDiv(deadline - System.nanoTime(), 1_000_000L);
            if ((hasLooked && left <= 0) || !read((int) left)) {
                return null;
            }
            hasLooked = true;
            packet = next();
        }
        return packet;
    }

    /** Waits for the next packet, which must be of the given type. */
    public <T extends MqttPacket> T expect(Class<T> type) throws IOException {
        MqttPacket packet = poll(PATIENCE);
        if (!type.isInstance(packet)) {
            throw new AssertionError("expected " + type.getSimpleName() + ", got " + packet);
        }
        return type.cast(packet);
    }

    /**
     * Waits for the next packet, for some time.
     *
     * @throws IOException also when none came in time, or one of another type, such as a DISCONNECT
     */
    public <T extends MqttPacket> T await(Class<T> type, Duration patience) throws IOException {
        MqttPacket packet = poll(patience);
        if (!type.isInstance(packet)) {
            throw new IOException("no " + type.getSimpleName() + " in " + patience + ", but " + packet);
        }
        return type.cast(packet);
    }

    /** Waits until the broker closes the connection, and gives the last packet that it sent before, if any. */
    public @Nullable MqttPacket awaitClose() {
        MqttPacket last = null;
        try {
            MqttPacket packet = poll(PATIENCE);
            while (packet != null) {
                last = packet;
                packet = poll(PATIENCE);
            }
        } catch (IOException closed) {
            return last;
        }
        throw new AssertionError("the broker did not close the connection; it last sent " + last);
    }

    /** Whether the connection was not closed from here. */
    public boolean isOpen() {
        return !socket.isClosed();
    }

    /** Ends the connection without DISCONNECT. */
    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException ignored) {
            // it is closed all the same
        }
    }

    private boolean read(int timeoutMillis) throws IOException {
        socket.setSoTimeout(Math.max(1, timeoutMillis));
        try {
            int count = socket.getInputStream().read(chunk);
            if (count < 0) {
                throw new EOFException("the broker closed the connection");
            }
            in.writeBytes(chunk, 0, count);
            return true;
        } catch (SocketTimeoutException timeout) {
            return false;
        }
    }
}
