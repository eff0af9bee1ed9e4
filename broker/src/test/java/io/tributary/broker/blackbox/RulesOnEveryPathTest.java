package io.tributary.broker.blackbox;

import static io.tributary.broker.blackbox.TestRules.accepted;
import static io.tributary.broker.blackbox.TestRules.allow;
import static io.tributary.broker.blackbox.TestRules.deny;
import static io.tributary.broker.blackbox.TestRules.dropped;
import static io.tributary.broker.blackbox.TestRules.groupOf;
import static io.tributary.broker.blackbox.TestRules.set;
import static io.tributary.broker.blackbox.TestTalk.assertNothingMoreComes;
import static io.tributary.broker.blackbox.TestTalk.packet;
import static io.tributary.broker.blackbox.TestTalk.subscribe;
import static io.tributary.broker.blackbox.TestTalk.topics;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.rules.OwnRules;
import io.tributary.broker.security.rules.Rule;
import io.tributary.broker.security.rules.Rule.Action;
import io.tributary.broker.security.rules.RuleSet;
import io.tributary.broker.security.rules.Rules;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whichever way a message takes, rules decide whether a client gets it. A client is in the group that its identifier
 * begins with, and an application when it ends with {@code app}.
 */
class RulesOnEveryPathTest {
    private static final long FOR_LONG = 3_600;
    private static final String OPEN = "news/open";
    private static final String SECRET = "news/secret/key";

    private static final RuleSet WRITERS = set("writer", allow(Action.ALL, "#"));
    private static final RuleSet READERS = set(
            "reader",
            deny(Action.SUBSCRIBE, "news/secret/#"),
            allow(Action.SUBSCRIBE, "news/#"),
            allow(Action.PUBLISH, "readers/${clientid}/#"));
    private static final RuleSet INSIDERS = set("insider", allow(Action.SUBSCRIBE, "news/#"));
    private static final List<Rule> OWN = List.of(
            deny(Action.SUBSCRIBE, "news/secret/#"),
            allow(Action.SUBSCRIBE, "news/#"),
            allow(Action.PUBLISH, "own/${clientid}/#"));
    private static final List<RuleSet> SETS = List.of(WRITERS, READERS, INSIDERS);

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final Rules rules = new Rules(SETS);

    @TempDir
    private Path data;

    private Broker broker;
    private TestClient writer;

