package io.tributary.broker.blackbox;

import static io.tributary.broker.blackbox.TestTalk.publish;
import static io.tributary.broker.blackbox.TestTalk.subscribe;
import static io.tributary.broker.blackbox.TestTalk.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.PersistentSession;
import io.tributary.broker.Sessions;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.subscription.SubscriptionRequest;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.topic.TopicFilter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sessions are listed, looked at and ended. The user name is the tenant's; {@code app} ends an application's name. */
class SessionsTest {
    private static final long LONG = 3_600;
    private static final String NO_TENANT = "none";

    private final List<TestClient> clients = new ArrayList<>();

    @TempDir
    private Path data;

    private Broker broker;
    private Sessions sessions;

    @BeforeEach
    void start() {
        BrokerConfig config = BrokerConfig.builder(data)
                .listener(ListenerConfig.tcp("tcp", 0))
                .build();
        BrokerExtensions extensions = BrokerExtensions.builder()
                .authenticator((client, _) -> Authenticator.answer(accepted(client)))
                .build();
        broker = Broker.start(config, extensions, BrokerMetrics.unregistered());
        sessions = broker.sessions();
    }

    private static Accepted accepted(ClientInfo client) {
        String user = client.userName();
        Principal principal =
                new Principal("test", client.clientId(), user, NO_TENANT.equals(user) ? null : user, List.of(), null);
        return new Accepted(client.clientId().endsWith("app") ? ClientKind.APPLICATION : ClientKind.DEVICE, principal);
    }

    @AfterEach
    void stop() {
        clients.forEach(TestClient::close);
        broker.close();
    }

    @Test
    void endsTheSessionOfADeviceThatIsAway() throws IOException {
        TestClient device = connect(NO_TENANT, "meter");
        subscribe(device, "meters/#");
        subscribe(device, "all", QoS.EXACTLY_ONCE);
        device.disconnect(-1);
        publish(connect(NO_TENANT, "publisher"), "meters/1", "reading", false);
        PersistentSession before = await().until(
                        () -> found(null, "meter"),
                        it -> !it.connected() && it.owned().queuedMessages() == 1);
        assertThat(before.kind()).isEqualTo(ClientKind.DEVICE);
        assertThat(before.principal().name()).isEqualTo("meter");
        assertThat(before.subscriptions()).isEqualTo(2);
        assertThat(before.owned().node()).isNull();
        assertThat(before.owned().awaySince()).isNotNull();
        assertThat(before.owned().expirySeconds()).isEqualTo(LONG);
        assertThat(before.owned().queuedBytes()).isPositive();
        assertThat(get(sessions.subscriptions(null, "meter")))
                .containsExactly(
                        new SubscriptionRequest(TopicFilter.parse("all"), QoS.EXACTLY_ONCE, false, false, 0),
                        new SubscriptionRequest(TopicFilter.parse("meters/#"), QoS.AT_LEAST_ONCE, false, false, 0));

        assertThat(end(null, "meter")).isTrue();
        assertThat(get(sessions.find(null, "meter"))).isEmpty();
        assertThat(end(null, "meter")).isFalse();
        assertThat(names(null)).isEmpty();
        assertThat(open(NO_TENANT, "meter").sessionPresent()).isFalse();
    }

    @Test
    void disconnectsAClientWhoseSessionEndsAndPublishesItsWill() throws IOException {
        TestClient watcher = connect(NO_TENANT, "watcher");
        subscribe(watcher, "wills");
        TestClient device = client();
        device.connect(as(NO_TENANT, TestClient.connectPacket("meter", LONG, "wills")));
        subscribe(device, "meters/#");
        assertThat(found(null, "meter").connected()).isTrue();

        assertThat(end(null, "meter")).isTrue();
        assertThat(device.awaitClose())
                .isInstanceOfSatisfying(
                        Disconnect.class, last -> assertThat(last.reason()).isEqualTo(ReasonCode.SESSION_TAKEN_OVER));
        assertThat(watcher.expect(Publish.class).topic()).isEqualTo("wills");
        TestClient again = connect(NO_TENANT, "meter");
        subscribe(again, "new");
        publish(watcher, "meters/1", "not any more", false);
        publish(watcher, "new", "yes", false);
        assertThat(take(again)).isEqualTo("new: yes");
    }

    @Test
    void endsAnApplicationWithItsTopic() throws IOException {
        TestClient application = connect(NO_TENANT, "erp-app");
        subscribe(application, "plant/#");
        application.disconnect(-1);
        TestClient publisher = connect(NO_TENANT, "publisher");
        publish(publisher, "plant/1", "lost", false);
        assertThat(found(null, "erp-app").kind()).isEqualTo(ClientKind.APPLICATION);

        assertThat(end(null, "erp-app")).isTrue();
        TestClient again = client();
        assertThat(again.connect(as(NO_TENANT, TestClient.connectPacket("erp-app", LONG, null)))
                        .sessionPresent())
                .isFalse();
        subscribe(again, "plant/#");
        publish(publisher, "plant/2", "kept", false);
        assertThat(take(again)).isEqualTo("plant/2: kept");
    }

