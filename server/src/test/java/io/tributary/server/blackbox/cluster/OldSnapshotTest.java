package io.tributary.server.blackbox.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
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
import io.tributary.localcluster.LocalRedis;
import io.tributary.server.blackbox.BrokerExtension;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A whole Redis Cluster comes back as it was before thousands of messages, or before a session's packet identifiers
 * went once round, before what was in flight then was finished, and before another session began. {@code
 * -Dsnapshot.age} is for how many seconds it stays behind besides.
 */
@ExtendWith(BrokerExtension.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class OldSnapshotTest {
    private static final ProtocolVersion VERSION = ProtocolVersion.MQTT_5;
    private static final long EXPIRY_SECONDS = 3_600;
    /** As many as there are packet identifiers. */
    private static final int ONCE_ROUND = 65_535;

    private static final int SOME = 5_000;
    private static final int WINDOW = 500;
    private static final long AGE_SECONDS = Long.getLong("snapshot.age", 0);
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration A_MOMENT = Duration.ofMillis(5);

    @Test
    void nothingIsLostOrComesTwiceWhenRedisComesBackAsItWas() throws IOException {
        playWith(SOME);
    }

    @Tag("long")
    @Test
    void nothingIsLostOrComesTwiceWhenRedisComesBackAsItWasOnceRoundAgo() throws IOException {
        playWith(ONCE_ROUND);
    }

    private static void playWith(int messages) throws IOException {
        try (TestCluster cluster = TestCluster.in(Scratch.folder("snapshot"))
                .nodes(2)
                .setting("--tributary.limits.delivery.max-in-flight=" + WINDOW)
                .start()) {
            play(cluster, messages);
        }
    }

    private static void play(TestCluster cluster, int messages) throws IOException {
        TestClient subscriber = open(cluster, "n1", "subscriber", false);
        subscribe(subscriber);
        TestClient publisher = open(cluster, "n2", "publisher", false);
        for (String text : List.of("a0", "a1", "a2")) {
            publish(publisher, text);
        }
        Publish a0 = receive(subscriber, "a0");
        Publish a1 = receive(subscriber, "a1");
        Publish a2 = receive(subscriber, "a2");
        finish(subscriber, a0);
        release(subscriber, a1);
        awaitQueued(cluster.redis(), "subscriber", 2);

        long takenNanos = System.nanoTime();
        List<Path> snapshots = IntStream.rangeClosed(1, cluster.redis().size())
                .mapToObj(cluster.redis()::snapshot)
                .toList();
        complete(subscriber, a1);
        finish(subscriber, a2);
        flood(publisher, subscriber, messages);
        TestClient late = open(cluster, "n1", "late", false);
        subscribe(late);
        late.close();
        for (String text : List.of("b0", "b1", "b2")) {
            publish(publisher, text);
        }
        Publish b0 = receive(subscriber, "b0");
        Publish b1 = receive(subscriber, "b1");
        Publish b2 = receive(subscriber, "b2");
        finish(subscriber, b0);
        release(subscriber, b1);
        publisher.send(publication("b3", QoS.EXACTLY_ONCE, false, 77));
        publisher.await(Pubrec.class, PATIENCE);
        Publish b3 = receive(subscriber, "b3");
        assertThat(b3.packetId()).isEqualTo((a2.packetId() + messages + 3) % ONCE_ROUND + 1);
        await().atMost(PATIENCE.plusSeconds(AGE_SECONDS))
                .until(() -> TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - takenNanos) >= AGE_SECONDS);

        goBack(cluster.redis(), snapshots);

        finish(subscriber, b2);
        subscriber.close();
        TestClient again = open(cluster, "n2", "subscriber", true);
        assertThat(again.await(Pubrel.class, PATIENCE).packetId()).isEqualTo(b1.packetId());
        complete(again, b1);
        Publish b3Again = receive(again, "b3");
        assertThat(b3Again.packetId()).isEqualTo(b3.packetId());
        assertThat(b3Again.dup()).isTrue();
        finish(again, b3Again);
        publisher.close();
        TestClient returned = open(cluster, "n1", "publisher", true);
        returned.send(publication("b3", QoS.EXACTLY_ONCE, true, 77));
        returned.await(Pubrec.class, PATIENCE);
        returned.send(new Pubrel(77, ReasonCode.SUCCESS, null, List.of()));
        returned.await(Pubcomp.class, PATIENCE);
        publish(returned, "end");
        TestClient lateAgain = open(cluster, "n2", "late", true);
        List<Publish> missed = new ArrayList<>();
        for (String text : List.of("b0", "b1", "b2", "b3", "end")) {
            missed.add(receive(lateAgain, text));
        }
        for (Publish publish : missed) {
            finish(lateAgain, publish);
        }
        finish(again, receive(again, "end"));
        for (TestClient client : List.of(again, returned, lateAgain)) {
            client.close();
        }
    }

    /** All servers end by SIGKILL and start with these data. */
    private static void goBack(LocalRedis redis, List<Path> snapshots) {
        for (int i = 1; i <= redis.size(); i++) {
            redis.kill(i);
        }
        for (int i = 1; i <= redis.size(); i++) {
            redis.restartWith(i, snapshots.get(i - 1));
        }
    }

    /** Waits until Redis has as many messages for a client, and no more. */
    private static void awaitQueued(LocalRedis redis, String clientId, int count) {
        await().atMost(PATIENCE).until(() -> {
            for (int i = 1; i <= redis.size(); i++) {
                String key = redis.call(i, "KEYS", "*:queue:" + clientId).strip();
                if (!key.isEmpty()) {
                    return redis.call(i, "ZCARD", key).strip().equals(Integer.toString(count));
                }
            }
            return false;
        });
    }

    private static TestClient open(TestCluster cluster, String node, String clientId, boolean present)
            throws IOException {
        TestClient client = TestClient.open(cluster.node(node).tcpPort(), VERSION);
        Connack connack = client.connect(TestClient.connectPacket(VERSION, clientId, EXPIRY_SECONDS), PATIENCE);
        assertThat(connack.sessionPresent()).isEqualTo(present);
        return client;
    }

    private static void subscribe(TestClient client) throws IOException {
        Subscription all = new Subscription("old/#", QoS.EXACTLY_ONCE, false, false, RetainHandling.SEND);
        client.send(new Subscribe(1, List.of(all), 0, List.of()));
        assertThat(client.await(Suback.class, PATIENCE).reasons()).containsExactly(ReasonCode.GRANTED_QOS_2);
    }

    /** Publishes a message at QoS 2, to the end. */
    private static void publish(TestClient publisher, String text) throws IOException {
        publisher.send(publication(text, QoS.EXACTLY_ONCE, false, 1));
        publisher.await(Pubrec.class, PATIENCE);
        publisher.send(new Pubrel(1, ReasonCode.SUCCESS, null, List.of()));
        publisher.await(Pubcomp.class, PATIENCE);
    }

    private static Publish receive(TestClient subscriber, String text) throws IOException {
        MqttPacket packet = subscriber.await(MqttPacket.class, PATIENCE);
        while (packet instanceof Pubrel again) { // a PUBCOMP that came while the shard was loaded anew
            subscriber.send(new Pubcomp(again.packetId(), ReasonCode.SUCCESS, null, List.of()));
            packet = subscriber.await(MqttPacket.class, PATIENCE);
        }
        assertThat(packet).isInstanceOf(Publish.class);
        Publish publish = (Publish) packet;
        assertThat(new String(publish.payload(), UTF_8)).isEqualTo(text);
        assertThat(publish.qos()).isEqualTo(QoS.EXACTLY_ONCE);
        return publish;
    }

    private static void finish(TestClient subscriber, Publish publish) throws IOException {
        release(subscriber, publish);
        complete(subscriber, publish);
    }

    private static void release(TestClient subscriber, Publish publish) throws IOException {
        subscriber.send(new Pubrec(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
        assertThat(subscriber.await(Pubrel.class, PATIENCE).packetId()).isEqualTo(publish.packetId());
    }

    private static void complete(TestClient subscriber, Publish publish) throws IOException {
        subscriber.send(new Pubcomp(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
    }

    /** Messages at QoS 1, all acknowledged, received, and acknowledged again. */
    private static void flood(TestClient publisher, TestClient subscriber, int messages) throws IOException {
        int sent = 0;
        int acknowledged = 0;
        int received = 0;
        long deadlineNanos = System.nanoTime() + TimeUnit.MINUTES.toNanos(8);
        while (acknowledged < messages || received < messages) {
            assertThat(System.nanoTime())
                    .as("%d acknowledged, %d received", acknowledged, received)
                    .isLessThan(deadlineNanos);
            for (; sent < messages && sent - Math.min(acknowledged, received) < WINDOW; sent++) {
                publisher.queue(publication("flood", QoS.AT_LEAST_ONCE, false, 1 + sent % WINDOW));
            }
            publisher.flush();
            for (MqttPacket packet = publisher.poll(A_MOMENT); packet != null; packet = publisher.next()) {
                assertThat(packet).isInstanceOf(Puback.class);
                acknowledged++;
            }
            for (MqttPacket packet = subscriber.poll(A_MOMENT); packet != null; packet = subscriber.next()) {
                Publish publish = (Publish) packet;
                subscriber.queue(new Puback(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
                received++;
            }
            subscriber.flush();
        }
    }

    private static Publish publication(String text, QoS qos, boolean dup, int packetId) {
        return new Publish(
                "old/" + text,
                text.getBytes(UTF_8),
                qos,
                false,
                dup,
                packetId,
                0,
                MqttPacket.ABSENT,
                PublishProperties.NONE,
                List.of());
    }
}
