package io.tributary.server.blackbox.hostile;

import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A publisher with a persistent session. A node that has stood still may not know who subscribed meanwhile, and sends
 * away who published just then (0x8B). The publisher goes on as a client library does: it resumes its session, and
 * sends again what is not acknowledged. Any other end is a failure. One thread at a time.
 */
final class GoodPublisher implements AutoCloseable {
    private static final long EXPIRY_SECONDS = 3_600;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final int port;
    private final String clientId;
    /** By packet identifier, in the order of sending: PUBLISH, or PUBREL once that is due. */
    private final Map<Integer, MqttPacket> unacknowledged = new LinkedHashMap<>();

    private final Set<Integer> sentAgain = new HashSet<>();
    private TestClient client;
    private int sentAway;

    GoodPublisher(int port, String clientId) throws IOException {
        this.port = port;
        this.clientId = clientId;
        client = TestClient.connect(port, ProtocolVersion.MQTT_5, clientId, EXPIRY_SECONDS);
    }

    /** Keeps a message until {@link #flush}. */
    void queue(Publish publish) {
        unacknowledged.put(publish.packetId(), publish);
        client.queue(publish);
    }

    void flush() throws IOException {
        client.flush();
    }

    /** Whether something is not acknowledged yet. */
    boolean isOwed() {
        return !unacknowledged.isEmpty();
    }

    /** Whether a message with the packet identifier was sent again: at QoS 1 it may come twice. */
    boolean hasSentAgain(int packetId) {
        return sentAgain.contains(packetId);
    }

    /** How often a node that had stood still has sent it away. */
    int sentAway() {
        return sentAway;
    }

    /** Waits for the next packet and does what it calls for; false when none came in time. */
    boolean handleNext(Duration patience) throws IOException {
        switch (next(patience)) {
            case null -> {
                return false;
            }
            case Puback ack -> acknowledged(ack.packetId(), ack.reason());
            case Pubrec ack -> received(ack);
            case Pubcomp ack when isOver(ack) -> unacknowledged.remove(ack.packetId());
            case Pubcomp ack -> acknowledged(ack.packetId(), ack.reason());
            case Disconnect end when end.reason() == ReasonCode.SERVER_SHUTTING_DOWN -> goOn();
            case MqttPacket other -> throw new AssertionError(this + " got " + other);
        }
        return true;
    }

    private @Nullable MqttPacket next(Duration patience) throws IOException {
        try {
            return client.poll(patience);
        } catch (IOException ended) {
            throw new IOException("the connection of " + this + " has ended without a DISCONNECT", ended);
        }
    }

    private void acknowledged(int packetId, ReasonCode reason) {
        if (reason != ReasonCode.SUCCESS) {
            throw new AssertionError(this + " was refused: " + reason);
        }
        unacknowledged.remove(packetId);
    }

    private void received(Pubrec ack) throws IOException {
        acknowledged(ack.packetId(), ack.reason());
        Pubrel release = new Pubrel(ack.packetId(), ReasonCode.SUCCESS, null, List.of());
        unacknowledged.put(ack.packetId(), release);
        client.send(release);
    }

    /** Only its PUBCOMP had been lost. */
    private boolean isOver(Pubcomp ack) {
        return ack.reason() == ReasonCode.PACKET_IDENTIFIER_NOT_FOUND && hasSentAgain(ack.packetId());
    }

    private void goOn() throws IOException {
        sentAway++;
        client.close();
        client = await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(this::resume, Objects::nonNull);
        sentAgain.addAll(unacknowledged.keySet());
        for (MqttPacket packet : unacknowledged.values()) {
            client.queue(packet instanceof Publish publish ? again(publish) : packet);
        }
        client.flush();
    }

    private TestClient resume() throws IOException {
        TestClient resumed = TestClient.open(port, ProtocolVersion.MQTT_5);
        try {
            Connack connack =
                    resumed.connect(TestClient.connectPacket(ProtocolVersion.MQTT_5, clientId, EXPIRY_SECONDS));
            if (!connack.sessionPresent()) {
                throw new AssertionError("the session of " + this + " is gone");
            }
            return resumed;
        } catch (IOException | AssertionError failure) {
            resumed.close();
            throw failure;
        }
    }

    private static Publish again(Publish publish) {
        return new Publish(
                publish.topic(),
                publish.payload(),
                publish.qos(),
                publish.retain(),
                true,
                publish.packetId(),
                publish.topicAlias(),
                publish.messageExpirySeconds(),
                publish.properties(),
                publish.subscriptionIds());
    }

    @Override
    public void close() {
        client.close();
    }

    @Override
    public String toString() {
        return "publisher " + clientId + " (" + unacknowledged.size() + " not acknowledged, sent away " + sentAway
                + " times)";
    }
}
