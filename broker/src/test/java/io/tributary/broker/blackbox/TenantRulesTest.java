package io.tributary.broker.blackbox;

import static io.tributary.broker.blackbox.TestRules.accepted;
import static io.tributary.broker.blackbox.TestRules.allow;
import static io.tributary.broker.blackbox.TestRules.deny;
import static io.tributary.broker.blackbox.TestRules.dropped;
import static io.tributary.broker.blackbox.TestRules.set;
import static io.tributary.broker.blackbox.TestTalk.assertNothingMoreComes;
import static io.tributary.broker.blackbox.TestTalk.packet;
import static io.tributary.broker.blackbox.TestTalk.subscribe;
import static io.tributary.broker.blackbox.TestTalk.topics;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.rules.Rule.Action;
import io.tributary.broker.security.rules.RuleSet;
import io.tributary.broker.security.rules.Rules;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rules see topics and identifiers of a tenant's clients as these do, whichever way a message takes. All clients are of
 * one tenant, in the group that the identifier begins with; those that end with {@code app} are applications.
 */
class TenantRulesTest {
    private static final long FOR_LONG = 3_600;
    private static final String OPEN = "news/open";
    private static final String SECRET = "news/secret/key";

    private static final RuleSet WRITERS = set("writer", allow(Action.ALL, "#"));
    private static final RuleSet READERS = set(
            "reader",
            deny(Action.SUBSCRIBE, "news/secret/#"),
            allow(Action.SUBSCRIBE, "news/#"),
            allow(Action.PUBLISH, "${tenant}/${clientid}/#"));
    private static final RuleSet INSIDERS = set("insider", allow(Action.SUBSCRIBE, "news/#"));

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Rules rules = new Rules(List.of(WRITERS, READERS, INSIDERS));

    @TempDir
    private Path data;

    private Broker broker;
    private TestClient writer;

    @BeforeEach
    void start() throws IOException {
        start(rules);
    }

    private void start(Authorizer authorizer) throws IOException {
        broker = Broker.start(
                BrokerConfig.builder(data)
                        .listener(ListenerConfig.tcp("tcp", 0))
                        .build(),
                BrokerExtensions.builder()
                        .authenticator((client, _) -> Authenticator.answer(accepted(client.clientId(), "acme", "")))
                        .authorizer(authorizer)
                        .build(),
                new BrokerMetrics(registry));
        writer = connect("writer-1", 0);
    }

    @AfterEach
    void stop() {
        writer.close();
        broker.close();
    }

