package io.tributary.server.blackbox.cluster;

import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.blackbox.TestTalk;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.server.blackbox.BrokerExtension;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A topic of the broker is deleted and made anew under nodes that run. */
@ExtendWith(BrokerExtension.class)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class MapMadeAnewTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final int SUBSCRIPTIONS = 50;
    private static final AtomicInteger ATTEMPTS = new AtomicInteger();

    /** A node that started afterwards waited for what only nodes that had run before could know. */
    @Tag("long")
    @Test
    void nodesThatRunAndNodesThatStartAgreeWhenSubscriptionsAreMadeAnew() throws IOException {
        try (TestCluster cluster =
                TestCluster.in(Scratch.folder("map-made-anew")).nodes(2).start()) {
            try (TestClient subscriber = connect(cluster, "n1", "subscriber", 3_600)) {
                for (int i = 0; i < SUBSCRIPTIONS; i++) {
                    subscribe(subscriber, "before/" + i);
                }
            }
            cluster.makeAnew("tributary.subscriptions");
            cluster.kill("n2");
            cluster.start("n2");
            await().atMost(PATIENCE).ignoreExceptions().until(() -> isDelivered(cluster, "n1", "n2"));
            await().atMost(PATIENCE).ignoreExceptions().until(() -> isDelivered(cluster, "n2", "n1"));
        }
    }

    /** By a session that never was, for what an attempt leaves would come to the next one. */
    private static boolean isDelivered(TestCluster cluster, String from, String to) throws IOException {
        try (TestClient subscriber = connect(cluster, to, "subscriber " + ATTEMPTS.incrementAndGet(), 3_600);
                TestClient publisher = connect(cluster, from, "publisher", 0)) {
            subscribe(subscriber, "to/" + to);
            publisher.send(TestTalk.publication("to/" + to, "m", QoS.AT_LEAST_ONCE, false, 1));
            return subscriber.await(Publish.class, ANSWER).topic().equals("to/" + to);
        }
    }

    private static void subscribe(TestClient client, String filter) throws IOException {
        Subscription one = new Subscription(filter, QoS.AT_LEAST_ONCE, false, false, RetainHandling.SEND);
        client.send(new Subscribe(1, List.of(one), 0, List.of()));
        client.await(Suback.class, ANSWER);
    }

    private static TestClient connect(TestCluster cluster, String node, String clientId, long expirySeconds)
            throws IOException {
        TestClient client = TestClient.open(cluster.node(node).tcpPort(), ProtocolVersion.MQTT_5);
        client.connect(TestClient.connectPacket(ProtocolVersion.MQTT_5, clientId, expirySeconds), ANSWER);
        return client;
    }
}
