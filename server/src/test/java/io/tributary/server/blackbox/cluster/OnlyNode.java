package io.tributary.server.blackbox.cluster;

import static io.tributary.server.blackbox.cluster.TwoNodesTest.cluster;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.blackbox.TestTalk;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.server.blackbox.BrokerProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * The only node folds what it appended before it has read it back, and loses nothing by it. {@code -Donly-node.kills}
 * is how often it is killed.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
abstract class OnlyNode {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int MESSAGES = 200;
    private static final int KILLS = Integer.getInteger("only-node.kills", 1);

    @BeforeAll
    static void stopTheOther() {
        cluster.stop("n2");
    }

    @Test
    @Order(1)
    void recordsComeEarlyWhenThereIsNoOtherNode() throws IOException {
        try (TestClient subscriber = subscriber("early");
                TestClient publisher = connect("early-publisher", 0)) {
            await().atMost(PATIENCE).until(() -> {
                double before = early("n1");
                exchange(publisher, subscriber, "early");
                return early("n1") - before >= MESSAGES / 2.0;
            });
        }
    }

    /** What was acknowledged is received, in order, though the node is killed while nobody has received it. */
    @Test
    @Order(2)
    void nothingIsLostWhenTheOnlyNodeIsKilled() throws IOException {
        subscriber("killed").close();
        for (int kill = 0; kill < KILLS; kill++) {
            try (TestClient publisher = connect("killed-publisher", 0)) {
                for (int i = 0; i < MESSAGES; i++) {
                    publisher.send(publish("killed/" + (kill * MESSAGES + i), i + 1));
                }
                for (int i = 0; i < MESSAGES; i++) {
                    publisher.await(Puback.class, PATIENCE);
                }
                cluster.kill("n1");
            }
            cluster.start("n1");
        }
        try (TestClient subscriber = connect("killed", 3_600)) {
            for (int i = 0; i < KILLS * MESSAGES; i++) {
                Publish publish = subscriber.await(Publish.class, PATIENCE);
                assertThat(publish.topic()).isEqualTo("killed/" + i);
                subscriber.send(new Puback(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
            }
        }
    }

    @Test
    @Order(3)
    void nothingComesEarlyWhenAnotherNodeIsThere() throws IOException {
        try (TestClient subscriber = subscriber("again");
                TestClient publisher = connect("again-publisher", 0)) {
            exchange(publisher, subscriber, "again");
            cluster.start("n2");
            cluster.awaitShardsSpread(PATIENCE);
            double before = early("n1");
            exchange(publisher, subscriber, "again");
            assertThat(early("n1")).isEqualTo(before);
            assertThat(early("n2")).isZero();
        }
    }

    /** Publishes messages one after the other, each when the one before was received. */
    private static void exchange(TestClient publisher, TestClient subscriber, String topic) throws IOException {
        for (int i = 0; i < MESSAGES; i++) {
            publisher.send(publish(topic + "/" + i, 1));
            publisher.await(Puback.class, PATIENCE);
            Publish publish = subscriber.await(Publish.class, PATIENCE);
            assertThat(publish.topic()).isEqualTo(topic + "/" + i);
            subscriber.send(new Puback(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
        }
    }

    private static Publish publish(String topic, int packetId) {
        return TestTalk.publication(topic, "m", QoS.AT_LEAST_ONCE, false, packetId);
    }

    private static TestClient subscriber(String clientId) throws IOException {
        TestClient client = connect(clientId, 3_600);
        Subscription all = new Subscription(clientId + "/#", QoS.AT_LEAST_ONCE, false, false, RetainHandling.SEND);
        client.send(new Subscribe(1, List.of(all), 0, List.of()));
        client.await(Suback.class, PATIENCE);
        return client;
    }

    private static TestClient connect(String clientId, long expirySeconds) throws IOException {
        TestClient client = TestClient.open(cluster.node("n1").tcpPort(), ProtocolVersion.MQTT_5);
        client.connect(TestClient.connectPacket(ProtocolVersion.MQTT_5, clientId, expirySeconds), PATIENCE);
        return client;
    }

    /** How many records the node has used early. */
    private static double early(String name) throws IOException {
        BrokerProcess node = cluster.node(name);
        URI metrics = URI.create("http://127.0.0.1:" + node.httpPort() + "/actuator/prometheus");
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(HttpRequest.newBuilder(metrics).build(), HttpResponse.BodyHandlers.ofString())
                    .body()
                    .lines()
                    .filter(line -> line.startsWith("tributary_kafka_records_early_total"))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                    .findFirst()
                    .orElseThrow();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
