package io.tributary.server.blackbox.hostile;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.common.mqtt.Will;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who does one kind of {@link Mischief} again and again, on a thread of its own, with a few client identifiers
 * and topics: what it leaves behind has a bound.
 */
final class Villain implements Runnable {
    /** Session expiry intervals, in seconds. */
    static final long SHORT = 5;

    static final long LONG = 120;
    static final long FOREVER = ConnectProperties.NEVER_EXPIRES;

    private static final ProtocolVersion VERSION = ProtocolVersion.MQTT_5;
    private static final int NAMES = 3;
    private static final int LARGEST_SUBSCRIPTION_ID = 268_435_455;
    private static final int LEVELS = 128;
    private static final Duration LOOK = Duration.ofMillis(20);

    private final Mischief mischief;
    private final IntSupplier port;
    private final Random random;
    private final CountDownLatch over;
    private final AtomicLong deeds;

    /**
     * Creates one.
     *
     * @param port asked for each connection: that of any node
     * @param over ends it
     * @param deeds counts what it did
     */
    Villain(Mischief mischief, IntSupplier port, Random random, CountDownLatch over, AtomicLong deeds) {
        this.mischief = mischief;
        this.port = port;
        this.random = random;
        this.over = over;
        this.deeds = deeds;
    }

    /** An answer to a packet, or none. */
    interface Answer {
        @Nullable
        MqttPacket to(MqttPacket packet);
    }

    @Override
    public void run() {
        try {
            while (!over.await(random.nextInt(100), TimeUnit.MILLISECONDS)) {
                try {
                    mischief.act(this);
                } catch (IOException | AssertionError refused) {
                    // as it deserves
                }
                deeds.incrementAndGet();
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    Random random() {
        return random;
    }

    @SafeVarargs
    final <T> T any(T... things) {
        return things[random.nextInt(things.length)];
    }

    TestClient open() throws IOException {
        return TestClient.open(port.getAsInt(), VERSION);
    }

    TestClient connect(String clientId, long expirySeconds, int receiveMaximum) throws IOException {
        TestClient client = open();
        try {
            client.connect(connectPacket(clientId, expirySeconds, receiveMaximum, null));
            return client;
        } catch (IOException | RuntimeException | Error failure) {
            client.close();
            throw failure;
        }
    }

    /** One of a few, of so many characters, which take three bytes each or one. */
    String clientId(int length) {
        String begin = mischief + "-" + random.nextInt(NAMES);
        return begin + any("x", "\u20ac").repeat(length - begin.length());
    }

    static String name(int length, int number) {
        return "%04d".formatted(number) + "n".repeat(length - 4);
    }

    Subscribe subscribe(String... filters) {
        List<Subscription> subscriptions = Arrays.stream(filters)
                .map(filter ->
                        new Subscription(filter, any(QoS.values()), false, random.nextBoolean(), RetainHandling.SEND))
                .toList();
        return new Subscribe(1, subscriptions, LARGEST_SUBSCRIPTION_ID, properties(1_000));
    }

    /** A filter of as many levels as there may be; which of the last ones are wildcards, the number says in binary. */
    String deepFilter(int number) {
        List<String> levels = new ArrayList<>(Collections.nCopies(LEVELS, "d"));
        for (int bit = 0; bit < 10; bit++) {
            if ((number >> bit & 1) == 1) {
                levels.set(LEVELS - 1 - bit, "+");
            }
        }
        return String.join("/", levels);
    }

    static String deepTopic() {
        return String.join("/", Collections.nCopies(LEVELS, "d"));
    }

    /** Of nearly a megabyte: the topic, the properties and the payload. */
    Publish largeMessage(int packetId) {
        QoS qos = any(QoS.values());
        return new Publish(
                "villain/" + name(any(100, 1_000, 65_000), random.nextInt(NAMES)),
                new byte[any(0, 100_000, 850_000)],
                qos,
                random.nextInt(4) == 0,
                false,
                qos.isAcknowledged() ? packetId : 0,
                0,
                60,
                new PublishProperties(null, null, null, null, properties(60_000)),
                List.of());
    }

    /** As large as a CONNECT may be, or a little more. */
    Connect connectWithWill() {
        int part = any(15_000, 19_000, 21_000);
        Message message = new Message(
                "villain/" + name(part, random.nextInt(NAMES)),
                new byte[part],
                any(QoS.values()),
                random.nextInt(4) == 0,
                new PublishProperties(null, null, null, null, properties(part)),
                Message.NEVER,
                "");
        long expirySeconds = any(0L, SHORT, LONG);
        return connectPacket(clientId(1_024), expirySeconds, 65_535, new Will(message, any(0L, 1L, FOREVER), 60));
    }

    /** Reads for a while and answers nothing. */
    void read(TestClient client, Duration time) throws IOException {
        read(client, time, _ -> null);
    }

    void read(TestClient client, Duration time, Answer answer) throws IOException {
        long beginNanos = System.nanoTime();
        while (System.nanoTime() - beginNanos < time.toNanos() && over.getCount() > 0) {
            MqttPacket packet = client.poll(LOOK);
            MqttPacket said = packet == null ? null : answer.to(packet);
            if (said != null) {
                client.send(said);
            }
        }
    }

    /** A hundred, of so many bytes together. */
    private static List<UserProperty> properties(int bytes) {
        return Collections.nCopies(100, new UserProperty("name", "v".repeat(bytes / 100 - 4)));
    }

    private Connect connectPacket(String clientId, long expirySeconds, int receiveMaximum, @Nullable Will will) {
        return new Connect(
                VERSION,
                random.nextInt(10) == 0,
                0,
                clientId,
                will,
                null,
                null,
                new ConnectProperties(
                        expirySeconds,
                        receiveMaximum,
                        ConnectProperties.LARGEST_PACKET,
                        65_535,
                        true,
                        true,
                        null,
                        null,
                        properties(1_000)));
    }
}
