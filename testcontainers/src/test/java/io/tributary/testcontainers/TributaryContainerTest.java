package io.tributary.testcontainers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hivemq.client.mqtt.MqttClientSslConfig;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.Mqtt5ClientBuilder;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.utility.DockerImageName;

/** What a program's own test of it looks like. Skipped where there is no Docker engine. */
@Testcontainers(disabledWithoutDocker = true)
class TributaryContainerTest {
    @Test
    void messagesComeOverTcpAndWebSocketWhenNothingIsSaid() throws Exception {
        try (TributaryContainer broker = container()) {
            broker.start();
            URI webSocket = URI.create(broker.webSocketUrl());
            Mqtt5BlockingClient subscriber = Mqtt5Client.builder()
                    .serverHost(webSocket.getHost())
                    .serverPort(webSocket.getPort())
                    .webSocketConfig()
                    .serverPath("mqtt")
                    .applyWebSocketConfig()
                    .buildBlocking();

            assertComes(subscriber, client(broker).buildBlocking());
            assertThat(get(broker.httpUrl() + "/actuator/prometheus")).contains("tributary_connections");
        }
    }

    @Test
    void onlyUsersConnectWhenThereAreSome() {
        try (TributaryContainer broker = container().withUser("alice", "pässword")) {
            broker.start();
            Mqtt5BlockingClient alice = login(broker, "pässword");
            alice.connect();
            alice.disconnect();

            assertThatThrownBy(() -> login(broker, "guess").connect())
                    .isInstanceOfSatisfying(
                            Mqtt5ConnAckException.class,
                            refused -> assertThat(refused.getMqttMessage().getReasonCode())
                                    .isEqualTo(Mqtt5ConnAckReasonCode.BAD_USER_NAME_OR_PASSWORD));
            assertThatThrownBy(() -> client(broker).buildBlocking().connect())
                    .isInstanceOf(Mqtt5ConnAckException.class);
        }
    }

    @Test
    void messagesComeOverTlsWhenThereIsACertificate() throws Exception {
        try (TributaryContainer broker = container()) {
            X509Bundle server = certificate(broker.getHost());
            broker.withTls(server.getCertificatePathPEM(), server.getPrivateKeyPEM());
            broker.start();
            URI tls = URI.create(broker.tlsBrokerUrl());
            Mqtt5BlockingClient subscriber = Mqtt5Client.builder()
                    .serverHost(tls.getHost())
                    .serverPort(tls.getPort())
                    .sslConfig(MqttClientSslConfig.builder()
                            .trustManagerFactory(server.toTrustManagerFactory())
                            .build())
                    .buildBlocking();

            assertComes(subscriber, client(broker).buildBlocking());
        }
    }

    @Test
    void settingsCountWhenTheyAreGiven() {
        try (TributaryContainer broker = container().withSetting("tributary.limits.connect.max-session-expiry", "1h")) {
            broker.start();
            var accepted = client(broker)
                    .buildBlocking()
                    .connectWith()
                    .noSessionExpiry()
                    .send();

            assertThat(accepted.getSessionExpiryInterval()).hasValue(TimeUnit.HOURS.toSeconds(1));
        }
    }

    private static void assertComes(Mqtt5BlockingClient subscriber, Mqtt5BlockingClient publisher)
            throws InterruptedException {
        subscriber.connect();
        subscriber.subscribeWith().topicFilter("a/+").qos(MqttQos.AT_LEAST_ONCE).send();
        try (Mqtt5BlockingClient.Mqtt5Publishes messages = subscriber.publishes(MqttGlobalPublishFilter.ALL)) {
            publisher.connect();
            publisher
                    .publishWith()
                    .topic("a/b")
                    .qos(MqttQos.AT_LEAST_ONCE)
                    .payload("hello".getBytes(StandardCharsets.UTF_8))
                    .send();
            assertThat(messages.receive(30, TimeUnit.SECONDS))
                    .map(Mqtt5Publish::getPayloadAsBytes)
                    .hasValueSatisfying(payload -> assertThat(new String(payload, StandardCharsets.UTF_8))
                            .isEqualTo("hello"));
        }
        publisher.disconnect();
        subscriber.disconnect();
    }

    private static X509Bundle certificate(String host) throws Exception {
        CertificateBuilder certificate =
                new CertificateBuilder().subject("CN=" + host).setIsCertificateAuthority(true);
        boolean isAddress = host.matches("[0-9.]+|.*:.*");
        return (isAddress ? certificate.addSanIpAddress(host) : certificate.addSanDnsName(host)).buildSelfSigned();
    }

    private static TributaryContainer container() {
        String image = System.getProperty("test.image.tributary", "tributary");
        return new TributaryContainer(DockerImageName.parse(image).asCompatibleSubstituteFor(TributaryContainer.IMAGE));
    }

    private static Mqtt5ClientBuilder client(TributaryContainer broker) {
        return Mqtt5Client.builder().serverHost(broker.getHost()).serverPort(broker.mqttPort());
    }

    private static Mqtt5BlockingClient login(TributaryContainer broker, String password) {
        return client(broker)
                .simpleAuth()
                .username("alice")
                .password(password.getBytes(StandardCharsets.UTF_8))
                .applySimpleAuth()
                .buildBlocking();
    }

    private static String get(String url) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }
}
