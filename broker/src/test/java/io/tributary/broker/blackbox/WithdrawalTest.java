package io.tributary.broker.blackbox;

import static io.tributary.broker.blackbox.TestRules.accepted;
import static io.tributary.broker.blackbox.TestRules.dropped;
import static io.tributary.broker.blackbox.TestTalk.assertNothingMoreComes;
import static io.tributary.broker.blackbox.TestTalk.packet;
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
import io.tributary.broker.security.OnRevocation;
import io.tributary.broker.security.rules.Audience;
import io.tributary.broker.security.rules.Rule;
import io.tributary.broker.security.rules.Rule.Action;
import io.tributary.broker.security.rules.Rule.Effect;
import io.tributary.broker.security.rules.Rule.Retain;
import io.tributary.broker.security.rules.RuleSet;
import io.tributary.broker.security.rules.Rules;
import io.tributary.broker.security.rules.TopicPattern;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What becomes of subscriptions when rules do not allow them any more, in a broker alone. A client is in the group that
 * its identifier begins with, and an application when it ends with {@code app}.
 */
class WithdrawalTest {
    private static final long FOR_LONG = 3_600;
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final Pattern WITHDRAW = Pattern.compile("\\{\"by\":\"\\(broker\\)\",\"from\":\"tributary\","
            + "\"action\":\"withdraw\",\"table\":\"rules\",\"removed\":\"(\\d)\",\"lowered\":\"0\","
            + "\"disconnected\":\"0\",\"subscriptions\":\"([^\"]*)\"}");
    private static final RuleSet WRITERS = set("writer", Set.of(), allow("#", QoS.EXACTLY_ONCE));
    private static final RuleSet READERS = set("reader", Set.of(), allow("news/#", QoS.EXACTLY_ONCE));
    private static final RuleSet READERS_OF_LITTLE =
            set("reader", Set.of(), allow("news/#", QoS.AT_LEAST_ONCE), allow("other", QoS.EXACTLY_ONCE));
    private static final RuleSet OTHERS = set("other", Set.of(), allow("x", QoS.EXACTLY_ONCE));
    private static final List<RuleSet> BOTH = List.of(WRITERS, READERS);
    private static final List<RuleSet> ALL = List.of(WRITERS, READERS, OTHERS);

    private final MeterRegistry registry = new SimpleMeterRegistry();

    @TempDir
    private Path data;

    private Rules rules;
    private Broker broker;
    private TestClient writer;

    @BeforeEach
    void start() throws IOException {
        start(BOTH, OnRevocation.REMOVE);
    }

