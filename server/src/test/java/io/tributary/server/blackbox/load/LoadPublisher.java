package io.tributary.server.blackbox.load;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Acknowledgement;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Publishes as fast as the broker acknowledges, and after each broken connection begins with what is unacknowledged, as
 * MQTT 4.4 says. One with a transient session publishes that anew, for the broker has forgotten it.
 */
public final class LoadPublisher implements Runnable {
    private static final Duration AT_ONCE = Duration.ofMillis(1);
    private static final int WINDOW = 100;
    private static final int LAST_PACKET_ID = 65_535;

    /**
     * The message expiry interval of what an MQTT 5 publisher publishes: longer than anything waits, by clocks that are
     * right.
     */
    private static final long EXPIRY_SECONDS = 2_400;

    private final LoadContext scene;
    private final int number;
    private final QoS qos;
    private final Connect connect;

    /** Sent and not finished, in the order of sending; lives with the session. */
    private final Deque<Sent> open = new ArrayDeque<>();

    private final Experience.Client experience;
    private int published;
    private int lastPacketId;
    private boolean connectedBefore;

    /** How much was allowed when nothing was left to do. */
    private volatile int idleAt;

    /** A message that is not finished. */
    private static final class Sent {
        private final Payload payload;
        private int packetId;
        private boolean released;
        private boolean releasedAgain;

        Sent(Payload payload, int packetId) {
            this.payload = payload;
            this.packetId = packetId;
        }
    }

    /** Creates one, and makes it known to the judge. */
    public LoadPublisher(LoadContext scene, ProtocolVersion version, QoS qos, boolean persistent) {
        this.scene = scene;
        this.qos = qos;
        number = scene.judge().addPublisher(qos);
        long expirySeconds = persistent ? ConnectProperties.NEVER_EXPIRES : 0;
        connect = TestClient.connectPacket(version, scene.prefix() + "publisher" + number, expirySeconds);
        experience = scene.experience().client();
    }

    @Override
    public String toString() {
        return "publisher " + number;
    }

    @Override
    public void run() {
        try {
            while (!isDone()) {
                try (TestClient connection = scene.open(connect)) {
                    begin(connection);
                    while (!isDone()) {
                        step(connection);
                    }
                } catch (IOException broken) {
                    experience.ended(broken);
                    scene.rest();
                }
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error failure) {
            scene.judge().violation("publisher " + number + " failed: " + failure);
            throw failure;
        }
    }

    /** Whether all that may be published is published and finished. */
    public boolean isIdle() {
        return idleAt == scene.rounds().allowed();
    }

    private boolean isDone() {
        return scene.rounds().isOver();
    }

    private void begin(TestClient connection) throws IOException {
        Connack connack = connection.connect(connect, scene.patience());
        experience.connected();
        if (connectedBefore && !connect.cleanStart() && !connack.sessionPresent()) {
            scene.judge().violation("the session of publisher " + number + " is gone");
        }
        connectedBefore = true;
        for (Sent sent : open) {
            if (sent.released) {
                sent.releasedAgain = true;
                connection.queue(release(sent.packetId));
                continue;
            }
            if (connect.cleanStart()) {
                sent.packetId = nextPacketId();
            }
            scene.judge().resent(sent.payload);
            connection.queue(publish(sent, !connect.cleanStart()));
        }
        connection.flush();
    }

    private void step(TestClient connection) throws IOException, InterruptedException {
        int allowed = scene.rounds().allowed();
        while (published < allowed && open.size() < WINDOW) {
            Sent sent = new Sent(scene.judge().publish(number), nextPacketId());
            open.add(sent);
            connection.queue(publish(sent, false));
            published++;
        }
        connection.flush();
        if (open.isEmpty()) {
            idleAt = allowed;
            scene.rounds().awaitMore(published, scene.look());
            if (scene.rounds().allowed() == published) {
                handleAll(connection, connection.poll(AT_ONCE));
            }
            return;
        }
        MqttPacket packet = connection.poll(scene.patience());
        if (packet == null) {
            scene.judge().stalled();
            throw new IOException("no acknowledgement in " + scene.patience() + ", " + open.size() + " open");
        }
        handleAll(connection, packet);
    }

    private void handleAll(TestClient connection, @Nullable MqttPacket first) throws IOException {
        MqttPacket packet = first;
        while (packet != null) {
            handle(connection, packet);
            packet = connection.next();
        }
    }

    private void handle(TestClient connection, MqttPacket packet) throws IOException {
        switch (packet) {
            case Puback ack -> {
                Sent sent = expected(ack, false);
                scene.judge().acknowledged(sent.payload);
                open.remove(sent);
            }
            case Pubrec ack -> {
                Sent sent = expected(ack, false);
                scene.judge().acknowledged(sent.payload);
                sent.released = true;
                connection.queue(release(sent.packetId));
            }
            case Pubcomp ack -> open.remove(expected(ack, true));
            case Disconnect farewell -> throw new IOException("the broker stops: " + farewell);
            default -> throw new AssertionError("publisher " + number + " got " + packet);
        }
    }

    /** Acknowledgements come in the order of the packets that they acknowledge [MQTT-4.6.0]. */
    private Sent expected(Acknowledgement ack, boolean released) {
        Sent oldest = null;
        for (Sent sent : open) {
            if (sent.released != released) {
                continue;
            }
            if (oldest == null) {
                oldest = sent;
            }
            if (sent.packetId == ack.packetId()) {
                if (ack.reason() != ReasonCode.SUCCESS && !isForgotten(sent, ack)) {
                    scene.judge().violation("publisher " + number + " got " + ack);
                }
                if (sent != oldest) {
                    scene.judge()
                            .violation("publisher " + number + " got " + ack + " before that of packet "
                                    + oldest.packetId);
                }
                return sent;
            }
        }
        throw new AssertionError("publisher " + number + " got " + ack + " for nothing, oldest is "
                + (oldest == null ? "none" : oldest.packetId));
    }

    /**
     * The PUBREL before the kill was logged, and its PUBCOMP never came: the broker does not know the packet any more.
     */
    private static boolean isForgotten(Sent sent, Acknowledgement ack) {
        return sent.releasedAgain && ack.reason() == ReasonCode.PACKET_IDENTIFIER_NOT_FOUND;
    }

    private MqttPacket publish(Sent sent, boolean dup) {
        return new Publish(
                scene.topic(number),
                sent.payload.bytes(),
                qos,
                false,
                dup,
                sent.packetId,
                0,
                connect.version() == ProtocolVersion.MQTT_5 ? EXPIRY_SECONDS : MqttPacket.ABSENT,
                PublishProperties.NONE,
                List.of());
    }

    private static MqttPacket release(int packetId) {
        return new Pubrel(packetId, ReasonCode.SUCCESS, null, List.of());
    }

    private int nextPacketId() {
        lastPacketId = lastPacketId == LAST_PACKET_ID ? 1 : lastPacketId + 1;
        return lastPacketId;
    }
}
