package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.StopConfig;
import io.tributary.cluster.ClusterConfig;
import io.tributary.cluster.ingest.IngestConfig;
import io.tributary.cluster.kafka.ChangingCertificates;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.link.ClusterSecret;
import io.tributary.cluster.link.LinkConfig;
import io.tributary.cluster.node.NodeTableConfig;
import io.tributary.cluster.node.VisibilityConfig;
import io.tributary.cluster.redis.RedisConfig;
import io.tributary.persistence.ingest.IngestOptions;
import io.tributary.server.settings.ServerConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What makes a broker a node of a cluster. */
@DisabledOnOs(OS.WINDOWS)
class ClusterSettingsTest {
    private static final int MIB = 1024 * 1024;

    @TempDir
    Path folder;

    private Path secret = Path.of("");

    @BeforeEach
    void secretFile() throws Exception {
        secret = secretFile("secret", "0123456789abcdef");
    }

    @Test
    void littleIsNeeded() {
        ServerConfig settings = Applications.serverConfig(arguments("--tributary.node-name=n1"));
        ClusterConfig config = Objects.requireNonNull(settings.cluster());
        assertThat(settings.broker().nodeName()).isEqualTo("n1");
        assertThat(config.shards()).isEqualTo(ClusterConfig.DEFAULT_SHARDS);
        assertThat(config.retention()).isEqualTo(Duration.ofDays(7));
        assertThat(config.advertisedHost()).isNull();
        assertThat(config.advertisedPort()).isZero();
        assertThat(config.nodes()).isEqualTo(NodeTableConfig.DEFAULT);
        assertThat(config.visibility()).isEqualTo(VisibilityConfig.DEFAULT);
    }

    @Test
    void defaultsAreThoseOfTheCore() {
        ClusterConfig config = config();
        KafkaConfig.Appends appends = KafkaConfig.Appends.defaults().withMaxRecordBytes(largestRecord(config));
        assertThat(config.kafka())
                .isEqualTo(KafkaConfig.defaults("k1:9092,k2:9092").withAppends(appends));
        assertThat(config.redis())
                .isEqualTo(
                        RedisConfig.of(List.of(new RedisConfig.Node("r1", 6379), new RedisConfig.Node("::1", 6380))));
        assertThat(config.link())
                .usingRecursiveComparison()
                .ignoringFieldsOfTypes(ClusterSecret.class)
                .isEqualTo(LinkConfig.defaults("tributary", ClusterSecret.of("0123456789abcdef"), "127.0.0.1", 7883));
    }

    @Test
    void recordsOfBackEndsAreReadWhenTopicsAreNamed() {
        assertThat(config().ingest()).isNull();
        assertThat(config(
                                "--tributary.ingest.topics=commands, more.commands",
                                "--tributary.ingest.dead-letters=dead",
                                "--tributary.ingest.publisher=back-end",
                                "--tributary.ingest.max-size=1MB")
                        .ingest())
                .isEqualTo(new IngestConfig(
                        "back-end", new IngestOptions(List.of("commands", "more.commands"), "dead", 1_000, 1 << 20)));
    }

    @Test
    void nameOfTheHostIsThatOfANodeWithoutOne() {
        assertThat(Applications.config(arguments()).nodeName())
                .isNotEmpty()
                .isNotEqualTo("tributary")
                .doesNotStartWith("localhost");
    }

    /** A node keeps nothing in its data folder, which need not exist: its disk would seem to be full. */
    @Test
    void diskMetricsAreOfTheWorkingDirectory() {
        assertThat(Applications.property(
                        "management.metrics.system.diskspace.paths[0]", arguments("--tributary.node-name=n1")))
                .isEqualTo(Path.of("").toAbsolutePath().toString());
    }

    private static int largestRecord(ClusterConfig config) {
        return 2 * MIB + 512 * 1024 + 24 * config.shards();
    }