    private void start(List<RuleSet> sets, OnRevocation onRevocation) throws IOException {
        rules = new Rules(sets);
        broker = Broker.start(
                BrokerConfig.builder(data)
                        .listener(ListenerConfig.tcp("tcp", 0))
                        .securityOnRevocation(onRevocation)
                        .build(),
                BrokerExtensions.builder()
                        .authenticator((client, _) -> Authenticator.answer(accepted(client.clientId(), null, "")))
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
    @ValueSource(longs = {0, FOR_LONG})
    void subscriptionIsRemovedWhenItsClientIsConnected(long expiry) throws IOException {
        try (TestClient reader = connect("reader-1", expiry)) {
            subscribe(reader, "news/#");
            rules.replace(List.of(WRITERS));
            awaitSubscriptions(0);

            rules.replace(BOTH);
            assertThat(publish("news/1")).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
            subscribe(reader, "news/#");
            assertThat(publish("news/2")).isEqualTo(ReasonCode.SUCCESS);
            assertThat(reader.expect(Publish.class).topic()).isEqualTo("news/2");
        }
        assertThat(withdrawn("removed")).isEqualTo(1);
        assertThat(withdrawn("lowered")).isZero();
    }

    @Test
    void subscriptionIsRemovedWhenRulesChangeAllTheTime() throws IOException {
        try (TestClient reader = connect("reader-1", 0)) {
            subscribe(reader, "news/#");
            await().atMost(PATIENCE).until(() -> {
                rules.replace(List.of(WRITERS));
                return broker.status().subscriptions() == 0;
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"reader-1", "reader-app"})
    void subscriptionIsRemovedWhenSessionIsAway(String clientId) throws IOException {
        leave(clientId, "news/#");
        rules.replace(List.of(WRITERS));
        awaitSubscriptions(0);

        rules.replace(BOTH);
        assertThat(publish("news/1")).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
        try (TestClient reader = resume(clientId)) {
            assertNothingMoreComes(reader);
        }
        assertThat(withdrawn("removed")).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"reader-1, 0", "reader-1, 3600", "reader-app, 3600"})
    void membershipIsRemovedWhenSubscriptionIsShared(String clientId, long expiry) throws IOException {
        try (TestClient reader = connect(clientId, expiry)) {
            subscribe(reader, "$share/g/news/#");
            assertThat(broker.status().sharedSubscriptions()).isEqualTo(1);
            rules.replace(List.of(WRITERS));
            await().atMost(PATIENCE).until(() -> broker.status().sharedSubscriptions() == 0);
            assertNothingMoreComes(reader);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, FOR_LONG})
    void qosIsLoweredWhenRuleAllowsLess(long expiry) throws IOException {
        try (TestClient reader = connect("reader-1", expiry)) {
            subscribe(reader, "news/#");
            rules.replace(List.of(WRITERS, READERS_OF_LITTLE));
            await().atMost(PATIENCE).until(() -> withdrawn("lowered") == 1);
            publishAtQos2("news/1");
            assertThat(reader.expect(Publish.class).qos()).isEqualTo(QoS.AT_LEAST_ONCE);
        }
        assertThat(withdrawn("removed")).isZero();
    }

    @Test
    void qosIsLoweredWhenSessionIsAway() throws IOException {
        leave("reader-1", "news/#");
        rules.replace(List.of(WRITERS, READERS_OF_LITTLE));
        await().atMost(PATIENCE).until(() -> withdrawn("lowered") == 1);
        publishAtQos2("news/1");
        try (TestClient reader = resume("reader-1")) {
            assertThat(reader.expect(Publish.class).qos()).isEqualTo(QoS.AT_LEAST_ONCE);
        }
    }

    @Test
    void otherSubscriptionsStayWhenOneIsRemoved() throws IOException {
        try (TestClient reader = connect("reader-1", FOR_LONG)) {
            subscribe(reader, "news/a");
            subscribe(reader, "news/b");
            rules.replace(List.of(WRITERS, set("reader", Set.of(), allow("news/b", QoS.EXACTLY_ONCE))));
            awaitSubscriptions(1);
            publish("news/a");
            publish("news/b");
            assertThat(reader.expect(Publish.class).topic()).isEqualTo("news/b");
        }
    }

    /** What cannot be read may allow it: messages do not come, and the subscription is there once it can be read. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nothingIsRemovedWhenSomeRulesCannotBeRead(boolean isConnected) throws IOException {
        try (TestClient reader = connect("reader-1", FOR_LONG);
                TestClient other = connect("writer-2", 0)) {
            subscribe(reader, "news/#");
            subscribe(other, "x");
            if (!isConnected) {
                reader.disconnect(-1);
            }
            rules.replaceByRest(List.of(set("writer", Set.of(), allow("news/#", QoS.EXACTLY_ONCE))));
            await().atMost(PATIENCE).untilAsserted(() -> {
                publish("news/1");
                assertThat(dropped(registry, "router", "receive_not_authorized"))
                        .isPositive();
            });
            rules.replace(BOTH);
            await().atMost(PATIENCE).until(() -> publish("news/2") == ReasonCode.SUCCESS);
            assertThat(broker.status().subscriptions()).isEqualTo(2);
            assertThat(withdrawn("removed")).isZero();
        }
    }

    /** It may come through that listener again. */
    @Test
    void subscriptionStaysWhenRuleDependsOnTheListenerAndSessionIsAway() throws IOException {
        rules.replace(ALL);
        leave("reader-1", "news/#");
        leave("other-1", "x");
        rules.replace(List.of(WRITERS, set("reader", Set.of("elsewhere"), allow("news/#", QoS.AT_MOST_ONCE))));
        await().atMost(PATIENCE).until(() -> withdrawn("removed") == 1); // that of the other one
        assertThat(broker.status().subscriptions()).isEqualTo(1);
        assertThat(withdrawn("lowered")).isZero();
    }

    /** A rule set that is removed and made again. */
    @Test
    void subscriptionStaysWhenTheRightIsGoneForAMoment() throws IOException {
        rules.replace(ALL);
        leave("reader-1", "news/#");
        leave("other-1", "x");
        rules.replace(List.of(WRITERS, OTHERS));
        rules.replace(BOTH);
        await().atMost(PATIENCE).until(() -> withdrawn("removed") == 1); // that of the other one
        assertThat(publish("news/1")).isEqualTo(ReasonCode.SUCCESS);
    }

    @ParameterizedTest
    @EnumSource(
            value = ProtocolVersion.class,
            names = {"MQTT_5", "MQTT_3_1_1"})
    void clientIsDisconnectedWhenItIsToBe(ProtocolVersion version) throws IOException {
        stop();
        start(BOTH, OnRevocation.DISCONNECT);
        try (TestClient reader = TestClient.connect(port(), version, "reader-1", FOR_LONG);
                TestClient other = connect("other-1", 0)) {
            subscribe(reader, "news/#");
            rules.replace(List.of(WRITERS));
            MqttPacket last = reader.awaitClose();
            if (version.isMqtt5()) {
                assertThat(last)
                        .isInstanceOfSatisfying(
                                Disconnect.class,
                                disconnect -> assertThat(disconnect.reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED));
            } else {
                assertThat(last).isNull();
            }
            assertNothingMoreComes(other);
        }
        try (TestClient reader = TestClient.open(port(), version)) {
            reader.send(TestClient.connectPacket(version, "reader-1", FOR_LONG));
            assertThat(reader.expect(Connack.class).sessionPresent()).isTrue();
        }
        awaitSubscriptions(0);
    }

    @Test
    void subscriptionIsRemovedWhenTheRightIsGoneAfterARestart() throws IOException {
        leave("reader-1", "news/#");
        stop();
        start(List.of(WRITERS), OnRevocation.REMOVE);
        awaitSubscriptions(0);
        try (TestClient reader = resume("reader-1")) {
            rules.replace(BOTH);
            assertThat(publish("news/1")).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
            assertNothingMoreComes(reader);
        }
    }

    @Test
    void removedSubscriptionStaysRemovedWhenBrokerIsRestarted() throws IOException {
        leave("reader-1", "news/#");
        rules.replace(List.of(WRITERS));
        awaitSubscriptions(0);
        stop();
        start(BOTH, OnRevocation.REMOVE);
        assertThat(publish("news/1")).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
    }

    @Test
    void auditLogSaysWhatWasTakenFromWhom() throws IOException {
        leave("reader-1", "news/#");
        try (TestClient reader = connect("reader-2", 0)) {
            subscribe(reader, "news/#");
            rules.replace(List.of(WRITERS));
            awaitSubscriptions(0);
        }
        await().atMost(PATIENCE).until(() -> removedSayTheEntries() == 2);
        assertThat(String.join("", audit()))
                .contains("reader-1 of test:reader-1: news/#", "reader-2 of test:reader-2: news/#");
    }

    /** There may be one entry for both, or one for each, as it comes. */
    private int removedSayTheEntries() {
        return audit().stream()
                .mapToInt(entry -> {
                    Matcher withdraw = WITHDRAW.matcher(entry);
                    assertThat(withdraw.matches()).as(entry).isTrue();
                    return Integer.parseInt(withdraw.group(1));
                })
                .sum();
    }

    private List<String> audit() {
        return broker.security().audit(Long.MAX_VALUE, 10).toCompletableFuture().join().stream()
                .map(entry -> new String(entry.bytes(), UTF_8))
                .toList();
    }

    @Test
    void droppedMessagesCountByTheRuleSetThatRefusesThem() throws IOException {
        RuleSet silent = new RuleSet(
                "silent",
                audience("reader", Set.of()),
                List.of(new Rule(Effect.DENY, Action.PUBLISH, TopicPattern.parse("news/#"))));
        rules.replace(List.of(WRITERS, silent, READERS));
        try (TestClient reader = connect("reader-1", 0)) {
            reader.send(packet("news/1", "x", QoS.AT_LEAST_ONCE, false, 0));
            assertThat(reader.expect(Puback.class).reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
            reader.send(packet("x", "x", QoS.AT_LEAST_ONCE, false, 0));
            assertThat(reader.expect(Puback.class).reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        }
        for (String value : List.of("silent", "none")) {
            assertThat(registry.get("tributary.messages.dropped")
                            .tags("place", "router", "reason", "publish_not_authorized", "rules", value)
                            .functionCounter()
                            .count())
                    .as(value)
                    .isEqualTo(1);
        }
    }

    private void awaitSubscriptions(int count) {
        await().atMost(PATIENCE).until(() -> broker.status().subscriptions() == count);
    }

    private double withdrawn(String change) {
        return registry.get("tributary.subscriptions.withdrawn").tag("change", change).functionCounters().stream()
                .mapToDouble(FunctionCounter::count)
                .sum();
    }

    /** Subscribes and goes, with a session that stays. */
    private void leave(String clientId, String filter) throws IOException {
        try (TestClient client = connect(clientId, FOR_LONG)) {
            subscribe(client, filter);
            client.disconnect(-1);
        }
    }

    private TestClient resume(String clientId) throws IOException {
        TestClient client = TestClient.open(port(), ProtocolVersion.MQTT_5);
        client.send(TestClient.connectPacket(clientId, FOR_LONG, null));
        assertThat(client.expect(Connack.class).sessionPresent()).isTrue();
        return client;
    }

    private ReasonCode publish(String topic) throws IOException {
        writer.send(packet(topic, "x", QoS.AT_LEAST_ONCE, false, 0));
        return writer.expect(Puback.class).reason();
    }

    private void publishAtQos2(String topic) throws IOException {
        writer.send(packet(topic, "x", QoS.EXACTLY_ONCE, false, 0));
        assertThat(writer.expect(MqttPacket.Pubrec.class).reason()).isEqualTo(ReasonCode.SUCCESS);
    }

    private int port() {
        return broker.listeners().getFirst().address().getPort();
    }

    private TestClient connect(String clientId, long expiry) throws IOException {
        return TestClient.connect(port(), ProtocolVersion.MQTT_5, clientId, expiry);
    }

    private static void subscribe(TestClient client, String filter) throws IOException {
        assertThat(TestTalk.subscribe(client, filter, QoS.EXACTLY_ONCE).isError())
                .isFalse();
    }

    private static RuleSet set(String group, Set<String> listeners, Rule... rules) {
        return new RuleSet(group, audience(group, listeners), List.of(rules));
    }

    private static Audience audience(String group, Set<String> listeners) {
        return new Audience(Set.of(group), Set.of(), List.of(), listeners, List.of());
    }

    private static Rule allow(String topic, QoS maxQos) {
        return new Rule(Effect.ALLOW, Action.ALL, TopicPattern.parse(topic), maxQos, Retain.ANY);
    }
}
