package io.tributary.server.blackbox.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.server.blackbox.BrokerExtension;
import io.tributary.server.blackbox.BrokerProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Many clients, or greedy ones, on a broker with a small heap: it stays within its memory, and a good client keeps its
 * service. {@code -Dhostile.scale=full} does it at full scale; the figures are in {@code target/blackbox}.
 */
@ExtendWith(BrokerExtension.class)
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class HostileLoadTest {
    private static final Scale SCALE = Scale.wanted();
    private static final List<String> SMALL = List.of("-Xmx256m", "-XX:MaxDirectMemorySize=256m");
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int KIBIBYTE = 1024;
    private static final int MOST_SESSIONS = 5_000;
    private static final List<String> REPORT = new ArrayList<>();

    private static BrokerProcess broker;

    @BeforeAll
    static void start() {
        broker = BrokerProcess.start(
                Scratch.folder("hostile"),
                SMALL,
                List.of("--tributary.limits.connect.timeout=" + SCALE.connectTimeout.toMillis() + "ms"));
    }

    @AfterAll
    static void stop() {
        broker.close();
        Scratch.report("robustness.md", """
                | what | outcome | a good client's round trips: median / 99th percentile / longest | heap, MiB | sockets, MiB | process, MiB |
                | --- | --- | --- | --- | --- | --- |
                """ + String.join("", REPORT));
    }

    @Test
    void closesConnectionsAfterConnectTimeoutWhenClientsNeverFinishConnect() throws Exception {
        byte[] connect = Wire.connect("a client that takes its time");
        try (Watch watch = Watch.over(broker, "half-open");
                HalfOpen halfOpen = new HalfOpen(broker.tcpPort(), connect)) {
            halfOpen.open(SCALE.halfOpen);
            int most = halfOpen.open();
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            for (int looks = 0; halfOpen.open() > 0 && System.nanoTime() < deadline; looks++) {
                if (looks % 20 == 0 && looks / 20 < connect.length) {
                    halfOpen.say(looks / 20);
                }
                halfOpen.look();
            }
            assertThat(halfOpen.open())
                    .as("connections that the broker has not closed")
                    .isZero();
            REPORT.add(watch.finish(
                    SCALE.halfOpen + " connections that say nothing, or one byte of their CONNECT now and then",
                    most + " open at once; all closed by the CONNECT timeout of " + SCALE.connectTimeout.toSeconds()
                            + " s"));
        }
    }

    @Test
    void boundsWhatWaitsWhenSubscribersNeverRead() throws Exception {
        List<TestClient> deaf = new ArrayList<>();
        try (Watch watch = Watch.over(broker, "deaf");
                TestClient publisher =
                        TestClient.connect(broker.tcpPort(), ProtocolVersion.MQTT_3_1_1, "deaf-publisher", 0);
                TestClient listener =
                        TestClient.connect(broker.tcpPort(), ProtocolVersion.MQTT_3_1_1, "deaf-listener", 0)) {
            for (int i = 0; i < 10; i++) {
                deaf.add(deafSubscriber("deaf" + i, QoS.of(i % 2), i < 8 ? 0 : 3_600));
            }
            listener.send(Packets.subscribe(1, "firehose", QoS.AT_LEAST_ONCE));
            listener.expect(Suback.class);
            pump(publisher, listener, SCALE.messages);
            long dropped = watch.dropped();
            assertThat(dropped).isPositive();
            REPORT.add(watch.finish(
                    "10 subscribers that never read, %,d messages of 1 KiB at QoS 1".formatted(SCALE.messages),
                    "a subscriber that reads got all; %,d copies dropped for the others, and counted"
                            .formatted(dropped)));
        } finally {
            deaf.forEach(TestClient::close);
            forget("deaf8");
            forget("deaf9");
        }
    }

    @Test
    void servesOthersWhenPublishersFlood() throws Exception {
        AtomicInteger written = new AtomicInteger();
        List<Socket> flooders = new ArrayList<>();
        try (Watch watch = Watch.over(broker, "flood");
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            try {
                for (int i = 0; i < 4; i++) {
                    Socket flooder = new Socket(InetAddress.getLoopbackAddress(), broker.tcpPort());
                    flooders.add(flooder);
                    QoS qos = QoS.of(i % 2);
                    byte[] connect = Wire.connect("flooder" + i);
                    threads.execute(() -> flood(flooder, connect, qos, written));
                }
                int wanted = watch.goodClient().roundTrips() + 200;
                await().atMost(PATIENCE)
                        .until(() -> watch.goodClient().roundTrips() >= wanted && written.get() >= SCALE.messages);
            } finally {
                for (Socket flooder : flooders) {
                    flooder.close();
                }
            }
            REPORT.add(watch.finish(
                    "4 publishers that flood with messages of 1 KiB at QoS 0 and 1, and never read",
                    "%,d messages written".formatted(written.get())));
        }
    }

    @Tag("long")
    @Test
    void holdsLittleWhenPacketsAreAnnouncedAndNotFinished() throws Exception {
        byte[] half = Wire.unfinishedPublish(1_000_000, 900_000);
        List<TestClient> clients = new ArrayList<>();
        try (Watch watch = Watch.over(broker, "unfinished")) {
            for (int i = 0; i < SCALE.unfinished; i++) {
                TestClient client =
                        TestClient.connect(broker.tcpPort(), ProtocolVersion.MQTT_3_1_1, "unfinished" + i, 0);
                clients.add(client);
                Thread.startVirtualThread(() -> sendAsFarAsItIsRead(client, half));
            }
            int wanted = watch.goodClient().roundTrips() + 200;
            await().atMost(PATIENCE).until(() -> watch.goodClient().roundTrips() >= wanted);
            await().atMost(PATIENCE).ignoreExceptions().until(() -> {
                exchangeLargeMessage(); // which waits its turn behind those that do not finish
                return true;
            });
            REPORT.add(watch.finish(
                    SCALE.unfinished + " clients that send 900 kB of a packet of 1 MB each, and not the rest",
                    "%,d of them still open".formatted(watch.stats().read("tributary_connections", "") - 1)));
        } finally {
            clients.forEach(TestClient::close);
        }
    }

    @Tag("long")
    @Test
    void holdsLittleWhenLargeMessagesAreNotRead() throws Exception {
        List<TestClient> deaf = new ArrayList<>();
        try (Watch watch = Watch.over(broker, "large");
                TestClient publisher =
                        TestClient.connect(broker.tcpPort(), ProtocolVersion.MQTT_3_1_1, "large-publisher", 0)) {
            publisher.send(Packets.retained("large/retained", new byte[1_000_000]));
            publisher.expect(Puback.class);
            for (int i = 0; i < SCALE.unfinished; i++) {
                TestClient client = TestClient.connect(broker.tcpPort(), ProtocolVersion.MQTT_3_1_1, "large" + i, 0);
                deaf.add(client);
                client.send(Packets.subscribe(1, "large/retained", QoS.AT_MOST_ONCE));
            }
            int wanted = watch.goodClient().roundTrips() + 200;
            await().atMost(PATIENCE).until(() -> watch.goodClient().roundTrips() >= wanted);
            exchangeLargeMessage();
            assertThat(watch.stats().sample().directBytes()).isLessThan(SCALE.unfinished * 200_000L);
            REPORT.add(watch.finish(
                    "%,d subscribers of a retained message of 1 MB that do not read it".formatted(SCALE.unfinished),
                    "a message of 500 kB gets through meanwhile"));
            publisher.send(Packets.retained("large/retained", new byte[0]));
            publisher.expect(Puback.class);
        } finally {
            deaf.forEach(TestClient::close);
        }
    }

    private static void sendAsFarAsItIsRead(TestClient client, byte[] bytes) {
        try {
            client.sendBytes(bytes);
        } catch (IOException closed) {
            // the broker had enough of it, or the test is over
        }
    }

    @Test
    void leavesNothingBehindWhenClientsComeAndGo() throws Exception {
        try (Watch watch = Watch.over(broker, "storm");
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            AtomicInteger left = new AtomicInteger(SCALE.connects);
            AtomicInteger failures = new AtomicInteger();
            List<Future<?>> storm = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Random random = new Random(i);
                storm.add(threads.submit(() -> {
                    while (left.getAndDecrement() > 0) {
                        comeAndGo(random, failures);
                    }
                }));
            }
            for (Future<?> thread : storm) {
                thread.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            await().atMost(PATIENCE)
                    .until(() -> watch.stats().read("tributary_connections", "") <= 1); // the good client
            assertThat(watch.stats().read("tributary_sessions_persistent", "")).isZero();
            assertThat(watch.stats().read("tributary_subscriptions", "")).isEqualTo(1);
            REPORT.add(watch.finish(
                    "%,d connects, subscribes and ends by 8 threads with 50 client identifiers"
                            .formatted(SCALE.connects),
                    "nothing left behind; %,d were taken over meanwhile".formatted(failures.get())));
        }
    }

    /** Each with filters whose levels no other one has: 128 of them are the most that a filter may have. */
    @Test
    void refusesWhatItHasNoMemoryForWhenSubscriptionsComeInEverNewSessions() throws Exception {
        int sessions = 0;
        try (Watch watch = Watch.over(broker, "collectors")) {
            long before = watch.stats().read("tributary_subscriptions", "");
            while (leavesDeepSubscriptions("collector" + sessions)) {
                sessions++;
                assertThat(sessions).isLessThan(MOST_SESSIONS);
            }
            int wanted = watch.goodClient().roundTrips() + 200;
            await().atMost(PATIENCE).until(() -> watch.goodClient().roundTrips() >= wanted);
            for (int i = 0; i <= sessions; i++) {
                forget("collector" + i);
            }
            await().atMost(PATIENCE).until(() -> watch.stats().read("tributary_subscriptions", "") == before);
            REPORT.add(watch.finish(
                    "a client with ever new sessions that stay, each with filters of 128 levels of their own",
                    "%,d sessions have theirs, more are refused; all gone when the sessions are".formatted(sessions)));
        }
    }

    /** Tells whether a new session was granted all that a client may have. */
    private static boolean leavesDeepSubscriptions(String name) throws IOException {
        String[] filters = IntStream.range(0, 50)
                .mapToObj(i -> name + "/" + i + "/a".repeat(125) + "/+")
                .toArray(String[]::new);
        try (TestClient client = TestClient.open(broker.tcpPort(), ProtocolVersion.MQTT_5)) {
            client.connect(TestClient.connectPacket(ProtocolVersion.MQTT_5, name, 3_600));
            client.send(Packets.subscribe(1, QoS.AT_LEAST_ONCE, filters));
            return !client.expect(Suback.class).reasons().contains(ReasonCode.QUOTA_EXCEEDED);
        }
    }

    /** Publishes as fast as the listener receives, at most 500 ahead of it. */
    private static void pump(TestClient publisher, TestClient listener, int messages) throws IOException {
        byte[] payload = new byte[KIBIBYTE];
        int published = 0;
        int acknowledged = 0;
        int received = 0;
        while (received < messages) {
            while (published < messages && published - received < 500) {
                publisher.queue(Packets.publish("firehose", payload, QoS.AT_LEAST_ONCE, 1 + published++ % 60_000));
            }
            publisher.flush();
            if (acknowledged < published) {
                publisher.expect(Puback.class);
                acknowledged++;
                while (publisher.next() != null) {
                    acknowledged++;
                }
            }
            MqttPacket packet = listener.expect(Publish.class);
            while (packet != null) {
                received++;
                listener.queue(new Puback(((Publish) packet).packetId(), ReasonCode.SUCCESS, null, List.of()));
                packet = listener.next();
            }
            listener.flush();
        }
    }

    /** What somebody does who has done nothing wrong, and needs memory too. */
    private static void exchangeLargeMessage() throws IOException {
        try (TestClient client = TestClient.connect(broker.tcpPort(), ProtocolVersion.MQTT_3_1_1, "large", 0)) {
            client.send(Packets.subscribe(1, "large", QoS.AT_MOST_ONCE));
            client.expect(Suback.class);
            client.send(Packets.publish("large", new byte[500_000], QoS.AT_MOST_ONCE, 0));
            assertThat(client.expect(Publish.class).payload()).hasSize(500_000);
        }
    }

    private static TestClient deafSubscriber(String name, QoS qos, long expirySeconds) throws IOException {
        TestClient client = TestClient.open(broker.tcpPort(), ProtocolVersion.MQTT_5);
        client.connect(TestClient.connectPacket(ProtocolVersion.MQTT_5, name, expirySeconds));
        client.send(Packets.subscribe(1, "firehose", qos));
        client.expect(Suback.class);
        return client;
    }

    private static void forget(String name) throws IOException {
        TestClient.connect(broker.tcpPort(), ProtocolVersion.MQTT_3_1_1, name, 0)
                .close();
    }

    private static void flood(Socket socket, byte[] connect, QoS qos, AtomicInteger written) {
        byte[] publish = Wire.publish("flood", new byte[KIBIBYTE], qos);
        try {
            socket.getOutputStream().write(connect);
            while (true) {
                socket.getOutputStream().write(publish);
                written.incrementAndGet();
            }
        } catch (IOException closed) {
            // by the test, or by the broker
        }
    }

    private static void comeAndGo(Random random, AtomicInteger failures) {
        String name = "storm" + random.nextInt(50);
        ProtocolVersion version = random.nextBoolean() ? ProtocolVersion.MQTT_5 : ProtocolVersion.MQTT_3_1_1;
        try (TestClient client = TestClient.connect(broker.tcpPort(), version, name, 0)) {
            client.send(Packets.subscribe(1, "storm/" + name, QoS.AT_LEAST_ONCE));
            if (random.nextBoolean()) {
                client.expect(Suback.class);
                client.send(Packets.publish("storm/" + name, new byte[10], QoS.AT_LEAST_ONCE, 1));
            }
        } catch (IOException | AssertionError takenOver) {
            failures.incrementAndGet();
        }
    }
}