    @ParameterizedTest
    @CsvSource({
        "acme/reader-1/x, NO_MATCHING_SUBSCRIBERS",
        "acme/reader-2/x, NOT_AUTHORIZED",
        "beta/reader-1/x, NOT_AUTHORIZED",
        "$x, NOT_AUTHORIZED"
    })
    void publishIsAnsweredByTheFirstRule(String topic, ReasonCode reason) throws IOException {
        try (TestClient reader = connect("reader-1", 0)) {
            for (int i = 0; i < 3; i++) { // the decision is remembered from the second time on
                reader.send(packet(topic, "x", false, 0));
                assertThat(reader.expect(Puback.class).reason()).isEqualTo(reason);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "news/#, GRANTED_QOS_1",
        "$share/g/news/#, GRANTED_QOS_1",
        "news/secret/#, NOT_AUTHORIZED",
        "$share/g/news/secret/#, NOT_AUTHORIZED",
        "#, NOT_AUTHORIZED",
        "$SYS/#, NOT_AUTHORIZED"
    })
    void subscribeIsAnsweredByTheRuleThatCoversTheFilter(String filter, ReasonCode reason) throws IOException {
        try (TestClient reader = connect("reader-1", 0)) {
            assertThat(subscribe(reader, filter)).isEqualTo(reason);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, FOR_LONG})
    void messageIsLeftOutLiveAndRetainedWhenSubscriptionIsCut(long expiry) throws IOException {
        try (TestClient reader = connect("reader-1", expiry)) {
            subscribe(reader, "news/#");
            publishBoth(true);
            assertThat(topics(reader, 1)).containsExactly(OPEN);
            subscribe(reader, "news/#");
            assertThat(topics(reader, 1)).containsExactly(OPEN);
            assertNothingMoreComes(reader);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"reader-1", "reader-app"})
    void messageIsNotQueuedWhenSessionIsAway(String clientId) throws IOException {
        try (TestClient reader = connect(clientId, FOR_LONG)) {
            subscribe(reader, "news/#");
            reader.disconnect(-1);
        }
        publishBoth(false);
        assertThat(dropped(registry, "router", "receive_not_authorized")).isEqualTo(1);
        try (TestClient reader = connect(clientId, FOR_LONG)) {
            assertThat(topics(reader, 1)).containsExactly(OPEN);
            assertNothingMoreComes(reader);
        }
    }

    @ParameterizedTest
    @CsvSource({"reader-1, insider-1, 0", "reader-1, insider-1, 3600", "reader-app, insider-app, 3600"})
    void memberWithTheRightGetsAllWhenSubscriptionIsShared(String reader, String insider, long expiry)
            throws IOException {
        try (TestClient without = connect(reader, expiry);
                TestClient with = connect(insider, expiry)) {
            subscribe(without, "$share/g/news/#");
            subscribe(with, "$share/g/news/#");
            for (int i = 0; i < 6; i++) {
                writer.send(packet(SECRET, "x", false, 0));
                assertThat(writer.expect(Puback.class).reason()).isEqualTo(ReasonCode.SUCCESS);
            }
            assertThat(topics(with, 6)).hasSize(6).containsOnly(SECRET);
            assertNothingMoreComes(without);
        }
    }

    @Test
    void willIsAskedAboutAtConnectAndWhenItIsPublished() throws IOException {
        subscribe(writer, "acme/#");
        try (TestClient reader = TestClient.open(port(), ProtocolVersion.MQTT_5)) {
            reader.send(TestClient.connectPacket("reader-1", 0, OPEN));
            assertThat(reader.expect(Connack.class).reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        }
        withWill().close();
        assertThat(topics(writer, 1)).containsExactly("acme/reader-1/gone");

        TestClient reader = withWill();
        rules.replace(List.of(WRITERS));
        reader.close();
        await().untilAsserted(() -> assertThat(dropped(registry, "router", "publish_not_authorized"))
                .isEqualTo(1));
        assertNothingMoreComes(writer);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, FOR_LONG})
    void subscriptionIsRemovedWhenTheRightIsGone(long expiry) throws IOException {
        try (TestClient insider = connect("insider-1", expiry)) {
            subscribe(insider, "news/#");
            publishBoth(false);
            assertThat(topics(insider, 2)).containsExactly(SECRET, OPEN);

            rules.replace(List.of(WRITERS, READERS));
            publishBoth(false);
            assertNothingMoreComes(insider);
        }
    }

    /** A session that is away is looked at again, too: by its principal, and by topics as it knows them. */
    @Test
    void subscriptionIsRemovedWhenTheRightIsGone() throws IOException {
        try (TestClient insider = connect("insider-1", FOR_LONG);
                TestClient reader = connect("reader-1", FOR_LONG)) {
            subscribe(insider, "news/#");
            subscribe(reader, "news/#");
            insider.disconnect(-1);
            rules.replace(List.of(WRITERS, READERS));
            await().until(() -> broker.status().subscriptions() == 1);
            publishBoth(false);
            assertThat(topics(reader, 1)).containsExactly(OPEN);
        }
    }

    @Test
    void authorizerOfTheEmbeddingApplicationIsAskedAboutWhatClientsKnow() throws IOException {
        stop();
        Queue<String> asked = new ConcurrentLinkedQueue<>();
        start(new Authorizer() {
            @Override
            public boolean mayPublish(ClientInfo client, String topic, QoS qos, boolean retain) {
                return asked.add(client.clientId() + " of " + client.tenant() + " publishes " + topic);
            }

            @Override
            public boolean maySubscribe(ClientInfo client, String topicFilter, QoS qos) {
                return asked.add(client.clientId() + " of " + client.tenant() + " subscribes " + topicFilter);
            }

            @Override
            public boolean mayReceive(ClientInfo client, String topic) {
                return asked.add(client.clientId() + " of " + client.tenant() + " receives " + topic);
            }
        });
        try (TestClient reader = connect("reader-1", FOR_LONG)) {
            subscribe(reader, "$share/g/news/#");
            writer.send(packet(OPEN, "x", false, 0));
            assertThat(topics(reader, 1)).containsExactly(OPEN);
        }
        assertThat(asked)
                .containsSubsequence(
                        "reader-1 of acme subscribes news/#",
                        "writer-1 of acme publishes news/open",
                        "reader-1 of acme receives news/open")
                .allMatch(each -> each.indexOf('\0') < 0);
    }

    private TestClient withWill() throws IOException {
        TestClient reader = TestClient.open(port(), ProtocolVersion.MQTT_5);
        reader.connect(TestClient.connectPacket("reader-1", 0, "acme/reader-1/gone"));
        return reader;
    }

    /** The secret one first: when the other has come, the secret one would have been there. */
    private void publishBoth(boolean retain) throws IOException {
        for (String topic : List.of(SECRET, OPEN)) {
            writer.send(packet(topic, "x", retain, 0));
            writer.expect(Puback.class);
        }
    }

    private int port() {
        return broker.listeners().getFirst().address().getPort();
    }

    private TestClient connect(String clientId, long expiry) throws IOException {
        return TestClient.connect(port(), ProtocolVersion.MQTT_5, clientId, expiry);
    }
}
