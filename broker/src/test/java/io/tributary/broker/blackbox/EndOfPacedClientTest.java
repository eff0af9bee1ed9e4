package io.tributary.broker.blackbox;

import static io.tributary.common.mqtt.MqttPacket.ABSENT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.store.Change;
import io.tributary.broker.security.store.ChangeResult;
import io.tributary.broker.security.store.TenantLimits;
import io.tributary.broker.security.store.TenantLimits.Limit;
import io.tributary.broker.tls.OpenSslAuthority;
import io.tributary.broker.tls.TlsConfig;
import io.tributary.broker.tls.TlsEngine;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients of a tenant that send more than they may, DISCONNECT, and the end of their connection, all at once. */
class EndOfPacedClientTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final List<String> ALL =
            IntStream.range(0, 20).mapToObj(i -> "t=" + i).toList();

    private final List<String> came = new CopyOnWriteArrayList<>();

    @TempDir
    private Path data;

    private Broker broker;

    @BeforeEach
    void start() {
        start(null);
    }

    private void start(@Nullable TlsConfig tls) {
        Principal principal = new Principal("r", "u", null, "acme", List.of(), null);
        ListenerConfig.Builder slow = ListenerConfig.builder(tls == null ? "slow" : "tls", 0)
                .limits(limits -> limits.publish(publish -> publish.rate(10).burst(5)));
        broker = Broker.start(
                BrokerConfig.builder(data.resolve(tls == null ? "data" : "data-tls"))
                        .listener(ListenerConfig.tcp("tcp", 0))
                        .listener((tls == null ? slow : slow.tls(tls)).build())
                        .build(),
                BrokerExtensions.builder()
                        .authenticator((_, _) -> Authenticator.answer(new Accepted(null, principal, null, Map.of())))
                        .build(),
                new BrokerMetrics(new SimpleMeterRegistry()));
        broker.subscribe(
                "acme",
                "#",
                QoS.AT_MOST_ONCE,
                message -> came.add(message.topic() + "=" + new String(message.payload(), UTF_8)));
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    @Test
    void allThatItSentIsPublishedAndNoWillWhenItsTenantIsPaced() throws IOException {
        limit(10);
        sendAllAndDisconnect("tcp");
        awaitGone();
        awaitNextWill();
        assertThat(came.subList(0, came.size() - 1)).isEqualTo(ALL);
    }

    @Test
    void allThatItSentIsPublishedAndNoWillWhenItIsPacedItself() throws IOException {
        sendAllAndDisconnect("slow");
        awaitGone();
        awaitNextWill();
        assertThat(came.subList(0, came.size() - 1)).isEqualTo(ALL);
    }

    @ParameterizedTest
    @EnumSource
    void allThatItSentIsPublishedAndNoWillWhenItEndsWithinTls(TlsEngine engine) throws Exception {
        OpenSslAuthority authority = OpenSslAuthority.in(data, "authority");
        broker.close();
        start(TlsConfig.builder(authority.server("server").files())
                .engine(engine)
                .build());
        SSLContext trusting = SSLContext.getInstance("TLS");
        trusting.init(null, authority.trustManagers().getTrustManagers(), null);
        Socket socket = trusting.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port("tls"));
        sendAllAndDisconnect(TestClient.over(socket, ProtocolVersion.MQTT_5, "u", "p"));
        awaitGone();
        awaitNextWill();
        assertThat(came.subList(0, came.size() - 1)).isEqualTo(ALL);
    }

    @Test
    void willIsPublishedBehindAllThatItSentWhenItEndsWithoutDisconnect() throws IOException {
        TestClient client = TestClient.open(port("slow"), ProtocolVersion.MQTT_5);
        client.connect(TestClient.connectPacket("c", 0, "will"));
        queueAll(client);
        client.flush();
        client.close();
        await().atMost(PATIENCE).until(() -> came.contains("will=gone"));
        assertThat(came.subList(0, 20)).isEqualTo(ALL);
    }

    @Test // [MQTT-3.14.4-3]
    void disconnectCountsWhenWhatIsBeforeItMayNotBePublishedInTime() throws IOException {
        limit(0);
        sendAllAndDisconnect("tcp");
        awaitGone();
        awaitNextWill();
        assertThat(came).hasSize(1);
    }

    @Test // [MQTT-3.14.4-3]
    void disconnectCountsWhenTheClientConnectsAgainBeforeItIsRead() throws IOException {
        limit(0);
        sendAllAndDisconnect("tcp");
        awaitNextWill();
        assertThat(came).hasSize(1);
    }

    private void sendAllAndDisconnect(String listener) throws IOException {
        sendAllAndDisconnect(TestClient.open(port(listener), ProtocolVersion.MQTT_5));
    }

    private static void sendAllAndDisconnect(TestClient client) throws IOException {
        client.connect(TestClient.connectPacket("c", 0, "will"));
        queueAll(client);
        client.queue(new Disconnect(ReasonCode.SUCCESS, ABSENT, null, null, List.of()));
        client.queue(message("late"));
        client.flush();
        client.close();
    }

    private static void queueAll(TestClient client) {
        IntStream.range(0, 20).forEach(i -> client.queue(message(Integer.toString(i))));
    }

    private static Publish message(String payload) {
        return TestTalk.publication("t", payload, QoS.AT_MOST_ONCE, false, 0);
    }

    private void awaitGone() {
        await().atMost(PATIENCE).until(() -> broker.tenantUse("acme").connections() == 0);
    }

    /** A will of the same client behind which the one before would have come. */
    private void awaitNextWill() throws IOException {
        TestClient next = TestClient.open(port("tcp"), ProtocolVersion.MQTT_5);
        next.connect(TestClient.connectPacket("c", 0, "next"));
        next.close();
        await().atMost(PATIENCE).until(() -> came.contains("next=gone"));
        assertThat(came).doesNotContain("will=gone", "t=late");
    }

    private void limit(long messagesPerSecond) {
        TenantLimits limits = new TenantLimits("acme", Map.of(Limit.MESSAGES_PER_SECOND, messagesPerSecond));
        assertThat(broker.security()
                        .change(Change.put(limits, new Change.Absent(), "test", "here"))
                        .toCompletableFuture()
                        .join())
                .isInstanceOf(ChangeResult.Done.class);
    }

    private int port(String listener) {
        return broker.listeners().stream()
                .filter(each -> each.name().equals(listener))
                .findFirst()
                .orElseThrow()
                .address()
                .getPort();
    }
}
