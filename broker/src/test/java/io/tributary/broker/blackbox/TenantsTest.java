package io.tributary.broker.blackbox;

import static io.tributary.broker.blackbox.TestTalk.assertNothingMoreComes;
import static io.tributary.broker.blackbox.TestTalk.packet;
import static io.tributary.broker.blackbox.TestTalk.publish;
import static io.tributary.broker.blackbox.TestTalk.subscribe;
import static io.tributary.broker.blackbox.TestTalk.take;
import static io.tributary.common.mqtt.MqttPacket.ABSENT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.extension.ClientListener;
import io.tributary.broker.extension.PublishInterceptor;
import io.tributary.broker.extension.SubscribeInterceptor;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.ClientInfo;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.MqttPacket.Unsuback;
import io.tributary.common.mqtt.MqttPacket.Unsubscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.common.mqtt.Will;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients of two tenants and of none, side by side with the same identifiers and topics. The user name is the tenant's;
 * identifiers that end with {@code app} are applications'.
 */
class TenantsTest {
    private static final long FOR_LONG = 3_600;
    private static final List<String> ALL = List.of("acme", "beta", "none");

    private final Queue<String> seen = new ConcurrentLinkedQueue<>();
    private final List<TestClient> clients = new ArrayList<>();

    @TempDir
    private Path data;

    private Broker broker;

    @BeforeEach
    void start() {
        BrokerConfig config = BrokerConfig.builder(data)
                .listener(ListenerConfig.tcp("tcp", 0))
                .subscriptions(limits -> limits.maxFilterSize(65_535))
                .applications(limits -> limits.maxDeliveries(1))
                .sysInterval(Duration.ofSeconds(1))
                .build();
        broker = Broker.start(config, extensions(), BrokerMetrics.unregistered());
    }

    private BrokerExtensions extensions() {
        return BrokerExtensions.builder()
                .authenticator((client, _) -> Authenticator.answer(accepted(client)))
                .publishInterceptor(this::publishing)
                .subscribeInterceptor(this::subscribing)
                .clientListener(new ClientListener() {
                    @Override
                    public void onConnected(ClientInfo client, boolean sessionPresent) {
                        seen.add("connected " + client.clientId() + " of " + client.tenant());
                    }
                })
                .build();
    }

    private static Accepted accepted(ClientInfo client) {
        String user = Objects.requireNonNull(client.userName());
        Principal principal = new Principal("test", "p", user, user.equals("none") ? null : user, List.of(), null);
        return new Accepted(client.clientId().endsWith("app") ? ClientKind.APPLICATION : ClientKind.DEVICE, principal);
    }

    private PublishInterceptor.Decision publishing(ClientInfo client, Message message) {
        seen.add("published " + message.topic() + " by " + message.publisher() + " " + client.clientId());
        boolean moves = message.topic().equals("moves");
        return new PublishInterceptor.Proceed(moves ? message.withNames("moved", message.publisher()) : message);
    }

    private SubscribeInterceptor.Decision subscribing(ClientInfo client, Subscription asked) {
        seen.add("subscribed " + asked.filter() + " by " + client.clientId());
        return new SubscribeInterceptor.Proceed(asked);
    }

