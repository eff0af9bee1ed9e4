package io.tributary.broker.blackbox;

import static io.tributary.common.mqtt.MqttPacket.ABSENT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.rules.Audience;
import io.tributary.broker.security.rules.OwnRules;
import io.tributary.broker.security.rules.Rule;
import io.tributary.broker.security.rules.Rule.Action;
import io.tributary.broker.security.rules.Rule.Effect;
import io.tributary.broker.security.rules.RuleSet;
import io.tributary.broker.security.rules.Rules;
import io.tributary.broker.security.rules.TopicPattern;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
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
                        .authenticator((client, _) -> Authenticator.answer(accepted(client.clientId())))
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
                reader.send(publish(topic, QoS.AT_LEAST_ONCE, false));
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
            assertThat(subscribe(reader, filter)).isEqualTo(reason);
        }
    }

    /** Its rules are with its session, and nowhere else. */
    @Test
    void sessionThatIsAwayIsJudgedByItsOwnRules() throws IOException {
        try (TestClient own = connect("own-1", FOR_LONG)) {
            subscribe(own, "news/#");
            own.disconnect(-1);
        }
        publishBoth(false);
        try (TestClient own = connect("own-1", FOR_LONG)) {
            assertThat(topics(own, 1)).containsExactly(OPEN);
            assertNothingMoreComes(own);
            own.send(publish("own/own-1/x", QoS.AT_LEAST_ONCE, false));
            assertThat(own.expect(Puback.class).reason()).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
            own.send(publish("own/own-2/x", QoS.AT_LEAST_ONCE, false));
            assertThat(own.expect(Puback.class).reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, FOR_LONG})
    void liveMessageIsLeftOutWhenSubscriptionIsCut(long expiry) throws IOException {
        try (TestClient reader = connect("reader-1", expiry)) {
            subscribe(reader, "news/#");
            publishBoth(false);
            assertThat(topics(reader, 1)).containsExactly(OPEN);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, FOR_LONG})
    void retainedMessageIsLeftOutWhenSubscriptionIsCut(long expiry) throws IOException {
        publishBoth(true);
        try (TestClient reader = connect("reader-1", expiry)) {
            subscribe(reader, "news/#");
            assertThat(topics(reader, 1)).containsExactly(OPEN);
            assertNothingMoreComes(reader);
        }
    }

    @Test
    void messageOfTheEmbeddingApplicationIsLeftOutWhenSubscriptionIsCut() throws IOException {
        try (TestClient reader = connect("reader-1", 0)) {
            subscribe(reader, "news/#");
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
            subscribe(reader, "news/#");
            reader.disconnect(-1);
        }
        publishBoth(false);
        assertThat(dropped("router", "receive_not_authorized")).isEqualTo(1);
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
                writer.send(publish(SECRET, QoS.AT_LEAST_ONCE, false));
                assertThat(writer.expect(Puback.class).reason()).isEqualTo(ReasonCode.SUCCESS);
            }
            assertThat(topics(with, 6)).hasSize(6).containsOnly(SECRET);
            assertNothingMoreComes(without);
        }
    }

    @Test
    void messageGoesNowhereWhenNoMemberMayHaveIt() throws IOException {
        try (TestClient reader = connect("reader-1", 0)) {
            subscribe(reader, "$share/g/news/#");
            publishBoth(false);
            assertThat(topics(reader, 1)).containsExactly(OPEN);
        }
        assertThat(dropped("router", "receive_not_authorized")).isEqualTo(1);
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
        subscribe(writer, "readers/#");
        loseConnectionWithWill(expiry);
        assertThat(topics(writer, 1)).containsExactly("readers/reader-1/gone");

        TestClient reader = withWill(expiry);
        rules.replace(List.of(WRITERS));
        reader.close();
        await().untilAsserted(() ->
                assertThat(dropped("router", "publish_not_authorized")).isEqualTo(1));
        assertNothingMoreComes(writer);
    }

    @Test
    void queuedMessageIsNotDeliveredWhenTheRightIsGone() throws IOException {
        try (TestClient insider = connect("insider-1", FOR_LONG)) {
            subscribe(insider, "news/#");
            insider.disconnect(-1);
        }
        publishBoth(false);
        rules.replace(List.of(WRITERS, READERS, set("insider", allow(Action.SUBSCRIBE, "news/open"))));
        try (TestClient insider = connect("insider-1", FOR_LONG)) {
            assertThat(topics(insider, 1)).containsExactly(OPEN);
            assertNothingMoreComes(insider);
        }
        assertThat(dropped("session", "not_authorized")).isEqualTo(1);
    }

    /** Sent and not acknowledged: without the right it does not come once more. */
    @ParameterizedTest
    @CsvSource({"AT_LEAST_ONCE, true", "AT_LEAST_ONCE, false", "EXACTLY_ONCE, true", "EXACTLY_ONCE, false"})
    void messageIsNotSentAgainWhenTheRightIsGone(QoS qos, boolean isGone) throws IOException {
        try (TestClient insider = connect("insider-1", FOR_LONG)) {
            subscribe(insider, "news/#");
            writer.send(publish(SECRET, qos, false));
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
            subscribe(insider, "news/#");
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

    private double dropped(String place, String reason) {
        return registry
                .get("tributary.messages.dropped")
                .tags("place", place, "reason", reason)
                .functionCounters()
                .stream()
                .mapToDouble(FunctionCounter::count)
                .sum();
    }

    /** The secret one first: when the other has come, the secret one would have been there. */
    private void publishBoth(boolean retain) throws IOException {
        for (String topic : List.of(SECRET, OPEN)) {
            writer.send(publish(topic, QoS.AT_LEAST_ONCE, retain));
            writer.expect(Puback.class);
        }
    }

    /** The topics of the next messages, which are acknowledged. */
    private static List<String> topics(TestClient client, int count) throws IOException {
        List<String> topics = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Publish message = client.expect(Publish.class);
            topics.add(message.topic());
            if (message.qos() == QoS.AT_LEAST_ONCE) {
                client.send(new Puback(message.packetId(), ReasonCode.SUCCESS, null, List.of()));
            }
        }
        return topics;
    }

    private static void assertNothingMoreComes(TestClient client) throws IOException {
        client.send(new MqttPacket.Pingreq());
        assertThat(client.poll(Duration.ofSeconds(10))).isInstanceOf(MqttPacket.Pingresp.class);
        assertThat(client.poll(Duration.ofMillis(300))).isNull();
    }

    private int port() {
        return broker.listeners().getFirst().address().getPort();
    }

    private TestClient connect(String clientId, long expiry) throws IOException {
        return TestClient.connect(port(), ProtocolVersion.MQTT_5, clientId, expiry);
    }

    private static Accepted accepted(String clientId) {
        String group = clientId.substring(0, clientId.indexOf('-'));
        String own = group.equals("own") ? OwnRules.text(OWN) : "";
        Principal principal = new Principal("test", clientId, null, null, List.of(group), null, own);
        return new Accepted(clientId.endsWith("app") ? ClientKind.APPLICATION : ClientKind.DEVICE, principal);
    }

    private static ReasonCode subscribe(TestClient client, String filter) throws IOException {
        Subscription asked = new Subscription(filter, QoS.EXACTLY_ONCE, false, false, RetainHandling.SEND);
        client.send(new Subscribe(1, List.of(asked), 0, List.of()));
        return client.expect(Suback.class).reasons().getFirst();
    }

    private static Publish publish(String topic, QoS qos, boolean retain) {
        return new Publish(
                topic,
                "x".getBytes(UTF_8),
                qos,
                retain,
                false,
                qos.isAcknowledged() ? 1 : 0,
                0,
                ABSENT,
                PublishProperties.NONE,
                List.of());
    }

    private static RuleSet set(String group, Rule... rules) {
        return new RuleSet(
                group, new Audience(Set.of(group), Set.of(), List.of(), Set.of(), List.of()), List.of(rules));
    }

    private static Rule allow(Action action, String topic) {
        return new Rule(Effect.ALLOW, action, TopicPattern.parse(topic));
    }

    private static Rule deny(Action action, String topic) {
        return new Rule(Effect.DENY, action, TopicPattern.parse(topic));
    }
}
