package io.tributary.broker.blackbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5PubAckException;
import com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5Connect;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5DisconnectReasonCode;
import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.ClientInfo;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an authorizer is told of the client that it is asked about. */
class AuthorizerTest {
    private static final int PATIENCE_SECONDS = 10;

    private final Queue<Question> asked = new ConcurrentLinkedQueue<>();

    @TempDir
    private Path data;

    private Broker broker;

    /** One question. */
    private record Question(String what, ClientInfo client) {}

    /** Users publish below their own name, through one listener. */
    private final class ByUser implements Authorizer {
        @Override
        public boolean mayPublish(ClientInfo client, String topic, QoS qos, boolean retain) {
            asked.add(new Question("publish", client));
            return !client.isConnectionKnown()
                    || ("devices".equals(client.listener()) && topic.startsWith(client.userName() + "/"));
        }

        @Override
        public boolean maySubscribe(ClientInfo client, String topicFilter, QoS qos) {
            asked.add(new Question("subscribe", client));
            return true;
        }

        @Override
        public boolean mayReceive(ClientInfo client, String topic) {
            asked.add(new Question("receive", client));
            return true;
        }
    }

    @BeforeEach
    void start() {
        broker = Broker.start(
                BrokerConfig.builder(data)
                        .listener(ListenerConfig.tcp("devices", 0))
                        .build(),
                BrokerExtensions.builder().authorizer(new ByUser()).build(),
                BrokerMetrics.unregistered());
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    @Test
    void decidesByUserAndListenerWhenClientIsConnected() {
        Mqtt5BlockingClient meter = connect("meter-1", "alice", false);
        publish(meter, "alice/power");
        assertThatThrownBy(() -> publish(meter, "bob/power")).isInstanceOf(Mqtt5PubAckException.class);
        meter.disconnect();
    }

    @Test
    void seesOneObjectForAllQuestionsWhenClientIsConnected() throws Exception {
        Mqtt5BlockingClient meter = connect("meter-1", "alice", false);
        try (Mqtt5BlockingClient.Mqtt5Publishes publishes = meter.publishes(MqttGlobalPublishFilter.ALL)) {
            meter.subscribeWith().topicFilter("alice/#").send();
            publish(meter, "alice/power");
            publish(meter, "alice/power");
            assertThat(publishes.receive(PATIENCE_SECONDS, SECONDS)).isPresent();
            assertThat(publishes.receive(PATIENCE_SECONDS, SECONDS)).isPresent();
        }
        meter.disconnect();

        assertThat(asked).extracting(Question::what).contains("publish", "subscribe", "receive");
        assertThat(objects(asked)).singleElement().satisfies(client -> {
            assertThat(client.userName()).isEqualTo("alice");
            assertThat(client.listener()).isEqualTo("devices");
            assertThat(client.remoteAddress()).contains("127.0.0.1");
            assertThat(client.kind()).isEqualTo(ClientKind.DEVICE);
            assertThat(client.isConnectionKnown()).isTrue();
        });
    }

    @Test
    void seesOneObjectWithIdentifierKindAndPrincipalWhenSessionIsAway() {
        Mqtt5BlockingClient reader = connect("reader-1", "bob", true);
        reader.subscribeWith().topicFilter("news").qos(MqttQos.AT_LEAST_ONCE).send();
        reader.disconnect();
        await().atMost(PATIENCE_SECONDS, SECONDS).until(() -> broker.status().connections() == 0);
        asked.clear();

        publishInProcess("news");
        publishInProcess("news");

        assertThat(asked).extracting(Question::what).containsExactly("receive", "receive");
        assertThat(objects(asked)).singleElement().satisfies(client -> {
            assertThat(client).isEqualTo(ClientInfo.away("reader-1", ClientKind.DEVICE, Principal.ofUser("bob")));
            assertThat(client.isConnectionKnown()).isFalse();
            assertThat(client.userName()).isNull();
        });
    }

    @Test
    void seesTheIdentifierAndThePrincipalWhenAWillIsPublished() {
        Mqtt5BlockingClient meter = client("meter-1");
        meter.connect(Mqtt5Connect.builder()
                .simpleAuth()
                .username("alice")
                .applySimpleAuth()
                .willPublish()
                .topic("alice/gone")
                .applyWillPublish()
                .build());
        assertThat(asked)
                .singleElement()
                .satisfies(
                        atConnect -> assertThat(atConnect.client().userName()).isEqualTo("alice"));
        asked.clear();

        meter.disconnectWith()
                .reasonCode(Mqtt5DisconnectReasonCode.DISCONNECT_WITH_WILL_MESSAGE)
                .send();

        await().untilAsserted(() -> assertThat(asked)
                .containsExactly(new Question("publish", ClientInfo.away("meter-1", null, Principal.ofUser("alice")))));
    }

    private static Set<ClientInfo> objects(Iterable<Question> questions) {
        Set<ClientInfo> objects = Collections.newSetFromMap(new IdentityHashMap<>());
        questions.forEach(question -> objects.add(question.client()));
        return objects;
    }

    private void publishInProcess(String topic) {
        assertThat(broker.publish(Message.of(topic, "sunny".getBytes(UTF_8), QoS.AT_LEAST_ONCE))
                        .toCompletableFuture())
                .succeedsWithin(Duration.ofSeconds(PATIENCE_SECONDS))
                .isEqualTo(true);
    }

    private Mqtt5BlockingClient client(String clientId) {
        return Mqtt5Client.builder()
                .identifier(clientId)
                .serverHost("127.0.0.1")
                .serverPort(broker.listeners().getFirst().address().getPort())
                .buildBlocking();
    }

    private Mqtt5BlockingClient connect(String clientId, String user, boolean persistent) {
        Mqtt5BlockingClient client = client(clientId);
        client.connectWith()
                .cleanStart(true)
                .sessionExpiryInterval(persistent ? 3_600 : 0)
                .simpleAuth()
                .username(user)
                .applySimpleAuth()
                .send();
        return client;
    }

    private static void publish(Mqtt5BlockingClient client, String topic) {
        client.publishWith()
                .topic(topic)
                .qos(MqttQos.AT_LEAST_ONCE)
                .payload("1".getBytes(UTF_8))
                .send();
    }
}
