package io.tributary.broker.blackbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt3.Mqtt3Client;
import com.hivemq.client.mqtt.mqtt3.exceptions.Mqtt3ConnAckException;
import com.hivemq.client.mqtt.mqtt3.message.connect.connack.Mqtt3ConnAckReturnCode;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient.Mqtt5Publishes;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.security.SessionTakeover;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two users with one client identifier: the session is the first one's. */
class WhoseSessionTest {
    private static final String VICTIM = "meter";

    private SimpleMeterRegistry meters;

    @TempDir
    private Path data;

    private Broker broker;

    @AfterEach
    void stop() {
        broker.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void connectedClientGoesOnWhenAStrangerComes(boolean cleanStart) throws Exception {
        start(SessionTakeover.PRINCIPAL);
        Mqtt5BlockingClient victim = connect("alice", false);
        try (Mqtt5Publishes received = victim.publishes(MqttGlobalPublishFilter.ALL)) {
            victim.subscribeWith().topicFilter("own").qos(MqttQos.EXACTLY_ONCE).send();
            for (int i = 0; i < 3; i++) {
                assertRefused(cleanStart);
                assertRefusedInMqtt3(cleanStart);
                publish(victim, "m" + i);
                Mqtt5Publish message = received.receive(10, TimeUnit.SECONDS).orElseThrow();
                assertThat(new String(message.getPayloadAsBytes(), UTF_8)).isEqualTo("m" + i);
            }
        }
        assertThat(victim.getState().isConnected()).isTrue();
        assertThat(meters.get("tributary.clients.takeovers.refused")
                        .functionCounter()
                        .count())
                .isEqualTo(6);
        victim.disconnect();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void messagesWaitForTheirOwnerWhenAStrangerComes(boolean cleanStart) throws Exception {
        start(SessionTakeover.PRINCIPAL);
        Mqtt5BlockingClient victim = connect("alice", false);
        victim.subscribeWith().topicFilter("own").qos(MqttQos.AT_LEAST_ONCE).send();
        victim.disconnect();
        Mqtt5BlockingClient publisher = client("publisher");
        publisher.connect();
        publish(publisher, "kept");
        publisher.disconnect();
        assertRefused(cleanStart);
        broker.close();
        start(SessionTakeover.PRINCIPAL); // the store knows whose it is
        assertRefused(cleanStart);
        Mqtt5BlockingClient again = client(VICTIM);
        try (Mqtt5Publishes received = again.publishes(MqttGlobalPublishFilter.ALL)) {
            assertThat(connect(again, "alice", false).isSessionPresent()).isTrue();
            Mqtt5Publish message = received.receive(10, TimeUnit.SECONDS).orElseThrow();
            assertThat(new String(message.getPayloadAsBytes(), UTF_8)).isEqualTo("kept");
        }
        again.disconnect();
    }

    @Test
    void anyoneGetsTheSessionWhereTheConfigurationSaysSo() {
        start(SessionTakeover.ANYONE);
        connect("alice", false).disconnect();
        Mqtt5BlockingClient other = client(VICTIM);
        assertThat(connect(other, "mallory", false).isSessionPresent()).isTrue();
        other.disconnect();
    }

    private void start(SessionTakeover takeover) {
        BrokerConfig config = BrokerConfig.builder(data)
                .listener(ListenerConfig.tcp("tcp", 0))
                .securitySessions(takeover)
                .build();
        meters = new SimpleMeterRegistry();
        broker = Broker.start(config, BrokerExtensions.NONE, new BrokerMetrics(meters));
    }

    private void assertRefused(boolean cleanStart) {
        assertThatThrownBy(() -> connect("mallory", cleanStart))
                .isInstanceOfSatisfying(Mqtt5ConnAckException.class, refusal -> {
                    assertThat(refusal.getMqttMessage().getReasonCode())
                            .isEqualTo(Mqtt5ConnAckReasonCode.NOT_AUTHORIZED);
                    assertThat(refusal.getMqttMessage().getReasonString().toString())
                            .doesNotContain("alice");
                });
    }

    private void assertRefusedInMqtt3(boolean cleanStart) {
        assertThatThrownBy(() -> Mqtt3Client.builder()
                        .identifier(VICTIM)
                        .serverHost("127.0.0.1")
                        .serverPort(port())
                        .buildBlocking()
                        .connectWith()
                        .cleanSession(cleanStart)
                        .simpleAuth()
                        .username("mallory")
                        .applySimpleAuth()
                        .send())
                .isInstanceOfSatisfying(
                        Mqtt3ConnAckException.class,
                        refusal -> assertThat(refusal.getMqttMessage().getReturnCode())
                                .isEqualTo(Mqtt3ConnAckReturnCode.NOT_AUTHORIZED));
    }

    private static void publish(Mqtt5BlockingClient from, String text) {
        from.publishWith()
                .topic("own")
                .qos(MqttQos.AT_LEAST_ONCE)
                .payload(text.getBytes(UTF_8))
                .send();
    }

    private Mqtt5BlockingClient connect(String userName, boolean cleanStart) {
        Mqtt5BlockingClient client = client(VICTIM);
        connect(client, userName, cleanStart);
        return client;
    }

    private static Mqtt5ConnAck connect(Mqtt5BlockingClient client, String userName, boolean cleanStart) {
        return client.connectWith()
                .cleanStart(cleanStart)
                .sessionExpiryInterval(3600)
                .simpleAuth()
                .username(userName)
                .applySimpleAuth()
                .send();
    }

    private Mqtt5BlockingClient client(String clientId) {
        return Mqtt5Client.builder()
                .identifier(clientId)
                .serverHost("127.0.0.1")
                .serverPort(port())
                .buildBlocking();
    }

    private int port() {
        return broker.listeners().getFirst().address().getPort();
    }
}
