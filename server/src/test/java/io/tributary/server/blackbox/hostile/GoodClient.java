package io.tributary.server.blackbox.hostile;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends itself one message after the other at QoS 1, through the broker, and notes how long each took. It fails when
 * one does not come back; how long is too long is for people to say.
 */
final class GoodClient implements AutoCloseable {
    private final TestClient client;
    private final String topic;
    private final Thread thread;
    private final List<Long> nanos = new ArrayList<>();
    private volatile boolean stopping;
    private volatile int roundTrips;
    private volatile @Nullable Throwable failure;

    GoodClient(int port, String clientId) throws IOException {
        topic = "good/" + clientId;
        client = TestClient.connect(port, ProtocolVersion.MQTT_5, clientId, 0);
        client.send(Packets.subscribe(1, topic, QoS.AT_LEAST_ONCE));
        client.expect(Suback.class);
        thread = Thread.ofPlatform().daemon().name(clientId).start(this::run);
    }

    /** How many messages have come back; fails when one did not. */
    int roundTrips() {
        Throwable thrown = failure;
        if (thrown != null) {
            throw new AssertionError("the good client lost its service after " + roundTrips + " messages", thrown);
        }
        return roundTrips;
    }

    /** Ends it, and describes how long its messages took: count, median, 99th percentile and longest. */
    String finish() throws InterruptedException {
        stopping = true;
        thread.join();
        roundTrips();
        return new Latencies(nanos).toString();
    }

    @Override
    public void close() {
        stopping = true;
        client.close();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes it
    private void run() {
        try {
            while (!stopping) {
                long begin = System.nanoTime();
                roundTrip();
                nanos.add(System.nanoTime() - begin);
                roundTrips++;
            }
        } catch (IOException | RuntimeException | Error thrown) {
            if (!stopping) {
                failure = thrown;
            }
        }
    }

    private void roundTrip() throws IOException {
        client.send(Packets.publish(topic, new byte[100], QoS.AT_LEAST_ONCE, 1));
        boolean acknowledged = false;
        boolean arrived = false;
        while (!acknowledged || !arrived) {
            switch (client.expect(MqttPacket.class)) {
                case Puback ack -> acknowledged = true;
                case Publish publish -> {
                    arrived = true;
                    client.send(new Puback(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
                }
                case MqttPacket other -> throw new AssertionError("unexpected " + other);
            }
        }
    }
}