    @Test
    void largestPacketOfAnyListenerFits() {
        ClusterConfig config = config("--tributary.listeners.ws.limits.packets.max-size=4MB");
        assertThat(config.kafka().appends().maxRecordBytes()).isEqualTo(4 * MIB + 512 * 1024 + config.shards() * 24);
    }

    @Test
    void nameOfTheClusterIsThatOfItsTopics() {
        assertThat(config("--tributary.cluster.id=plant").kafka().topicPrefix()).isEqualTo("plant");
        ClusterConfig own = config("--tributary.cluster.id=plant", "--tributary.cluster.kafka.topic-prefix=mqtt");
        assertThat(own.kafka().topicPrefix()).isEqualTo("mqtt");
        assertThat(own.link().clusterId()).isEqualTo("plant");
    }

    @Test
    void everythingElseOfKafkaCanBeSet() {
        KafkaConfig kafka = config(
                        "--tributary.cluster.kafka.replication-factor=1",
                        "--tributary.cluster.kafka.start-timeout=5s",
                        "--tributary.cluster.kafka.client-properties.request.timeout.ms=4000",
                        "--tributary.cluster.kafka.linger=5ms",
                        "--tributary.cluster.kafka.batch-size=32KB",
                        "--tributary.cluster.kafka.buffer-size=64MB",
                        "--tributary.cluster.kafka.compression=lz4",
                        "--tributary.cluster.kafka.close-timeout=3s",
                        "--tributary.cluster.kafka.group-protocol=consumer",
                        "--tributary.cluster.kafka.session-timeout=9s",
                        "--tributary.cluster.kafka.heartbeat-interval=3s",
                        "--tributary.cluster.kafka.fetch-wait=50ms",
                        "--tributary.cluster.kafka.max-poll-records=10",
                        "--tributary.cluster.kafka.fetch-size=8MB",
                        "--tributary.cluster.kafka.shard-fetch-size=2MB",
                        "--tributary.cluster.kafka.rack=west",
                        "--tributary.cluster.kafka.create-missing-topics=true",
                        "--tributary.cluster.kafka.accept-shards-topic=abc")
                .kafka();
        assertThat(kafka)
                .isEqualTo(new KafkaConfig(
                        "k1:9092,k2:9092",
                        "tributary",
                        1,
                        Map.of("request.timeout.ms", "4000"),
                        new KafkaConfig.Appends(
                                Duration.ofMillis(5),
                                32 * 1024,
                                64L * MIB,
                                largestRecord(config()),
                                KafkaConfig.Compression.LZ4,
                                Duration.ofSeconds(3)),
                        new KafkaConfig.Reading(
                                KafkaConfig.GroupProtocol.CONSUMER,
                                Duration.ofSeconds(9),
                                Duration.ofSeconds(3),
                                Duration.ofMillis(50),
                                10,
                                8 * MIB,
                                2 * MIB,
                                "west"),
                        Duration.ofSeconds(5),
                        new KafkaConfig.Topics(true, "abc"),
                        KafkaConfig.Generation.FIRST));
    }

    @Test
    void passwordOfKafkaComesFromItsFile() throws Exception {
        Path password = secretFile("password", "quo\"te\\d");
        Path authorities = Files.writeString(folder.resolve("ca.pem"), "");
        KafkaConfig kafka = config(
                        "--tributary.cluster.kafka.sasl.mechanism=SCRAM-SHA-512",
                        "--tributary.cluster.kafka.sasl.username=broker",
                        "--tributary.cluster.kafka.sasl.password-file=" + password,
                        "--tributary.cluster.kafka.tls.enabled=true",
                        "--tributary.cluster.kafka.tls.certificates=" + authorities)
                .kafka();
        assertThat(kafka.clientProperties())
                .containsOnly(
                        Map.entry("security.protocol", "SASL_SSL"),
                        Map.entry("sasl.mechanism", "SCRAM-SHA-512"),
                        Map.entry(
                                "sasl.jaas.config",
                                "org.apache.kafka.common.security.scram.ScramLoginModule required"
                                        + " username=\"broker\" passwordFile=\"" + password + "\";"),
                        Map.entry(
                                "sasl.client.callback.handler.class",
                                "io.tributary.cluster.kafka.PasswordFileCallbacks"),
                        Map.entry("ssl.truststore.type", "PEM"),
                        Map.entry("ssl.truststore.location", authorities.toString()),
                        Map.entry("ssl.engine.factory.class", ChangingCertificates.class.getName()),
                        Map.entry("ssl.endpoint.identification.algorithm", "https"));
        assertThat(kafka.toString()).doesNotContain("quo");
    }

