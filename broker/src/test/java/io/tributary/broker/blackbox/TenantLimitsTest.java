package io.tributary.broker.blackbox;

import static io.tributary.common.mqtt.ProtocolVersion.MQTT_3_1_1;
import static io.tributary.common.mqtt.ProtocolVersion.MQTT_5;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.guard.RefusedClient;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.store.Change;
import io.tributary.broker.security.store.ChangeResult;
import io.tributary.broker.security.store.SecurityTable;
import io.tributary.broker.security.store.TenantLimits;
import io.tributary.broker.security.store.TenantLimits.Limit;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.MqttPacket.Unsuback;
import io.tributary.common.mqtt.MqttPacket.Unsubscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A broker whose clients are of the tenant that their identifier begins with, each limit at its edge. */
class TenantLimitsTest {
    private static final long FOR_LONG = 3_600;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final List<TestClient> clients = new ArrayList<>();
    private SimpleMeterRegistry meters = new SimpleMeterRegistry();

    @TempDir
    private Path data;

    private Broker broker;

    @BeforeEach
    void start() {
        meters = new SimpleMeterRegistry();
        broker = Broker.start(
                BrokerConfig.builder(data)
                        .listener(ListenerConfig.tcp("tcp", 0))
                        .build(),
                BrokerExtensions.builder()
                        .authenticator((client, _) -> Authenticator.answer(accepted(client.clientId())))
                        .build(),
                new BrokerMetrics(meters));
    }

    private static Accepted accepted(String clientId) {
        String tenant = clientId.contains("-") ? clientId.substring(0, clientId.indexOf('-')) : null;
        return new Accepted(null, new Principal("r", "u", null, tenant, List.of(), null), null, Map.of());
    }

    @AfterEach
    void stop() {
        clients.forEach(TestClient::close);
        broker.close();
    }

    @ParameterizedTest
    @CsvSource({"MQTT_5, QUOTA_EXCEEDED, 0", "MQTT_5, QUOTA_EXCEEDED, 3600", "MQTT_3_1_1, SERVER_UNAVAILABLE, 0"})
    void connectionIsRefusedWhenTheTenantHasAsManyAsItMay(ProtocolVersion version, ReasonCode reason, long expiry)
            throws IOException {
        limit("acme", Map.of(Limit.CONNECTIONS, 2L));
        TestClient first = connect(MQTT_5, "acme-1", 0);
        connect(MQTT_3_1_1, "acme-2", FOR_LONG);
        assertThat(answer(version, "acme-3", expiry)).isEqualTo(reason);
        assertThat(refused(Limit.CONNECTIONS)).isEqualTo(1);
        RefusedClient refused =
                broker.guard().refusedClients().newest(Long.MAX_VALUE, 1).getFirst();
        assertThat(refused.clientId()).isEqualTo("acme-3");
        assertThat(refused.reason()).isEqualTo("quota_exceeded");
        assertThat(refused.words()).contains("connections");
        connect(version, "other-1", expiry);
        connect(version, "nobody", expiry);
        first.close();
        awaitUse(Limit.CONNECTIONS, 1);
        connect(version, "acme-3", expiry);
    }

    @Test
    void takeoverIsNotOneMoreConnection() throws IOException {
        limit("acme", Map.of(Limit.CONNECTIONS, 1L));
        TestClient before = connect(MQTT_5, "acme-1", 0);
        for (int i = 0; i < 3; i++) {
            TestClient next = connect(MQTT_5, "acme-1", i % 2 == 0 ? FOR_LONG : 0);
            assertThat(before.expect(Disconnect.class).reason()).isEqualTo(ReasonCode.SESSION_TAKEN_OVER);
            before = next;
        }
        awaitUse(Limit.CONNECTIONS, 1);
        assertThat(answer(MQTT_5, "acme-2", 0)).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
        before.disconnect(0);
        awaitUse(Limit.CONNECTIONS, 0);
        connect(MQTT_5, "acme-2", 0);
    }

    @Test
    void limitCountsAtOnceAndCutsNothingThatIsThere() throws IOException {
        TestClient first = connect(MQTT_5, "acme-1", 0);
        TestClient second = connect(MQTT_5, "acme-2", 0);
        limit("acme", Map.of(Limit.CONNECTIONS, 1L));
        assertThat(answer(MQTT_5, "acme-3", 0)).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
        subscribe(first, "still/there");
        subscribe(second, "still/there");
        limit("acme", Map.of(Limit.CONNECTIONS, 3L));
        connect(MQTT_5, "acme-3", 0);
        assertThat(answer(MQTT_5, "acme-4", 0)).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
        unlimit("acme");
        connect(MQTT_5, "acme-4", 0);
        awaitUse(Limit.CONNECTIONS, 4);
    }

