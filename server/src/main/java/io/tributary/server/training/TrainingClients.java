package io.tributary.server.training;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tributary.common.codec.DecoderLimits;
import io.tributary.common.codec.MqttDecoder;
import io.tributary.common.codec.MqttEncoder;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The clients of {@code tributary train}, in a JVM of their own. What the broker's JVM learned from a start alone would
 * mislead its compiler; here connections come and go, with messages of each quality of service, in sessions of both
 * kinds and both versions of MQTT. Called by the launcher, with the port of a broker at 127.0.0.1.
 */
public final class TrainingClients {
    private static final int CLIENTS = 50;
    private static final int CONNECTIONS_OF_EACH = 60;
    private static final int MESSAGES_OF_EACH = 30;
    private static final List<QoS> IN_TURN = List.of(QoS.AT_MOST_ONCE, QoS.AT_LEAST_ONCE, QoS.EXACTLY_ONCE);
    private static final int PAYLOAD_BYTES = 64;
    private static final int PATIENCE_MILLIS = 30_000;

    private TrainingClients() {}

    /**
     * Ends when all that was published has come back, with an exception when that fails.
     *
     * @param words the port
     */
    public static void main(String[] words) throws InterruptedException, ExecutionException {
        int port = Integer.parseInt(words[0]);
        List<Future<?>> clients = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < CLIENTS; i++) {
                String name = "training-" + i;
                clients.add(threads.submit(() -> {
                    for (int round = 0; round < CONNECTIONS_OF_EACH; round++) {
                        try (Client client = new Client(port, round)) {
                            client.work(name);
                        }
                    }
                    return name;
                }));
            }
        }
        for (Future<?> client : clients) {
            client.get();
        }
    }

    /** One connection. */
    private static final class Client implements AutoCloseable {
        private final Socket socket;
        private final ProtocolVersion version;
        private final boolean isPersistent;
        private final MqttEncoder encoder;
        private final MqttDecoder decoder;
        private final ByteBuf in = Unpooled.buffer();
        private final ByteBuf out = Unpooled.buffer();

        Client(int port, int round) throws IOException {
            version = round % 4 < 2 ? ProtocolVersion.MQTT_5 : ProtocolVersion.MQTT_3_1_1;
            isPersistent = round % 2 == 0;
            encoder = new MqttEncoder(version, ConnectProperties.LARGEST_PACKET);
            decoder = MqttDecoder.forClient(version, DecoderLimits.DEFAULT);
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(PATIENCE_MILLIS);
        }

        void work(String name) throws IOException {
            ConnectProperties properties =
                    ConnectProperties.defaults(isPersistent ? ConnectProperties.NEVER_EXPIRES : 0);
            send(new Connect(version, !isPersistent, 60, name, null, null, null, properties));
            expect(Connack.class);
            send(new Subscribe(
                    1,
                    List.of(new Subscription(name, QoS.EXACTLY_ONCE, false, false, RetainHandling.DO_NOT_SEND)),
                    0,
                    List.of()));
            expect(Suback.class);
            for (int id = 1; id <= MESSAGES_OF_EACH; id++) {
                encoder.encode(message(name, id), out);
            }
            flush();
            int missing =
                    MESSAGES_OF_EACH; // each comes once, for what is not acknowledged at the end of this is sent again
            int open = MESSAGES_OF_EACH - MESSAGES_OF_EACH / IN_TURN.size();
            while (missing > 0 || open > 0) {
                MqttPacket packet = next();
                switch (packet) {
                    case Publish _ -> missing--;
                    case Puback _, Pubcomp _ -> open--;
                    default -> {}
                }
                MqttPacket answer = answer(packet);
                if (answer != null) {
                    send(answer);
                }
            }
            send(new Disconnect(ReasonCode.SUCCESS, MqttPacket.ABSENT, null, null, List.of()));
        }

        private static Publish message(String topic, int id) {
            QoS qos = IN_TURN.get(id % IN_TURN.size());
            int packetId = qos == QoS.AT_MOST_ONCE ? 0 : id;
            byte[] payload = new byte[PAYLOAD_BYTES];
            return new Publish(
                    topic,
                    payload,
                    qos,
                    false,
                    false,
                    packetId,
                    0,
                    MqttPacket.ABSENT,
                    PublishProperties.NONE,
                    List.of());
        }

        private static @Nullable MqttPacket answer(MqttPacket packet) {
            return switch (packet) {
                case Publish publish
                when publish.qos() == QoS.AT_LEAST_ONCE ->
                    new Puback(publish.packetId(), ReasonCode.SUCCESS, null, List.of());
                case Publish publish
                when publish.qos() == QoS.EXACTLY_ONCE ->
                    new Pubrec(publish.packetId(), ReasonCode.SUCCESS, null, List.of());
                case Pubrec received -> new Pubrel(received.packetId(), ReasonCode.SUCCESS, null, List.of());
                case Pubrel released -> new Pubcomp(released.packetId(), ReasonCode.SUCCESS, null, List.of());
                default -> null;
            };
        }

        private void expect(Class<? extends MqttPacket> wanted) throws IOException {
            MqttPacket packet = next();
            if (!wanted.isInstance(packet)) {
                throw new IOException("instead of " + wanted.getSimpleName() + " came " + packet);
            }
        }

        private MqttPacket next() throws IOException {
            while (true) {
                MqttPacket packet = decoder.decode(in);
                if (packet != null) {
                    return packet;
                }
                in.discardReadBytes();
                if (in.writeBytes(socket.getInputStream(), 4096) < 0) {
                    throw new IOException("the broker has closed the connection");
                }
            }
        }

        private void send(MqttPacket packet) throws IOException {
            encoder.encode(packet, out);
            flush();
        }

        private void flush() throws IOException {
            out.readBytes(socket.getOutputStream(), out.readableBytes());
            out.clear();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
