package io.tributary.server.blackbox.hostile;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A publisher at one node and a subscriber at another, both with persistent sessions, which exchange a few messages
 * again and again. It fails when one is lost, comes twice or out of order, or when a connection ends otherwise than a
 * {@link GoodPublisher} goes on from; how long each took is noted, and how long is too long is for people to say.
 */
final class GoodPair implements AutoCloseable {
    private static final long EXPIRY_SECONDS = 3_600;
    private static final int BURST = 5;
    private static final int PAUSE_MILLIS = 20;
    private static final int PACKET_IDS = 60_000;
    private static final int PAYLOAD_BYTES = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    /** For how long nothing comes until the publisher is looked at, too. */
    private static final Duration LULL = Duration.ofMillis(100);

    private final String topic;
    private final QoS qos;
    private final GoodPublisher publisher;
    private final TestClient subscriber;
    private final CountDownLatch over = new CountDownLatch(1);
    private final Thread thread;
    private final List<Long> nanos = new ArrayList<>();
    private int published;
    private int received;
    private volatile @Nullable Throwable failure;

    GoodPair(String name, QoS qos, int publisherPort, int subscriberPort) throws IOException {
        this.qos = qos;
        topic = "good/" + name;
        publisher = new GoodPublisher(publisherPort, name + "-publisher");
        subscriber = TestClient.connect(subscriberPort, ProtocolVersion.MQTT_5, name, EXPIRY_SECONDS);
        subscriber.send(Packets.subscribe(1, topic, qos));
        subscriber.expect(Suback.class);
        thread = Thread.ofPlatform().daemon().name(name).start(this::run);
    }

    /** Why it lost its service, or null. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** Ends it once all has arrived that it has published; gives how long each message took, in nanoseconds. */
    List<Long> finish() throws InterruptedException {
        over.countDown();
        thread.join();
        Throwable thrown = failure;
        if (thrown != null) {
            throw new AssertionError(
                    topic + " at " + qos + ", after " + received + " of " + published + " messages: " + thrown, thrown);
        }
        return nanos;
    }

    /** How often a node that had stood still has sent the publisher away; to be asked when it is finished. */
    int sentAway() {
        return publisher.sentAway();
    }

    @Override
    public void close() {
        over.countDown();
        publisher.close();
        subscriber.close();
    }

    private void run() {
        try {
            do {
                publish();
                receive();
                complete();
            } while (!over.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS));
        } catch (IOException | InterruptedException | RuntimeException | Error thrown) {
            failure = thrown;
        }
    }

    private void publish() throws IOException {
        for (int i = 0; i < BURST; i++) {
            byte[] payload = ByteBuffer.allocate(PAYLOAD_BYTES)
                    .putInt(published)
                    .putLong(System.nanoTime())
                    .array();
            publisher.queue(Packets.publish(topic, payload, qos, packetId(published)));
            published++;
        }
        publisher.flush();
    }

    private void receive() throws IOException {
        int open = BURST;
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (open > 0) {
            switch (subscriber.poll(LULL)) {
                case null -> {
                    if (!publisher.handleNext(Duration.ofMillis(1))) {
                        if (System.nanoTime() - deadline > 0) {
                            throw new AssertionError("nothing comes any more, of " + publisher);
                        }
                        continue;
                    }
                }
                case Publish publish -> open -= receive(publish);
                case Pubrel release -> {
                    subscriber.send(new Pubcomp(release.packetId(), ReasonCode.SUCCESS, null, List.of()));
                    open--;
                }
                case MqttPacket other -> throw new AssertionError("unexpected " + other);
            }
            deadline = System.nanoTime() + PATIENCE.toNanos();
        }
    }

    /** Tells how many messages are done with. */
    private int receive(Publish publish) throws IOException {
        boolean isNew = take(publish);
        if (qos == QoS.EXACTLY_ONCE) {
            subscriber.send(new Pubrec(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
            return 0;
        }
        subscriber.send(new Puback(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
        return isNew ? 1 : 0;
    }

    /** Tells whether it came for the first time. */
    private boolean take(Publish publish) {
        ByteBuffer payload = ByteBuffer.wrap(publish.payload());
        int number = payload.getInt();
        if (number < received && qos == QoS.AT_LEAST_ONCE && publisher.hasSentAgain(packetId(number))) {
            return false;
        }
        if (number != received) {
            throw new AssertionError("number " + number + ", dup " + publish.dup() + ", packet " + publish.packetId()
                    + ", came instead of " + received);
        }
        nanos.add(System.nanoTime() - payload.getLong());
        received++;
        return true;
    }

    private static int packetId(int number) {
        return 1 + number % PACKET_IDS;
    }

    private void complete() throws IOException {
        while (publisher.isOwed()) {
            if (!publisher.handleNext(PATIENCE)) {
                throw new AssertionError("no acknowledgement comes any more, to " + publisher);
            }
        }
    }
}