    @Test
    void everythingOfRedisCanBeSet() throws Exception {
        Path password = secretFile("password", "of redis");
        Path authorities = Files.writeString(folder.resolve("ca.pem"), "");
        RedisConfig redis = config(
                        "--tributary.cluster.redis.username=broker",
                        "--tributary.cluster.redis.password-file=" + password,
                        "--tributary.cluster.redis.tls.enabled=true",
                        "--tributary.cluster.redis.tls.certificates=" + authorities,
                        "--tributary.cluster.redis.tls.verify-host=false",
                        "--tributary.cluster.redis.command-timeout=2s",
                        "--tributary.cluster.redis.request-queue-size=2000",
                        "--tributary.cluster.redis.concurrent-reads=16",
                        "--tributary.cluster.redis.inline-size=1KB",
                        "--tributary.cluster.redis.topology-refresh=10s")
                .redis();
        RedisConfig.Credentials credentials = Objects.requireNonNull(redis.credentials());
        assertThat(credentials.password().get()).isEqualTo("of redis");
        Files.writeString(password, "changed");
        assertThat(credentials.password().get()).isEqualTo("changed");
        Files.writeString(password, "changed\nfor the worse");
        assertThat(credentials.password().get()).isEqualTo("changed");
        assertThat(redis)
                .isEqualTo(new RedisConfig(
                        List.of(new RedisConfig.Node("r1", 6379), new RedisConfig.Node("::1", 6380)),
                        new RedisConfig.Credentials("broker", credentials.password()),
                        new RedisConfig.Tls(authorities, false),
                        Duration.ofSeconds(2),
                        2000,
                        16,
                        1024,
                        Duration.ofSeconds(10)));
        assertThat(redis.toString()).doesNotContain("of redis");
    }

    @Test
    void nodeTellsOthersAnotherAddressThanItListensAt() {
        ClusterConfig config = config(
                "--tributary.cluster.link.host=0.0.0.0",
                "--tributary.cluster.link.port=7000",
                "--tributary.cluster.link.advertised-host=n1.example",
                "--tributary.cluster.link.advertised-port=7001",
                "--tributary.cluster.link.event-loops=3",
                "--tributary.cluster.link.outbound-size=8MB");
        assertThat(config.link().host()).isEqualTo("0.0.0.0");
        assertThat(config.link().port()).isEqualTo(7000);
        assertThat(config.advertisedHost()).isEqualTo("n1.example");
        assertThat(config.advertisedPort()).isEqualTo(7001);
        assertThat(config.link().eventLoops()).isEqualTo(3);
        assertThat(config.link().outboundBytes()).isEqualTo(8L * MIB);
    }