    @Test
    void persistentSessionIsRefusedWhenTheTenantHasAsManyAsItMay() throws IOException {
        limit("acme", Map.of(Limit.SESSIONS, 2L));
        connect(MQTT_5, "acme-1", FOR_LONG).disconnect(-1);
        connect(MQTT_3_1_1, "acme-2", FOR_LONG).close();
        assertThat(answer(MQTT_5, "acme-3", FOR_LONG)).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
        assertThat(answer(MQTT_3_1_1, "acme-3", FOR_LONG)).isEqualTo(ReasonCode.SERVER_UNAVAILABLE);
        connect(MQTT_5, "acme-3", 0).disconnect(-1);
        connect(MQTT_5, "acme-1", FOR_LONG).disconnect(-1);
        connect(MQTT_5, "other-1", FOR_LONG).disconnect(0);
        assertThat(refused(Limit.SESSIONS)).isEqualTo(2);
        broker.close();
        start();
        awaitUse(Limit.SESSIONS, 2);
        assertThat(answer(MQTT_5, "acme-3", FOR_LONG)).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
        connect(MQTT_5, "acme-1", FOR_LONG).disconnect(0);
        awaitUse(Limit.SESSIONS, 1);
        connect(MQTT_5, "acme-3", FOR_LONG).disconnect(0);
        connect(MQTT_5, "acme-2", 1).disconnect(1);
        awaitUse(Limit.SESSIONS, 0); // the last one expired
        awaitGauge("sessions", 0);
    }

    @Test
    void subscriptionIsRefusedWhenTheTenantHasAsManyAsItMay() throws IOException {
        limit("acme", Map.of(Limit.SUBSCRIPTIONS, 3L));
        TestClient away = connect(MQTT_5, "acme-1", FOR_LONG);
        TestClient here = connect(MQTT_3_1_1, "acme-2", 0);
        assertThat(subscribe(away, "a", "$share/g/b"))
                .containsExactly(ReasonCode.GRANTED_QOS_1, ReasonCode.GRANTED_QOS_1);
        assertThat(subscribe(here, "a", "b"))
                .containsExactly(ReasonCode.GRANTED_QOS_1, ReasonCode.UNSPECIFIED_ERROR); // 0x80
        assertThat(subscribe(away, "a", "c")).containsExactly(ReasonCode.GRANTED_QOS_1, ReasonCode.QUOTA_EXCEEDED);
        assertThat(refused(Limit.SUBSCRIPTIONS)).isEqualTo(2);
        here.close();
        awaitUse(Limit.SUBSCRIPTIONS, 2);
        assertThat(subscribe(away, "c")).containsExactly(ReasonCode.GRANTED_QOS_1);
        away.disconnect(-1);
        broker.close();
        start();
        awaitUse(Limit.SUBSCRIPTIONS, 3);
        away = connect(MQTT_5, "acme-1", FOR_LONG);
        assertThat(subscribe(away, "d")).containsExactly(ReasonCode.QUOTA_EXCEEDED);
        away.send(new Unsubscribe(2, List.of("a"), List.of()));
        away.expect(Unsuback.class);
        assertThat(subscribe(away, "d")).containsExactly(ReasonCode.GRANTED_QOS_1);
        away.disconnect(0);
        awaitUse(Limit.SUBSCRIPTIONS, 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"RETAINED_MESSAGES", "RETAINED_BYTES"})
    void retainedMessageIsRefusedWhenTheTenantHasAsManyAsItMay(Limit limit) throws IOException {
        TestClient client = connect(MQTT_5, "acme-1", 0);
        assertThat(publish(client, "t/1", "x", true)).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
        awaitGauge("retained.messages", 1);
        long size = (long) gauge("retained.size", "acme");
        limit("acme", Map.of(limit, limit == Limit.RETAINED_MESSAGES ? 2 : 2 * size));
        assertThat(publish(client, "t/2", "x", true)).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
        assertThat(publish(client, "t/3", "x", true)).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
        assertThat(publish(client, "t/3", "x", false)).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
        assertThat(publish(client, "t/1", "y", true)).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
        assertThat(publish(connect(MQTT_5, "other-1", 0), "t/3", "x", true))
                .isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
        assertThat(refused(limit)).isEqualTo(1);
        broker.close();
        start();
        client = connect(MQTT_5, "acme-1", 0);
        assertThat(publish(client, "t/3", "x", true)).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
        publish(client, "t/1", "", true);
        assertThat(publish(client, "t/3", "x", true)).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
        publish(client, "t/2", "", true);
        publish(client, "t/3", "", true);
        awaitUse(Limit.RETAINED_MESSAGES, 0);
        awaitUse(Limit.RETAINED_BYTES, 0);
    }