    @AfterEach
    void stop() {
        clients.forEach(TestClient::close);
        broker.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, FOR_LONG})
    void nothingCrossesWhenClientsAndTopicsAreCalledAlike(long expiry) throws IOException {
        for (String filter : List.of("a/b", "#", "+/b", "a/#")) {
            List<TestClient> readers = new ArrayList<>();
            for (String tenant : ALL) {
                TestClient reader = connect(tenant, "reader", expiry);
                assertThat(subscribe(reader, filter)).isEqualTo(ReasonCode.GRANTED_QOS_1);
                readers.add(reader);
            }
            for (String tenant : ALL) {
                publish(connect(tenant, "writer", 0), "a/b", tenant, false);
            }
            for (int i = 0; i < ALL.size(); i++) {
                assertThat(take(readers.get(i))).isEqualTo("a/b: " + ALL.get(i));
                assertNothingMoreComes(readers.get(i));
                readers.get(i).disconnect(0);
            }
        }
    }

    @Test
    void unsubscribeTakesAwayWhatTheClientNamed() throws IOException {
        TestClient reader = connect("acme", "reader", 0);
        subscribe(reader, "a/b");
        reader.send(new Unsubscribe(2, List.of("a/b", "b"), List.of()));
        assertThat(reader.expect(Unsuback.class).reasons())
                .containsExactly(ReasonCode.SUCCESS, ReasonCode.NO_SUBSCRIPTION_EXISTED);
        publish(connect("acme", "writer", 0), "a/b", "x", false);
        assertNothingMoreComes(reader);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/b", "#", "+/b", "+/#"})
    void retainedMessageIsTheTenantsOwnAlsoAfterARestart(String filter) throws IOException {
        for (String tenant : ALL) {
            publish(connect(tenant, "writer", 0), "a/b", tenant, true);
        }
        publish(connect("beta", "writer", 0), "a/b", "", true);
        restart();
        for (String tenant : List.of("acme", "none")) {
            TestClient reader = connect(tenant, "reader", 0);
            subscribe(reader, filter);
            assertThat(take(reader)).isEqualTo("a/b: " + tenant);
            assertNothingMoreComes(reader);
        }
        TestClient reader = connect("beta", "reader", 0);
        subscribe(reader, filter);
        assertNothingMoreComes(reader);
    }

    /** Also one that an interceptor changes. */
    @ParameterizedTest
    @CsvSource({"a/will, a/will", "moves, moved"})
    void willIsTheTenantsOwn(String topic, String left) throws IOException {
        TestClient there = connect("beta", "reader", 0);
        TestClient none = connect("none", "reader", 0);
        TestClient here = connect("acme", "reader", 0);
        for (TestClient reader : List.of(there, none, here)) {
            subscribe(reader, "#");
        }
        connect("acme", "dies", FOR_LONG, will(topic)).close();
        assertThat(take(here)).isEqualTo(left + ": gone");
        assertNothingMoreComes(there);
        assertNothingMoreComes(none);
    }

    @ParameterizedTest
    @ValueSource(strings = {"device", "app"})
    void queuedMessagesAreTheTenantsOwnAlsoAfterARestart(String clientId) throws IOException {
        for (String tenant : ALL) {
            TestClient reader = connect(tenant, clientId, FOR_LONG);
            subscribe(reader, "a/#");
            reader.disconnect(-1);
        }
        for (String tenant : ALL) {
            TestClient writer = connect(tenant, "writer", 0);
            publish(writer, "a/1", tenant, false);
            publish(writer, "a/2", tenant, false);
        }
        restart();
        for (String tenant : ALL) {
            TestClient reader = connect(tenant, clientId, FOR_LONG);
            assertThat(take(reader)).isEqualTo("a/1: " + tenant);
            assertThat(take(reader)).isEqualTo("a/2: " + tenant);
            publish(connect(tenant, "writer", 0), "a/3", tenant, false);
            assertThat(take(reader)).isEqualTo("a/3: " + tenant); // the subscription is there, too
            assertNothingMoreComes(reader);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1 0", "1 3600", "app 3600"})
    void membersOfASharedSubscriptionAreOfOneTenant(String kind) throws IOException {
        String clientId = kind.substring(0, kind.indexOf(' '));
        long expiry = Long.parseLong(kind.substring(kind.indexOf(' ') + 1));
        List<TestClient> members = new ArrayList<>();
        for (String tenant : ALL) {
            TestClient member = connect(tenant, "member-" + clientId, expiry);
            assertThat(subscribe(member, "$share/g/#").isError()).isFalse();
            members.add(member);
        }
        for (String tenant : ALL) {
            TestClient writer = connect(tenant, "writer", 0);
            for (int i = 0; i < 3; i++) {
                publish(writer, "a/b", tenant, false);
            }
        }
        for (int i = 0; i < ALL.size(); i++) {
            for (int j = 0; j < 3; j++) {
                assertThat(take(members.get(i))).isEqualTo("a/b: " + ALL.get(i));
            }
            assertNothingMoreComes(members.get(i));
        }
    }

    @Test
    void anotherMemberOfTheTenantGetsWhatOneLeaves() throws IOException {
        TestClient leaves = connect("acme", "leaves", FOR_LONG);
        TestClient there = connect("beta", "stays", FOR_LONG);
        subscribe(leaves, "$share/g/a/#");
        subscribe(there, "$share/g/a/#");
        publish(connect("acme", "writer", 0), "a/b", "x", false);
        leaves.expect(Publish.class);
        TestClient stays = connect("acme", "stays", FOR_LONG);
        subscribe(stays, "$share/g/a/#");
        leaves.disconnect(0);
        assertThat(take(stays)).isEqualTo("a/b: x");
        assertNothingMoreComes(there);
    }

    @Test
    void messageOfQos2ArrivesOnceAndNotAtItsOwnPublisherThatIsNoLocal() throws IOException {
        TestClient writer = connect("acme", "writer", FOR_LONG);
        TestClient reader = connect("acme", "reader", FOR_LONG);
        subscribe(reader, "a/#");
        Subscription others = new Subscription("a/#", QoS.EXACTLY_ONCE, true, false, RetainHandling.SEND);
        writer.send(new Subscribe(1, List.of(others), 0, List.of()));
        writer.expect(Suback.class);

        writer.send(new Publish(
                "a/b", new byte[1], QoS.EXACTLY_ONCE, false, false, 7, 0, ABSENT, PublishProperties.NONE, List.of()));
        assertThat(writer.expect(Pubrec.class).reason()).isEqualTo(ReasonCode.SUCCESS);
        writer.send(new Pubrel(7, ReasonCode.SUCCESS, null, List.of()));
        assertThat(writer.expect(Pubcomp.class).reason()).isEqualTo(ReasonCode.SUCCESS);
        assertThat(reader.expect(Publish.class).topic()).isEqualTo("a/b");
        assertNothingMoreComes(reader);
        assertNothingMoreComes(writer);
    }

    @Test
    void messageOfAGroupWaitsForTheGroupOfTheTenantAcrossARestart() throws IOException {
        for (String tenant : ALL) {
            TestClient member = connect(tenant, "member-app", FOR_LONG);
            subscribe(member, "$share/g/a/+");
            member.disconnect(-1);
        }
        publish(connect("acme", "writer", 0), "a/b", "x", false);
        restart();
        assertThat(take(connect("acme", "member-app", FOR_LONG))).isEqualTo("a/b: x");
        assertNothingMoreComes(connect("beta", "member-app", FOR_LONG));
        assertNothingMoreComes(connect("none", "member-app", FOR_LONG));
    }

    @Test
    void deadLetterStaysInTheTenant() throws IOException {
        List<TestClient> readers = new ArrayList<>();
        for (String tenant : ALL) {
            TestClient reader = connect(tenant, "reader-app", FOR_LONG);
            subscribe(reader, "$dead-letter/#");
            readers.add(reader);
        }
        TestClient member = connect("acme", "member-app", FOR_LONG);
        subscribe(member, "$share/g/a/+");
        publish(connect("acme", "writer", 0), "a/b", "x", false);
        member.expect(Publish.class);
        member.close();
        Publish letter = readers.getFirst().expect(Publish.class);
        assertThat(letter.topic()).isEqualTo("$dead-letter/g/a/b");
        assertThat(letter.properties().userProperties().getFirst().value()).isEqualTo("$share/g/a/+");
        assertNothingMoreComes(readers.get(1));
        assertNothingMoreComes(readers.get(2));
    }

    @Test
    void topicThatBeginsWithDollarNeedsAFilterThatNamesItAndSysIsTheBrokersAlone() throws IOException {
        TestClient all = connect("acme", "all", FOR_LONG);
        TestClient plus = connect("acme", "plus", 0);
        TestClient named = connect("acme", "named", 0);
        TestClient sys = connect("acme", "sys", 0);
        subscribe(all, "#");
        subscribe(plus, "+/a");
        subscribe(named, "$x/#");
        subscribe(sys, "$SYS/#");
        for (boolean retain : List.of(false, true)) {
            Message message = new Message(
                    "$x/a", "1".getBytes(UTF_8), QoS.AT_LEAST_ONCE, retain, PublishProperties.NONE, Message.NEVER, "");
            assertThat(broker.publish("acme", message).toCompletableFuture()).succeedsWithin(Duration.ofSeconds(10));
            assertThat(take(named)).isEqualTo("$x/a: 1");
        }
        assertNothingMoreComes(all);
        assertNothingMoreComes(plus);
        subscribe(all, "#"); // what is retained
        subscribe(plus, "+/a");
        assertNothingMoreComes(all);
        assertNothingMoreComes(plus);

        TestClient none = connect("none", "sys", 0);
        subscribe(none, "$SYS/broker/uptime");
        none.expect(Publish.class); // by now $SYS was published, and to the tenant nothing
        assertNothingMoreComes(sys);
    }

    @Test
    void clientMayNotPublishToDollarTopicsOfItsTenant() throws IOException {
        TestClient client = connect("acme", "c", 0);
        client.send(packet("$SYS/a", "x", false, 0));
        assertThat(client.expect(Puback.class).reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
    }

    @Test
    void operatorSeesWhoseClientWasRefused() throws IOException {
        TestClient client = TestClient.open(port(), ProtocolVersion.MQTT_5);
        clients.add(client);
        client.send(connectPacket("acme", "c", 0, will("$x")));
        assertThat(client.expect(Connack.class).reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        await().untilAsserted(() -> assertThat(broker.guard().refusedClients().newest(Long.MAX_VALUE, 10))
                .singleElement()
                .satisfies(refused -> {
                    assertThat(refused.clientId()).isEqualTo("c");
                    assertThat(refused.words()).isEqualTo("the will's topic is not authorised (tenant acme)");
                }));
    }

    @ParameterizedTest
    @ValueSource(strings = {"MQTT_3_1_1", "MQTT_5"})
    void clientSeesNoPrefixWhateverItsVersion(ProtocolVersion version) throws IOException {
        TestClient reader = TestClient.open(port(), version);
        clients.add(reader);
        reader.connect(new Connect(
                version, true, 0, "r", null, "acme", null, properties(0, version == ProtocolVersion.MQTT_5 ? 5 : 0)));
        reader.send(new Subscribe(1, List.of(subscription("some/topic", QoS.AT_LEAST_ONCE)), 0, List.of()));
        reader.expect(Suback.class);
        TestClient writer = connect("acme", "w", 0);
        writer.send(packet("some/topic", "1", false, 3));
        writer.expect(Puback.class);
        writer.send(packet("", "2", false, 3));
        writer.expect(Puback.class);

        Publish first = reader.expect(Publish.class);
        Publish second = reader.expect(Publish.class);
        assertThat(first.topic()).isEqualTo("some/topic");
        assertThat(second.topic()).isEqualTo(version == ProtocolVersion.MQTT_5 ? "" : "some/topic"); // an alias
        assertThat(second.topicAlias()).isEqualTo(first.topicAlias());
    }

    @Test
    void identifierThatTheBrokerAssignsIsTheOneThatTheClientCanUse() throws IOException {
        TestClient client = TestClient.open(port(), ProtocolVersion.MQTT_5);
        clients.add(client);
        Connack connack = client.connect(connectPacket("acme", "", FOR_LONG, null));
        String assigned = Objects.requireNonNull(connack.properties().assignedClientId());
        assertThat(assigned).hasSize(22).matches("[0-9A-Za-z]*");
        client.close();

        TestClient again = TestClient.open(port(), ProtocolVersion.MQTT_5);
        clients.add(again);
        assertThat(again.connect(connectPacket("acme", assigned, FOR_LONG, null))
                        .sessionPresent())
                .isTrue();
    }

    @Test
    void takeoverIsWithinTheTenantAlone() throws IOException {
        TestClient there = connect("beta", "c", FOR_LONG);
        TestClient here = connect("acme", "c", FOR_LONG);
        TestClient again = connect("acme", "c", FOR_LONG);

        assertThat(here.awaitClose())
                .isInstanceOfSatisfying(
                        Disconnect.class, last -> assertThat(last.reason()).isEqualTo(ReasonCode.SESSION_TAKEN_OVER));
        assertNothingMoreComes(there);
        assertNothingMoreComes(again);
    }

    @Test
    void longestTopicAndFilterAndIdentifierFit() throws IOException {
        String tenant = "t".repeat(64);
        String longest = "x".repeat(65_535);
        TestClient reader = connect(tenant, "reader", FOR_LONG);
        assertThat(subscribe(reader, longest)).isEqualTo(ReasonCode.GRANTED_QOS_1);
        assertThat(subscribe(reader, "$share/g/" + "x".repeat(65_526)).isError())
                .isFalse();
        reader.disconnect(-1);
        publish(connect(tenant, "writer", 0), longest, "1", true);
        restart();
        assertThat(take(connect(tenant, "reader", FOR_LONG))).isEqualTo(longest + ": 1");
        TestClient late = connect(tenant, "late", 0);
        subscribe(late, longest);
        assertThat(take(late)).isEqualTo(longest + ": 1");
    }

    @Test
    void embeddingApplicationSeesWhatClientsSee() throws IOException {
        TestClient client = connect("acme", "c", 0);
        TestClient writer = connect("acme", "w", 0);
        subscribe(client, "$share/g/a/#");
        publish(writer, "a/b", "x", false);
        assertThat(take(client)).isEqualTo("a/b: x");
        subscribe(client, "moved");
        publish(writer, "moves", "x", false);

        assertThat(seen)
                .containsExactly(
                        "connected c of acme",
                        "connected w of acme",
                        "subscribed $share/g/a/# by c",
                        "published a/b by w w",
                        "subscribed moved by c",
                        "published moves by w w");
        assertThat(take(client)).isEqualTo("moved: x"); // what an interceptor changes stays in the tenant
    }

    @Test
    void embeddingApplicationNamesTheTenant() throws Exception {
        TestClient client = connect("acme", "c", 0);
        TestClient writer = connect("acme", "w", 0);
        subscribe(client, "a/#");
        Queue<Message> got = new ConcurrentLinkedQueue<>();
        publish(writer, "a/r", "kept", true);
        try (AutoCloseable _ = broker.subscribe("acme", "a/#", QoS.AT_LEAST_ONCE, got::add);
                AutoCloseable _ = broker.subscribe("#", QoS.AT_LEAST_ONCE, got::add)) {
            assertThat(take(client)).isEqualTo("a/r: kept");
            Message message = Message.of("a/b", "x".getBytes(UTF_8), QoS.AT_LEAST_ONCE);
            assertThat(broker.publish("acme", message).toCompletableFuture()).succeedsWithin(Duration.ofSeconds(10));
            assertThat(take(client)).isEqualTo("a/b: x");
            publish(writer, "a/c", "y", false);
            await().until(() -> got.size() >= 3);
            assertThat(got).extracting(Message::topic).containsExactly("a/r", "a/b", "a/c");
            assertThat(got).extracting(Message::publisher).containsExactly("w", "", "w");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> broker.publish("a/b", Message.of("t", new byte[0], QoS.AT_MOST_ONCE)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> broker.publish(Message.of("\0acme/t", new byte[0], QoS.AT_MOST_ONCE)));
        assertThatIllegalArgumentException().isThrownBy(() -> broker.subscribe("", "t", QoS.AT_MOST_ONCE, got::add));
    }

    private void restart() {
        stop();
        clients.clear();
        start();
    }

    private int port() {
        return broker.listeners().getFirst().address().getPort();
    }

    private TestClient connect(String tenant, String clientId, long expiry) throws IOException {
        return connect(tenant, clientId, expiry, null);
    }

    private TestClient connect(String tenant, String clientId, long expiry, @Nullable Will will) throws IOException {
        TestClient client = TestClient.open(port(), ProtocolVersion.MQTT_5);
        clients.add(client);
        client.connect(connectPacket(tenant, clientId, expiry, will));
        return client;
    }

    private static Connect connectPacket(String tenant, String clientId, long expiry, @Nullable Will will) {
        return new Connect(ProtocolVersion.MQTT_5, expiry == 0, 0, clientId, will, tenant, null, properties(expiry, 0));
    }

    private static ConnectProperties properties(long expiry, int aliases) {
        return new ConnectProperties(
                expiry, 65_535, ConnectProperties.LARGEST_PACKET, aliases, false, true, null, null, List.of());
    }

    private static Will will(String topic) {
        Message message = Message.of(topic, "gone".getBytes(UTF_8), QoS.AT_LEAST_ONCE);
        return new Will(message, 0, ABSENT);
    }

    private static Subscription subscription(String filter, QoS qos) {
        return new Subscription(filter, qos, false, false, RetainHandling.SEND);
    }
}