    @Test
    void clientsCanBeSentAwaySlowlyAndElsewhere() {
        assertThat(Applications.config().stop()).isEqualTo(StopConfig.DEFAULT);
        assertThat(Applications.config(
                                "--tributary.stop.drain-rate=50", "--tributary.stop.server-reference=b.example:1883")
                        .stop())
                .isEqualTo(new StopConfig(50, Duration.ofSeconds(10), "b.example:1883"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            id=a b                       | id: 'a b' is not 1 to 100 letters, digits, '.', '_', '-'
            shards=16385                 | shards: '16385' is not within 1 to 16384
            retention=soon               | retention: 'soon' is not a duration, such as 500ms, 10s or 5m
            kafka.bootstrap-servers=k1   | kafka: bootstrap servers k1: must be host:port,host:port
            kafka.replication-factor=0   | kafka.replication-factor: '0' is not within 1 to 32767
            kafka.compression=zstd       | kafka.compression: 'zstd' is not one of none, lz4
            kafka.batch-size=8MB         | kafka.batch-size: '8MB' is more than 2622016B, which is the largest packet and what goes with it: topics would not take such a batch
            kafka.heartbeat-interval=3s  | kafka.heartbeat-interval: '3s' is more than a third of session-timeout, which is 6s
            kafka.shard-fetch-size=32MB  | kafka.shard-fetch-size: '32MB' is more than fetch-size, which is 16MB
            kafka.client-properties.acks=1 | kafka: client property acks cannot be set: nothing is acknowledged before all in-sync copies have it
            kafka.sasl.username=a        | kafka.sasl.mechanism: is missing; with the other settings of SASL it must be one of plain, scram-sha-256, scram-sha-512
            kafka.sasl.mechanism=plain   | kafka.sasl.username: is missing; with the other settings of SASL it must be the user
            kafka.tls.certificates=ca    | kafka.tls.certificates: 'ca' has no effect without tributary.cluster.kafka.tls.enabled=true
            redis.nodes=r1               | redis.nodes: 'r1' is not host:port; it must be some nodes of the Redis Cluster, host:port,host:port
            redis.nodes=r1:70000         | redis.nodes: port: 70000 is not within 1 to 65535
            redis.nodes=                 | redis.nodes: is missing; it must be some nodes of the Redis Cluster, host:port,host:port
            redis.username=broker        | redis.password-file: is missing; with a user it must be the file with its password
            redis.password-file=nowhere  | redis.password-file: there is no file 'nowhere'
            redis.concurrent-reads=10000 | redis: request-queue-size: 10000 must be more than concurrent-reads, so that save points are not kept out by reads
            redis.tls.verify-host=false  | redis.tls.verify-host: 'false' has no effect without tributary.cluster.redis.tls.enabled=true
            link.host=                   | link.host: is missing; it must be an address of this machine at which the other nodes reach this one (127.0.0.1 where all are on one machine)
            link.host=0.0.0.0            | link.advertised-host: is missing; with host=0.0.0.0 it must be the host at which the other nodes reach this one
            link.secret-file=            | link.secret-file: is missing; it must be a file with the secret that all nodes of the cluster have, made for instance with openssl rand -base64 32
            nodes.silence=500ms          | nodes.silence: '500ms' is less than three times heartbeat, which is 250ms
            nodes.suspicion=500ms        | nodes.suspicion: '500ms' is less than three times heartbeat, which is 250ms, or more than silence, which is 5s
            nodes.suspicion=6s           | nodes.suspicion: '6s' is less than three times heartbeat, which is 250ms, or more than silence, which is 5s
            nodes.late=5s                | nodes.late: '5s' and heartbeat, 250ms, are together not less than silence, which is 5s
            nodes.watch=400ms            | nodes.watch: '400ms' is less than twice heartbeat, which is 250ms
            nodes.isolation=4s           | nodes.isolation: '4s' is less than silence, which is 5s
            visibility.behind=500ms      | visibility.behind: '500ms' is more than 0.4 of leave-out, which is 1s
            """)
    void wrongValueIsNamedWithWhatIsAllowed(String setting, String words) {
        assertThat(Applications.failure(arguments("--tributary.cluster." + setting)))
                .isEqualTo("tributary.cluster." + words);
    }

    @Test
    void packetsThatNoRecordTakesAreRefused() {
        assertThat(Applications.failure(arguments("--tributary.listeners.tcp.limits.packets.max-size=256MB")))
                .isEqualTo(
                        "tributary.listeners.tcp.limits.packets.max-size: in a cluster, packets and CONNECTs may have at"
                                + " most 254MB");
    }

    @Test
    void securityThatIsGivenTwiceIsRefused() {
        assertThat(Applications.failure(arguments(
                        "--tributary.cluster.kafka.tls.enabled=true",
                        "--tributary.cluster.kafka.client-properties.security.protocol=SSL")))
                .startsWith("tributary.cluster.kafka.client-properties.security.protocol: comes from ");
    }

    @Test
    void secretThatOthersCanReadIsRefused() throws Exception {
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(Applications.failure(arguments()))
                .isEqualTo("tributary.cluster.link.secret-file: '" + secret
                        + "' can be read or changed by everybody on this machine; use chmod o= on it");
    }

    @Test
    void shortSecretIsRefusedAndNotShown() throws Exception {
        Files.writeString(secret, "guess me\n");
        assertThat(Applications.failure(arguments()))
                .isEqualTo("tributary.cluster.link.secret-file: the cluster secret has 8 bytes: must have at least 16");
        Files.writeString(secret, "0123456789abcdef\nplease");
        assertThat(Applications.failure(arguments()))
                .isEqualTo("tributary.cluster.link.secret-file: the cluster secret has 6 bytes: must have at least 16");
        Files.writeString(secret, "0123456789abcdef\n".repeat(3));
        assertThat(Applications.failure(arguments()))
                .isEqualTo("tributary.cluster.link.secret-file: '" + secret
                        + "' must have one line or two, and nothing but text in it");
    }

    @Test
    void settingsOfTheOtherModeAreRefused() {
        assertThat(Applications.failure(arguments("--tributary.storage.sync=os")))
                .isEqualTo("tributary.storage.sync: has no effect without tributary.mode=standalone");
    }

    @Test
    void startSaysWhereTheClusterIsAndNoSecrets() throws Exception {
        Path password = secretFile("password", "of redis");
        ClusterConfig config = config(
                "--tributary.cluster.redis.password-file=" + password,
                "--tributary.cluster.kafka.client-properties.sasl.jaas.config=of kafka");
        assertThat(StartReport.clusterLines(config, 41_883))
                .containsExactly(
                        "cluster 'tributary', 24 shards, logs kept for 7d",
                        "Kafka at k1:9092,k2:9092 (topics tributary.*, 3 copies)",
                        "Redis Cluster at r1:6379,[::1]:6380",
                        "links to other nodes at 127.0.0.1, port 41883");
        assertThat(List.of(config.kafka(), config.redis(), config.link()).toString())
                .doesNotContain("of redis", "of kafka", "0123456789abcdef");
    }

    @Test
    void nameThatIsNoNodesIsRefused() {
        assertThat(Applications.failure(arguments("--tributary.node-name=a#b"))).startsWith("tributary.node-name: ");
    }

    private ClusterConfig config(String... more) {
        return Objects.requireNonNull(Applications.serverConfig(arguments(more)).cluster());
    }

    /** Those of a node to which nothing is missing, where these do not say otherwise. */
    private String[] arguments(String... more) {
        Map<String, String> needed = Map.of(
                "--tributary.mode=", "cluster",
                "--tributary.cluster.kafka.bootstrap-servers=", "k1:9092,k2:9092",
                "--tributary.cluster.redis.nodes=", "r1:6379, [::1]:6380",
                "--tributary.cluster.link.host=", "127.0.0.1",
                "--tributary.cluster.link.secret-file=", secret.toString());
        List<String> arguments = new ArrayList<>(List.of(more));
        needed.forEach((name, value) -> {
            if (List.of(more).stream().noneMatch(argument -> argument.startsWith(name))) {
                arguments.add(name + value);
            }
        });
        return arguments.toArray(String[]::new);
    }

    private Path secretFile(String name, String text) throws Exception {
        Path file = Files.createFile(
                folder.resolve(name),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----")));
        return Files.writeString(file, text + "\n");
    }
}