    @Test
    void listsInTheOrderOfIdentifiersPageByPage() throws IOException {
        List<String> all = new ArrayList<>();
        for (String name : List.of("b", "a", "c-app", "\uD83D\uDE00", "\uFF5E", "a/1", "aa")) {
            subscribe(connect(NO_TENANT, name), "t");
        }
        String after = "";
        for (int page = 0; page < 4; page++) {
            Sessions.Page found = get(sessions.list(null, null, after, 2));
            found.sessions().forEach(each -> all.add(each.clientId()));
            assertThat(found.next() == null).isEqualTo(page == 3);
            after = found.next() == null ? "" : found.next();
        }
        assertThat(all).containsExactly("a", "a/1", "aa", "b", "c-app", "\uFF5E", "\uD83D\uDE00");
        assertThat(get(sessions.list(null, ClientKind.APPLICATION, "", 9)).sessions())
                .extracting(PersistentSession::clientId)
                .containsExactly("c-app");
        assertThat(get(sessions.list(null, null, "", 7)).next()).isNull();
        assertThat(get(sessions.list(null, null, "b~", 1)).sessions())
                .extracting(PersistentSession::clientId)
                .containsExactly("c-app");
        assertThatIllegalArgumentException().isThrownBy(() -> sessions.list(null, null, "", 0));
    }

    @Test
    void tenantsHaveTheirOwn() throws IOException {
        subscribe(connect(NO_TENANT, "7"), "t");
        subscribe(connect("acme", "7"), "$share/group/t");
        subscribe(connect("beta", "8"), "t");
        assertThat(names(null)).containsExactly("7");
        assertThat(names("acme")).containsExactly("7");
        assertThat(names("beta")).containsExactly("8");
        assertThat(found("acme", "7").tenant()).isEqualTo("acme");
        assertThat(get(sessions.subscriptions("acme", "7")))
                .extracting(each -> each.filter().toString())
                .containsExactly("$share/group/t");

        assertThat(end("acme", "8")).isFalse();
        assertThat(end("acme", "7")).isTrue();
        assertThat(get(sessions.find("acme", "7"))).isEmpty();
        assertThat(found(null, "7").connected()).isTrue();
        assertThatIllegalArgumentException().isThrownBy(() -> sessions.find("a/b", "7"));
    }

    @Test
    void groupsAndTheBrokerItselfAreNobodysToEnd() throws IOException {
        TestClient member = connect(NO_TENANT, "one-app");
        subscribe(member, "$share/group/t");
        TestClient publisher = client();
        publisher.connect(as(NO_TENANT, TestClient.connectPacket(ProtocolVersion.MQTT_5, "publisher", 0)));
        publish(publisher, "t", "through the group's session", false);
        assertThat(take(member)).startsWith("t: ");
        assertThat(names(null)).containsExactly("one-app");
        for (String name : List.of("", "\0group/t", "\0\0/canary/tributary", "\0\0acme/7")) {
            assertThat(get(sessions.find(null, name))).isEmpty();
            assertThat(get(sessions.subscriptions(null, name))).isEmpty();
            assertThat(end(null, name)).isFalse();
        }
    }

    @Test
    void findsAndEndsASessionWithoutSubscriptionsAndNoTransientOne() throws IOException {
        connect(NO_TENANT, "silent");
        TestClient passing = client();
        passing.connect(as(NO_TENANT, TestClient.connectPacket(ProtocolVersion.MQTT_5, "passing", 0)));
        subscribe(passing, "t");

        assertThat(names(null)).isEmpty();
        assertThat(found(null, "silent").subscriptions()).isZero();
        assertThat(end(null, "silent")).isTrue();
        assertThat(end(null, "silent")).isFalse();
        assertThat(end(null, "passing")).isFalse();
        publish(passing, "t", "still here", false);
        assertThat(take(passing)).isEqualTo("t: still here");
    }

    @Test
    void aClientThatComesBackMeanwhileHasItsSession() throws IOException {
        for (int i = 0; i < 20; i++) {
            connect(NO_TENANT, "hasty").close();
            CompletionStage<Boolean> ending = sessions.end(null, "hasty", "tester", "here");
            TestClient back = client();
            back.send(as(NO_TENANT, TestClient.connectPacket(ProtocolVersion.MQTT_5, "hasty", LONG)));
            assertThat(get(ending)).isTrue();
        }
        connect(NO_TENANT, "hasty").close();
        List<CompletionStage<Boolean>> many = Stream.generate(() -> sessions.end(null, "hasty", "tester", "here"))
                .limit(50)
                .toList();
        many.forEach(SessionsTest::get);
        await().untilAsserted(
                        () -> assertThat(get(sessions.find(null, "hasty"))).isEmpty());
        TestClient last = connect(NO_TENANT, "hasty");
        subscribe(last, "t");
        publish(last, "t", "mine", false);
        assertThat(take(last)).isEqualTo("t: mine");
    }

    @Test
    void failsWhenTheBrokerIsClosed() {
        broker.close();
        assertThat(sessions.find(null, "a").toCompletableFuture()).isCompletedExceptionally();
    }

    private List<String> names(@Nullable String tenant) {
        return get(sessions.list(tenant, null, "", 100)).sessions().stream()
                .map(PersistentSession::clientId)
                .toList();
    }

    private PersistentSession found(@Nullable String tenant, String clientId) {
        Optional<PersistentSession> found = get(sessions.find(tenant, clientId));
        return found.orElseThrow();
    }

    private boolean end(@Nullable String tenant, String clientId) {
        return get(sessions.end(tenant, clientId, "tester", "here"));
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
    }

    /** One that is closed at the end. */
    private TestClient client() throws IOException {
        TestClient client = TestClient.open(port(), ProtocolVersion.MQTT_5);
        clients.add(client);
        return client;
    }

    private TestClient connect(String user, String clientId) throws IOException {
        TestClient client = client();
        client.connect(as(user, TestClient.connectPacket(ProtocolVersion.MQTT_5, clientId, LONG)));
        return client;
    }

    private Connack open(String user, String clientId) throws IOException {
        return client().connect(as(user, TestClient.connectPacket(ProtocolVersion.MQTT_5, clientId, LONG)));
    }

    private static Connect as(String user, Connect connect) {
        return TestClient.as(user, null, connect);
    }

    private int port() {
        return broker.listeners().getFirst().address().getPort();
    }
}