    @BeforeEach
    void start() throws IOException {
        broker = Broker.start(
                BrokerConfig.builder(data)
                        .listener(ListenerConfig.tcp("tcp", 0))
                        .build(),
                BrokerExtensions.builder()
                        .authenticator((client, _) ->
                                Authenticator.answer(accepted(client.clientId(), null, ownRules(client.clientId()))))
                        .authorizer(rules)
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
        "readers/reader-1/x, NO_MATCHING_SUBSCRIBERS",
        "readers/reader-2/x, NOT_AUTHORIZED",
        "$x, NOT_AUTHORIZED"
    })
    void publishIsAnsweredByTheFirstRule(String topic, ReasonCode reason) throws IOException {
        try (TestClient reader = connect("reader-1", 0)) {
            for (int i = 0; i < 3; i++) { // the decision is remembered from the second time on
                reader.send(packet(topic, "x", QoS.AT_LEAST_ONCE, false, 0));
                assertThat(reader.expect(Puback.class).reason()).isEqualTo(reason);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "news/#, GRANTED_QOS_2",
        "$share/g/news/#, GRANTED_QOS_2",
        "news/secret/#, NOT_AUTHORIZED",
        "$share/g/news/secret/#, NOT_AUTHORIZED",
        "#, NOT_AUTHORIZED",
        "$SYS/#, NOT_AUTHORIZED"
    })
    void subscribeIsAnsweredByTheRuleThatCoversTheFilter(String filter, ReasonCode reason) throws IOException {
        try (TestClient reader = connect("reader-1", 0)) {
            assertThat(subscribe(reader, filter, QoS.EXACTLY_ONCE)).isEqualTo(reason);
        }
    }

    /** Its rules are with its session, and nowhere else. */
    @Test
    void sessionThatIsAwayIsJudgedByItsOwnRules() throws IOException {
        try (TestClient own = connect("own-1", FOR_LONG)) {
            subscribe(own, "news/#", QoS.EXACTLY_ONCE);
            own.disconnect(-1);
        }
        publishBoth(false);
        try (TestClient own = connect("own-1", FOR_LONG)) {
            assertThat(topics(own, 1)).containsExactly(OPEN);
            assertNothingMoreComes(own);
            own.send(packet("own/own-1/x", "x", QoS.AT_LEAST_ONCE, false, 0));
            assertThat(own.expect(Puback.class).reason()).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
            own.send(packet("own/own-2/x", "x", QoS.AT_LEAST_ONCE, false, 0));
            assertThat(own.expect(Puback.class).reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, FOR_LONG})
    void liveMessageIsLeftOutWhenSubscriptionIsCut(long expiry) throws IOException {
        try (TestClient reader = connect("reader-1", expiry)) {
            subscribe(reader, "news/#", QoS.EXACTLY_ONCE);
            publishBoth(false);
            assertThat(topics(reader, 1)).containsExactly(OPEN);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, FOR_LONG})
    void retainedMessageIsLeftOutWhenSubscriptionIsCut(long expiry) throws IOException {
        publishBoth(true);
        try (TestClient reader = connect("reader-1", expiry)) {
            subscribe(reader, "news/#", QoS.EXACTLY_ONCE);
            assertThat(topics(reader, 1)).containsExactly(OPEN);
            assertNothingMoreComes(reader);
        }
    }

    @Test
    void messageOfTheEmbeddingApplicationIsLeftOutWhenSubscriptionIsCut() throws IOException {
        try (TestClient reader = connect("reader-1", 0)) {
            subscribe(reader, "news/#", QoS.EXACTLY_ONCE);
            for (String topic : List.of(SECRET, OPEN)) {
                assertThat(broker.publish(Message.of(topic, "1".getBytes(UTF_8), QoS.AT_LEAST_ONCE))
                                .toCompletableFuture())
                        .succeedsWithin(Duration.ofSeconds(10));
            }
            assertThat(topics(reader, 1)).containsExactly(OPEN);
        }
    }

    /** The principal that is stored with the session decides. */
    @ParameterizedTest
    @ValueSource(strings = {"reader-1", "reader-app"})
    void messageIsNotQueuedWhenSessionIsAway(String clientId) throws IOException {
        try (TestClient reader = connect(clientId, FOR_LONG)) {
            subscribe(reader, "news/#", QoS.EXACTLY_ONCE);
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
            subscribe(without, "$share/g/news/#", QoS.EXACTLY_ONCE);
            subscribe(with, "$share/g/news/#", QoS.EXACTLY_ONCE);
            for (int i = 0; i < 6; i++) {
                writer.send(packet(SECRET, "x", QoS.AT_LEAST_ONCE, false, 0));
                assertThat(writer.expect(Puback.class).reason()).isEqualTo(ReasonCode.SUCCESS);
            }
            assertThat(topics(with, 6)).hasSize(6).containsOnly(SECRET);
            assertNothingMoreComes(without);
        }
    }

    @Test
    void messageGoesNowhereWhenNoMemberMayHaveIt() throws IOException {
        try (TestClient reader = connect("reader-1", 0)) {
            subscribe(reader, "$share/g/news/#", QoS.EXACTLY_ONCE);
            publishBoth(false);
            assertThat(topics(reader, 1)).containsExactly(OPEN);
        }
        assertThat(dropped(registry, "router", "receive_not_authorized")).isEqualTo(1);
    }

    @Test
    void connectIsRefusedWhenWillMayNotBePublished() throws IOException {
        try (TestClient reader = TestClient.open(port(), ProtocolVersion.MQTT_5)) {
            reader.send(TestClient.connectPacket("reader-1", 0, OPEN));
            assertThat(reader.expect(Connack.class).reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, FOR_LONG})
    void willIsPublishedOnlyWhenItMayStillBe(long expiry) throws IOException {
        subscribe(writer, "readers/#", QoS.EXACTLY_ONCE);
        loseConnectionWithWill(expiry);
        assertThat(topics(writer, 1)).containsExactly("readers/reader-1/gone");

        TestClient reader = withWill(expiry);
        rules.replace(List.of(WRITERS));
        reader.close();
        await().untilAsserted(() -> assertThat(dropped(registry, "router", "publish_not_authorized"))
                .isEqualTo(1));
        assertNothingMoreComes(writer);
    }

    @Test
    void queuedMessageIsNotDeliveredWhenTheRightIsGone() throws IOException {
        try (TestClient insider = connect("insider-1", FOR_LONG)) {
            subscribe(insider, "news/#", QoS.EXACTLY_ONCE);
            insider.disconnect(-1);
        }
        publishBoth(false);
        rules.replace(List.of(WRITERS, READERS, set("insider", allow(Action.SUBSCRIBE, "news/open"))));
        try (TestClient insider = connect("insider-1", FOR_LONG)) {
            assertThat(topics(insider, 1)).containsExactly(OPEN);
            assertNothingMoreComes(insider);
        }
        assertThat(dropped(registry, "session", "not_authorized")).isEqualTo(1);
    }

    /** Sent and not acknowledged: without the right it does not come once more. */
    @ParameterizedTest
    @CsvSource({"AT_LEAST_ONCE, true", "AT_LEAST_ONCE, false", "EXACTLY_ONCE, true", "EXACTLY_ONCE, false"})
    void messageIsNotSentAgainWhenTheRightIsGone(QoS qos, boolean isGone) throws IOException {
        try (TestClient insider = connect("insider-1", FOR_LONG)) {
            subscribe(insider, "news/#", QoS.EXACTLY_ONCE);
            writer.send(packet(SECRET, "x", qos, false, 0));
            assertThat(insider.expect(Publish.class).topic()).isEqualTo(SECRET);
        }
        if (isGone) {
            rules.replace(List.of(WRITERS));
        }
        try (TestClient insider = connect("insider-1", FOR_LONG)) {
            if (isGone) {
                assertNothingMoreComes(insider);
            } else {
                assertThat(insider.expect(Publish.class).dup()).isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, FOR_LONG})
    void subscriptionBringsNothingWhenTheRightIsGone(long expiry) throws IOException {
        try (TestClient insider = connect("insider-1", expiry)) {
            subscribe(insider, "news/#", QoS.EXACTLY_ONCE);
            publishBoth(false);
            assertThat(topics(insider, 2)).containsExactly(SECRET, OPEN);

            rules.replace(List.of(WRITERS, READERS));
            publishBoth(false);
            assertNothingMoreComes(insider);
        }
    }

    private void loseConnectionWithWill(long expiry) throws IOException {
        withWill(expiry).close();
    }

    private TestClient withWill(long expiry) throws IOException {
        TestClient reader = TestClient.open(port(), ProtocolVersion.MQTT_5);
        reader.connect(TestClient.connectPacket("reader-1", expiry, "readers/reader-1/gone"));
        return reader;
    }

    /** The secret one first: when the other has come, the secret one would have been there. */
    private void publishBoth(boolean retain) throws IOException {
        for (String topic : List.of(SECRET, OPEN)) {
            writer.send(packet(topic, "x", QoS.AT_LEAST_ONCE, retain, 0));
            writer.expect(Puback.class);
        }
    }

    private int port() {
        return broker.listeners().getFirst().address().getPort();
    }

    private TestClient connect(String clientId, long expiry) throws IOException {
        return TestClient.connect(port(), ProtocolVersion.MQTT_5, clientId, expiry);
    }

    private static String ownRules(String clientId) {
        return groupOf(clientId).equals("own") ? OwnRules.text(OWN) : "";
    }
}
