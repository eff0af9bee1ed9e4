package io.tributary.server.blackbox.cluster;

import static io.tributary.broker.blackbox.TestTalk.assertNothingMoreComes;
import static io.tributary.broker.blackbox.TestTalk.publish;
import static io.tributary.broker.blackbox.TestTalk.subscribe;
import static io.tributary.broker.blackbox.TestTalk.take;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.server.blackbox.BrokerExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients of two tenants and of none, with the same identifiers and topics, at two nodes. The user name is the
 * tenant's.
 */
@ExtendWith(BrokerExtension.class)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class TenantsInAClusterTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String TOKEN = "c0ffee00d15ea5e0c0ffee00d15ea5e0c0ffee00d15ea5e0c0ffee00d15ea5e0";
    private static final String COMMANDS = "commands";
    private static final List<String> ALL = List.of("acme", "beta", "none");
    private static final long FOR_LONG = 600;

    private static TestCluster cluster;

    private final List<TestClient> clients = new ArrayList<>();

    @BeforeAll
    static void start() throws Exception {
        Path folder = Scratch.folder("tenants-in-a-cluster");
        Files.createDirectories(folder);
        String digest =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(TOKEN.getBytes(UTF_8)));
        Path users = Files.writeString(folder.resolve("users.yaml"), """
                users:
                  acme: {tokens: ["DIGEST"], tenant: acme}
                  beta: {tokens: ["DIGEST"], tenant: beta}
                """.replace("DIGEST", digest));
        Files.setPosixFilePermissions(users, PosixFilePermissions.fromString("rw-------"));
        cluster = TestCluster.in(folder)
                .nodes(2)
                .topic(COMMANDS, 1)
                .setting("--tributary.listeners.tcp.authentication=people")
                .setting("--tributary.security.authenticators.people.kind=file")
                .setting("--tributary.security.authenticators.people.file=" + users)
                .setting("--tributary.security.anonymous=always")
                .setting("--tributary.applications.rules[0].client-id=app-*")
                .setting("--tributary.applications.rules[0].kind=application")
                .setting("--tributary.applications.rules[1].client-id=small-*")
                .setting("--tributary.applications.rules[1].kind=application")
                .setting("--tributary.applications.rules[1].topic=shared")
                .setting("--tributary.ingest.topics=" + COMMANDS)
                .start();
        cluster.awaitShardsSpread(PATIENCE);
        new Probe(cluster).await(List.copyOf(cluster.nodes()), PATIENCE);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void closeClients() {
        clients.forEach(TestClient::close);
    }

    @ParameterizedTest
    @ValueSource(strings = {"#", "+/live", "tenants/live", "$share/g/#", "$share/g/tenants/+"})
    void messageGoesToTheTenantsClientsAtBothNodes(String filter) throws IOException {
        List<TestClient> readers = new ArrayList<>();
        for (String tenant : ALL) {
            TestClient reader = connect("n2", tenant, "live", 0);
            assertThat(subscribe(reader, filter)).isEqualTo(ReasonCode.GRANTED_QOS_1);
            readers.add(reader);
        }
        for (String tenant : ALL) {
            publish(connect("n1", tenant, "writer", 0), "tenants/live", tenant, false);
        }
        for (int i = 0; i < ALL.size(); i++) {
            assertThat(take(readers.get(i))).isEqualTo("tenants/live: " + ALL.get(i));
            assertNothingMoreComes(readers.get(i));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"away", "app-away", "small-away"})
    void queuedMessagesFollowTheClientToAnotherNode(String clientId) throws IOException {
        for (String tenant : ALL) {
            TestClient reader = connect("n2", tenant, clientId, FOR_LONG);
            assertThat(subscribe(reader, "tenants/queued")).isEqualTo(ReasonCode.GRANTED_QOS_1);
            reader.disconnect(-1);
        }
        for (String tenant : ALL) {
            publish(connect("n1", tenant, "writer", 0), "tenants/queued", tenant, false);
        }
        for (String tenant : ALL) {
            TestClient reader = connect("n1", tenant, clientId, FOR_LONG);
            assertThat(take(reader)).isEqualTo("tenants/queued: " + tenant);
            assertNothingMoreComes(reader);
            reader.disconnect(0);
        }
    }

    @Test
    void groupOfApplicationsIsTheTenantsOwn() throws IOException {
        List<TestClient> members = new ArrayList<>();
        for (String tenant : ALL) {
            TestClient member = connect("n2", tenant, "app-member", FOR_LONG);
            assertThat(subscribe(member, "$share/workers/tenants/jobs")).isEqualTo(ReasonCode.GRANTED_QOS_1);
            members.add(member);
        }
        for (String tenant : ALL) {
            publish(connect("n1", tenant, "writer", 0), "tenants/jobs", tenant, false);
        }
        for (int i = 0; i < ALL.size(); i++) {
            assertThat(take(members.get(i))).isEqualTo("tenants/jobs: " + ALL.get(i));
            assertNothingMoreComes(members.get(i));
        }
        try (KafkaRecords records = new KafkaRecords(cluster.kafka().bootstrapServers())) {
            assertThat(records.written())
                    .containsKeys(
                            "tributary.app.acme_-app-member",
                            "tributary.app.app-member",
                            "tributary.group.acme_-workers_2ftenants_2fjobs",
                            "tributary.group.workers_2ftenants_2fjobs");
        }
    }

    @Test
    void retainedMessageIsTheTenantsOwnAtTheOtherNode() throws IOException {
        for (String tenant : List.of("acme", "none")) {
            publish(connect("n1", tenant, "writer", 0), "tenants/kept", tenant, true);
        }
        for (String tenant : List.of("acme", "none")) {
            TestClient reader = connect("n2", tenant, "kept", 0);
            assertThat(subscribe(reader, "tenants/+")).isEqualTo(ReasonCode.GRANTED_QOS_1);
            assertThat(take(reader)).isEqualTo("tenants/kept: " + tenant);
            assertNothingMoreComes(reader);
        }
        TestClient reader = connect("n2", "beta", "kept", 0);
        assertThat(subscribe(reader, "#")).isEqualTo(ReasonCode.GRANTED_QOS_1);
        assertNothingMoreComes(reader);
        for (String tenant : List.of("acme", "none")) {
            publish(connect("n1", tenant, "writer", 0), "tenants/kept", "", true);
        }
    }

    @Test
    void takeoverAtAnotherNodeIsWithinTheTenantAlone() throws IOException {
        TestClient there = connect("n1", "beta", "moves", FOR_LONG);
        TestClient none = connect("n1", "none", "moves", FOR_LONG);
        TestClient here = connect("n1", "acme", "moves", FOR_LONG);
        TestClient moved = connect("n2", "acme", "moves", FOR_LONG);

        assertThat(here.awaitClose())
                .isInstanceOfSatisfying(
                        Disconnect.class, last -> assertThat(last.reason()).isEqualTo(ReasonCode.SESSION_TAKEN_OVER));
        for (TestClient each : List.of(there, none, moved)) {
            assertNothingMoreComes(each);
            each.disconnect(0);
        }
    }

    @Test
    void recordOfABackEndGoesToTheTenantThatItNames() throws Exception {
        List<TestClient> readers = new ArrayList<>();
        for (String tenant : ALL) {
            TestClient reader = connect("n2", tenant, "commanded", 0);
            assertThat(subscribe(reader, "tenants/command")).isEqualTo(ReasonCode.GRANTED_QOS_1);
            readers.add(reader);
        }
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, cluster.kafka().bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            for (String tenant : ALL) {
                ProducerRecord<String, String> record = new ProducerRecord<>(COMMANDS, "tenants/command", tenant);
                if (!tenant.equals("none")) {
                    record.headers().add("mqtt.tenant", tenant.getBytes(UTF_8));
                }
                producer.send(record).get();
            }
        }
        for (int i = 0; i < ALL.size(); i++) {
            assertThat(take(readers.get(i))).isEqualTo("tenants/command: " + ALL.get(i));
            assertNothingMoreComes(readers.get(i));
        }
    }

    /** Whatever the publisher says in user properties, which are headers in the record. */
    @Test
    void recordThatABackEndCopiesStaysInItsTenant() throws Exception {
        List<String> liars = List.of("beta", "none");
        for (String tenant : liars) {
            TestClient application = connect("n1", tenant, "app-copied", FOR_LONG);
            assertThat(subscribe(application, "tenants/copied")).isEqualTo(ReasonCode.GRANTED_QOS_1);
            application.disconnect(-1);
            TestClient liar = connect("n1", tenant, "liar", 0);
            liar.send(withUserProperty("tenants/copied", tenant, new UserProperty("mqtt.tenant", "acme")));
            assertThat(liar.expect(Puback.class).reason().isError()).isFalse();
        }
        List<TestClient> readers = new ArrayList<>();
        for (String tenant : ALL) {
            TestClient reader = connect("n2", tenant, "copied", 0);
            assertThat(subscribe(reader, "tenants/copied")).isEqualTo(ReasonCode.GRANTED_QOS_1);
            readers.add(reader);
        }
        try (KafkaRecords records = new KafkaRecords(cluster.kafka().bootstrapServers());
                KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                        Map.of(
                                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                                cluster.kafka().bootstrapServers()),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            for (String topic : List.of("tributary.app.beta_-app-copied", "tributary.app.app-copied")) {
                await().atMost(PATIENCE).until(() -> records.written().getOrDefault(topic, 0L) > 0);
                ConsumerRecord<byte[], byte[]> record = records.records(topic).getFirst();
                producer.send(new ProducerRecord<>(COMMANDS, 0, record.key(), record.value(), record.headers()))
                        .get();
            }
        }
        for (String tenant : liars) {
            assertThat(take(readers.get(ALL.indexOf(tenant)))).isEqualTo("tenants/copied: " + tenant);
        }
        for (TestClient reader : readers) {
            assertNothingMoreComes(reader);
        }
    }

    private static Publish withUserProperty(String topic, String payload, UserProperty property) {
        return new Publish(
                topic,
                payload.getBytes(UTF_8),
                QoS.AT_LEAST_ONCE,
                false,
                false,
                1,
                0,
                MqttPacket.ABSENT,
                new PublishProperties(null, null, null, null, List.of(property)),
                List.of());
    }

    private TestClient connect(String node, String tenant, String clientId, long expiry) throws IOException {
        TestClient client = TestClient.open(cluster.node(node).tcpPort(), ProtocolVersion.MQTT_5);
        clients.add(client);
        boolean isOne = !tenant.equals("none");
        client.connect(new Connect(
                ProtocolVersion.MQTT_5,
                expiry == 0,
                0,
                clientId,
                null,
                isOne ? tenant : null,
                isOne ? TOKEN.getBytes(UTF_8) : null,
                ConnectProperties.defaults(expiry)));
        return client;
    }
}
