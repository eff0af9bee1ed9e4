package io.tributary.server.blackbox.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.blackbox.TestTalk;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.server.blackbox.BrokerExtension;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Rules decide wherever a message is matched, and wherever the client is: the user {@code reader} may not know all. */
@ExtendWith(BrokerExtension.class)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class RulesInAClusterTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String OPEN = "news/open";
    private static final String SECRET = "news/secret";

    private static TestCluster cluster;
    private static TestClient writer;

    @BeforeAll
    static void start() throws IOException {
        String sets = "--tributary.security.rules";
        cluster = TestCluster.in(Scratch.folder("rules-in-a-cluster"))
                .nodes(2)
                .setting(sets + "[0].for.users=reader")
                .setting(sets + "[0].rules[0].deny=subscribe")
                .setting(sets + "[0].rules[0].topic=news/secret")
                .setting(sets + "[0].rules[1].allow=subscribe")
                .setting(sets + "[0].rules[1].topic=news/#")
                .setting(sets + "[1].rules[0].allow=all")
                .setting(sets + "[1].rules[0].topic=#")
                .start();
        cluster.awaitShardsSpread(PATIENCE);
        new Probe(cluster).await(List.copyOf(cluster.nodes()), PATIENCE);
        writer = connect("n1", "rules-writer", "writer", 0);
    }

    @AfterAll
    static void stop() {
        writer.close();
        cluster.close();
    }

    @Test
    void messageIsLeftOutWhenReaderIsAtAnotherNode() throws IOException {
        try (TestClient reader = connect("n2", "rules-there", "reader", 0)) {
            subscribe(reader, "news/#");
            publish(SECRET);
            publish(OPEN);
            assertThat(reader.expect(Publish.class).topic()).isEqualTo(OPEN);
        }
    }

    /** The principal that came with the session's subscriptions decides, at a node that has never seen the client. */
    @Test
    void messageIsNotQueuedWhenReaderOfAnotherNodeIsAway() throws IOException {
        try (TestClient reader = connect("n2", "rules-away", "reader", 600)) {
            subscribe(reader, "news/#");
            reader.disconnect(-1);
        }
        publish(SECRET);
        publish(OPEN);
        try (TestClient reader = connect("n1", "rules-away", "reader", 600)) {
            assertThat(reader.expect(Publish.class).topic()).isEqualTo(OPEN);
            reader.disconnect(0);
        }
    }

    /** The node that chooses a member does not know who it is; the member's own node does. */
    @Test
    void memberWithTheRightGetsAllWhenMembersAreAtAnotherNode() throws IOException {
        try (TestClient reader = connect("n2", "rules-member-1", "reader", 0);
                TestClient insider = connect("n2", "rules-member-2", "insider", 0)) {
            subscribe(reader, "$share/g/news/#");
            subscribe(insider, "$share/g/news/#");
            for (int i = 0; i < 6; i++) {
                publish(SECRET);
            }
            for (int i = 0; i < 6; i++) {
                Publish message = insider.expect(Publish.class);
                assertThat(message.topic()).isEqualTo(SECRET);
                insider.send(new Puback(message.packetId(), ReasonCode.SUCCESS, null, List.of()));
            }
            assertThat(reader.poll(Duration.ofMillis(300))).isNull();
        }
    }

    private static void publish(String topic) throws IOException {
        writer.send(TestTalk.packet(topic, "x", false, 0));
        assertThat(writer.expect(Puback.class).reason().isError()).isFalse();
    }

    private static void subscribe(TestClient client, String filter) throws IOException {
        Subscription asked = new Subscription(filter, QoS.AT_LEAST_ONCE, false, false, RetainHandling.SEND);
        client.send(new Subscribe(1, List.of(asked), 0, List.of()));
        assertThat(client.expect(Suback.class).reasons()).containsExactly(ReasonCode.GRANTED_QOS_1);
    }

    private static TestClient connect(String node, String clientId, String user, long expiry) throws IOException {
        TestClient client = TestClient.open(cluster.node(node).tcpPort(), ProtocolVersion.MQTT_5);
        client.connect(new Connect(
                ProtocolVersion.MQTT_5, false, 0, clientId, null, user, null, ConnectProperties.defaults(expiry)));
        return client;
    }
}