    @Test
    void messageIsNotQueuedWhenTheQueuesOfTheTenantAreFull() throws IOException {
        for (String id : List.of("acme-1", "acme-2")) {
            TestClient away = connect(MQTT_5, id, FOR_LONG);
            subscribe(away, id);
            away.disconnect(-1);
        }
        TestClient publisher = connect(MQTT_5, "acme-publisher", 0);
        publish(publisher, "acme-1", "m", false);
        awaitUse(Limit.QUEUED_BYTES, use -> use > 0);
        long size = use(Limit.QUEUED_BYTES);
        limit("acme", Map.of(Limit.QUEUED_BYTES, 3 * size));
        publish(publisher, "acme-2", "m", false);
        awaitUse(Limit.QUEUED_BYTES, use -> use == 2 * size); // each shard knows by then how much it may have
        publish(publisher, "acme-1", "m", false);
        awaitUse(Limit.QUEUED_BYTES, use -> use == 3 * size);
        publish(publisher, "acme-1", "m", false);
        publish(publisher, "acme-2", "m", false);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(
                                count("tributary.messages.dropped", "place", "queue", "reason", "tenant_queues_full"))
                        .isEqualTo(2));
        assertThat(received("acme-1")).isEqualTo(2);
        assertThat(received("acme-2")).isEqualTo(1);
        awaitUse(Limit.QUEUED_BYTES, 0);
    }

    /** All come, for none is dropped, and each client is read later again and again. */
    @ParameterizedTest
    @CsvSource({"MESSAGES_PER_SECOND, 40", "BYTES_PER_SECOND, 1000"})
    void clientsAreReadLaterWhenTheyPublishFasterThanTheirTenantMay(Limit limit, long value) throws IOException {
        limit("acme", Map.of(limit, value));
        List<TestClient> publishers = List.of(connect(MQTT_5, "acme-1", 0), connect(MQTT_3_1_1, "acme-2", 0));
        for (TestClient publisher : publishers) {
            for (int i = 1; i <= 60; i++) {
                publisher.queue(message("t", "m", false, i));
            }
            publisher.flush();
        }
        for (TestClient publisher : publishers) {
            for (int i = 1; i <= 60; i++) {
                assertThat(publisher.expect(Puback.class).packetId()).isEqualTo(i);
            }
        }
        assertThat(count("tributary.clients.reading.paused", "reason", "tenant_rate"))
                .isGreaterThanOrEqualTo(50);
        assertThat(refused(limit)).isGreaterThanOrEqualTo(50);
        assertThat(count("tributary.tenants.messages", "tenant", "acme", "direction", "received"))
                .isEqualTo(120);
    }

    @Test
    void clientGoesOnWhenTheRateThatStopsItIsTakenAway() throws IOException {
        limit("acme", Map.of(Limit.MESSAGES_PER_SECOND, 0L));
        TestClient publisher = connect(MQTT_5, "acme-1", 0);
        TestClient other = connect(MQTT_5, "other-1", 0);
        for (int i = 1; i <= 3; i++) {
            publisher.queue(message("t", "m", false, i));
        }
        publisher.flush();
        await().atMost(PATIENCE).until(() -> count("tributary.clients.reading.paused", "reason", "tenant_rate") == 1);
        for (int i = 0; i < 100; i++) {
            publish(other, "t", "m", false);
        }
        assertThat(count("tributary.tenants.messages", "tenant", "acme", "direction", "received"))
                .isZero();
        unlimit("acme");
        for (int i = 1; i <= 3; i++) {
            assertThat(publisher.expect(Puback.class).packetId()).isEqualTo(i);
        }
    }

    @Test
    void messagesAndBytesAreCountedInBothDirections() throws IOException {
        TestClient client = connect(MQTT_5, "acme-1", 0);
        subscribe(client, "own");
        publish(client, "own", "12345", false);
        assertThat(client.expect(Publish.class).topic()).isEqualTo("own");
        assertThat(count("tributary.tenants.messages", "tenant", "acme", "direction", "received"))
                .isEqualTo(1);
        assertThat(count("tributary.tenants.messages", "tenant", "acme", "direction", "sent"))
                .isEqualTo(1);
        assertThat(count("tributary.tenants.bytes", "tenant", "acme", "direction", "sent"))
                .isGreaterThan(5);
    }

    private TestClient connect(ProtocolVersion version, String clientId, long expiry) throws IOException {
        TestClient client = TestClient.connect(port(), version, clientId, expiry);
        clients.add(client);
        return client;
    }

    private ReasonCode answer(ProtocolVersion version, String clientId, long expiry) throws IOException {
        try (TestClient client = TestClient.open(port(), version)) {
            client.send(TestClient.connectPacket(version, clientId, expiry));
            return client.expect(Connack.class).reason();
        }
    }

    private static List<ReasonCode> subscribe(TestClient client, String... filters) throws IOException {
        List<Subscription> asked = new ArrayList<>();
        for (String filter : filters) {
            asked.add(new Subscription(filter, QoS.AT_LEAST_ONCE, false, false, RetainHandling.DO_NOT_SEND));
        }
        client.send(new Subscribe(1, asked, 0, List.of()));
        return client.expect(Suback.class).reasons();
    }

    private static Publish message(String topic, String payload, boolean retain, int packetId) {
        return TestTalk.publication(topic, payload, QoS.AT_LEAST_ONCE, retain, packetId);
    }

    private static ReasonCode publish(TestClient client, String topic, String payload, boolean retain)
            throws IOException {
        client.send(message(topic, payload, retain, 7));
        return client.expect(Puback.class).reason();
    }

    /** How many messages wait for a client, which takes them. */
    private int received(String clientId) throws IOException {
        TestClient client = connect(MQTT_5, clientId, FOR_LONG);
        TestClient publisher = connect(MQTT_5, "acme-last", 0);
        unlimit("acme");
        publish(publisher, clientId, "last", false);
        int received = 0;
        while (true) {
            Publish message = client.expect(Publish.class);
            client.send(new Puback(message.packetId(), ReasonCode.SUCCESS, null, List.of()));
            if (new String(message.payload(), UTF_8).equals("last")) {
                return received;
            }
            received++;
        }
    }

    private void limit(String tenant, Map<Limit, Long> limits) {
        boolean isNew = broker.security().find(SecurityTable.TENANTS, tenant) == null;
        change(Change.put(
                new TenantLimits(tenant, limits), isNew ? new Change.Absent() : new Change.Present(), "test", "here"));
    }

    private void unlimit(String tenant) {
        if (broker.security().find(SecurityTable.TENANTS, tenant) != null) {
            change(Change.remove(SecurityTable.TENANTS, tenant, new Change.Present(), "test", "here"));
        }
    }

    private void change(Change change) {
        assertThat(broker.security().change(change).toCompletableFuture().join())
                .isInstanceOf(ChangeResult.Done.class);
    }

    private void awaitUse(Limit limit, long value) {
        awaitUse(limit, use -> use == value);
    }

    private void awaitUse(Limit limit, LongPredicate expected) {
        await().atMost(PATIENCE).until(() -> expected.test(use(limit)));
    }

    private long use(Limit limit) {
        var use = broker.tenantUse("acme");
        return switch (limit) {
            case CONNECTIONS -> use.connections();
            case SESSIONS -> use.sessions();
            case SUBSCRIPTIONS -> use.subscriptions() + use.transientSubscriptions();
            case RETAINED_MESSAGES -> use.retainedMessages();
            case RETAINED_BYTES -> use.retainedBytes();
            case QUEUED_BYTES -> use.queuedBytes();
            case MESSAGES_PER_SECOND, BYTES_PER_SECOND -> throw new IllegalArgumentException(limit.text());
        };
    }

    private void awaitGauge(String what, double value) {
        await().atMost(PATIENCE).until(() -> gauge(what, "acme") == value);
    }

    private double gauge(String what, String tenant) {
        var found =
                meters.find("tributary.tenants." + what).tag("tenant", tenant).gauge();
        return found == null ? 0 : found.value();
    }

    private double refused(Limit limit) {
        return count(
                "tributary.tenants.refused",
                "tenant",
                "acme",
                "limit",
                limit.name().toLowerCase(Locale.ROOT));
    }

    private double count(String meter, String... tags) {
        @Nullable FunctionCounter found = meters.find(meter).tags(tags).functionCounter();
        return found == null ? 0 : found.count();
    }

    private int port() {
        return broker.listeners().getFirst().address().getPort();
    }
}
