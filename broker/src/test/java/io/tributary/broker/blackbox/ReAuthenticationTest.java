package io.tributary.broker.blackbox;

import static io.tributary.broker.blackbox.TestTalk.packet;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.EnhancedAuthenticator;
import io.tributary.broker.security.rules.Audience;
import io.tributary.broker.security.rules.OwnRules;
import io.tributary.broker.security.rules.Rule;
import io.tributary.broker.security.rules.Rule.Action;
import io.tributary.broker.security.rules.Rule.Effect;
import io.tributary.broker.security.rules.RuleSet;
import io.tributary.broker.security.rules.Rules;
import io.tributary.broker.security.rules.TopicPattern;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Auth;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
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
import io.tributary.common.mqtt.Will;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that authenticates again has the groups, rules and attributes that it is given then. */
class ReAuthenticationTest {
    private static final String METHOD = "SAYS-WHO";
    private static final long FOR_LONG = 3_600;

    private final Rules rules = new Rules(List.of(
            set(Set.of("writer"), "#"),
            set(Set.of("reader"), "news/#"),
            set(Set.of("sites"), "sites/${claim.site}/#")));

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
                        .authenticator((client, _) -> Authenticator.answer(new Accepted()))
                        .enhancedAuthenticator(new SaysWho())
                        .authorizer(rules)
                        .build(),
                new BrokerMetrics(new SimpleMeterRegistry()));
        writer = connect("writer", "writer;;;", 0);
    }

    @AfterEach
    void stop() {
        writer.close();
        broker.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, FOR_LONG})
    void subscriptionBringsWhatTheNewGroupsMayHave(long expiry) throws IOException {
        try (TestClient client = connect("c", "reader;;;", expiry)) {
            assertThat(subscribe(client, "news/#")).isEqualTo(ReasonCode.GRANTED_QOS_1);
            publish(writer, "news/1");
            assertThat(received(client)).isEqualTo("news/1");
            again(client, "other;;;");
            assertThat(publish(writer, "news/2")).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
            assertThat(publish(client, "news/3")).isEqualTo(ReasonCode.NOT_AUTHORIZED);
            assertThat(subscribe(client, "news/4")).isEqualTo(ReasonCode.NOT_AUTHORIZED);
            again(client, "reader;;;");
            assertThat(publish(writer, "news/5")).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS); // it was removed
            assertThat(subscribe(client, "news/#")).isEqualTo(ReasonCode.GRANTED_QOS_1);
            publish(writer, "news/5");
            assertThat(received(client)).isEqualTo("news/5");
            assertThat(publish(client, "news/6")).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS); // but itself
        }
    }

    /** It is judged by what it had last. */
    @Test
    void sessionThatIsAwayHasTheNewGroups() throws IOException {
        try (TestClient client = connect("c", "other;;;", FOR_LONG)) {
            again(client, "reader;;;");
            assertThat(subscribe(client, "news/#")).isEqualTo(ReasonCode.GRANTED_QOS_1);
            client.disconnect(-1);
        }
        publish(writer, "news/1");
        try (TestClient client = connect("c", "reader;;;", FOR_LONG)) {
            assertThat(received(client)).isEqualTo("news/1");
        }
    }

    @Test
    void newAttributesAndRulesOfItsOwnDecide() throws IOException {
        try (TestClient client = connect("c", "sites;;7;", 0)) {
            assertThat(publish(client, "sites/7/x")).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
            assertThat(publish(client, "sites/8/x")).isEqualTo(ReasonCode.NOT_AUTHORIZED);
            assertThat(publish(client, "own/x")).isEqualTo(ReasonCode.NOT_AUTHORIZED);
            again(client, "sites;;8;own/#");
            assertThat(publish(client, "sites/7/x")).isEqualTo(ReasonCode.NOT_AUTHORIZED);
            assertThat(publish(client, "sites/8/x")).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
            assertThat(publish(client, "own/x")).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
        }
    }

    @Test
    void willIsPublishedOnlyWhereTheNewGroupsAllowIt() throws IOException {
        assertThat(subscribe(writer, "news/#")).isEqualTo(ReasonCode.GRANTED_QOS_1);
        try (TestClient loses = connect("loses", "reader;;;", 0, will("news/lost"))) {
            again(loses, "other;;;");
        }
        try (TestClient keeps = connect("keeps", "reader;;;", 0, will("news/kept"))) {
            again(keeps, "reader;;7;");
        }
        assertThat(received(writer)).isEqualTo("news/kept");
        assertThat(writer.poll(Duration.ofMillis(300))).isNull();
    }

    private static Will will(String topic) {
        return new Will(
                new Message(
                        topic,
                        new byte[] {1},
                        QoS.AT_LEAST_ONCE,
                        false,
                        PublishProperties.NONE,
                        Message.NEVER,
                        "loses"),
                0,
                MqttPacket.ABSENT);
    }

    @Test
    void connectionEndsWhenTheTenantIsAnother() throws IOException {
        try (TestClient client = connect("c", "reader;acme;;", 0)) {
            again(client, "other;acme;;");
            client.send(auth("other;else;;"));
            assertThat(client.expect(Disconnect.class).reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        }
    }

    private TestClient connect(String clientId, String who, long expiry) throws IOException {
        return connect(clientId, who, expiry, null);
    }

    private TestClient connect(String clientId, String who, long expiry, @Nullable Will will) throws IOException {
        int port = broker.listeners().getFirst().address().getPort();
        TestClient client = TestClient.open(port, ProtocolVersion.MQTT_5);
        client.connect(new Connect(
                ProtocolVersion.MQTT_5,
                false,
                0,
                clientId,
                will,
                null,
                null,
                new ConnectProperties(
                        expiry,
                        100,
                        ConnectProperties.LARGEST_PACKET,
                        0,
                        false,
                        true,
                        METHOD,
                        who.getBytes(UTF_8),
                        List.of())));
        return client;
    }

    private static void again(TestClient client, String who) throws IOException {
        client.send(auth(who));
        assertThat(client.expect(Auth.class).reason()).isEqualTo(ReasonCode.SUCCESS);
    }

    private static Auth auth(String who) {
        return new Auth(ReasonCode.RE_AUTHENTICATE, METHOD, who.getBytes(UTF_8), null, List.of());
    }

    private static ReasonCode subscribe(TestClient client, String filter) throws IOException {
        Subscription asked = new Subscription(filter, QoS.AT_LEAST_ONCE, true, false, RetainHandling.SEND);
        client.send(new Subscribe(1, List.of(asked), 0, List.of()));
        return client.expect(Suback.class).reasons().getFirst();
    }

    private static ReasonCode publish(TestClient client, String topic) throws IOException {
        client.send(packet(topic, "x", false, 0));
        return client.expect(Puback.class).reason();
    }

    private static String received(TestClient client) throws IOException {
        Publish message = client.await(Publish.class, Duration.ofSeconds(20));
        client.send(new Puback(message.packetId(), ReasonCode.SUCCESS, null, List.of()));
        return message.topic();
    }

    private static RuleSet set(Set<String> groups, String topic) {
        return new RuleSet(
                String.join("-", groups),
                new Audience(groups, Set.of(), List.of(), Set.of(), List.of()),
                List.of(new Rule(Effect.ALLOW, Action.ALL, TopicPattern.parse(topic))));
    }

    /** Believes clients: {@code GROUP;TENANT;SITE;FILTER}, the last of which a rule of its own allows. */
    private static final class SaysWho implements EnhancedAuthenticator {
        @Override
        public String method() {
            return METHOD;
        }

        @Override
        public Exchange begin(ClientInfo client) {
            return data -> {
                String[] says = new String(data == null ? new byte[0] : data, UTF_8).split(";", -1);
                String own = says[3].isEmpty()
                        ? ""
                        : OwnRules.text(List.of(new Rule(Effect.ALLOW, Action.ALL, TopicPattern.parse(says[3]))));
                String tenant = says[1].isEmpty() ? null : says[1];
                Principal who = new Principal("r", client.clientId(), null, tenant, List.of(says[0]), null, own);
                return EnhancedAuthenticator.answer(
                        new Success(null, new Accepted(null, who, null, Map.of("site", says[2]))));
            };
        }
    }
}
