package io.tributary.cluster.kafka;

import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.cluster.kafka.map.KafkaMaps;
import io.tributary.cluster.kafka.map.KafkaReplicatedMap;
import io.tributary.cluster.kafka.shard.ResumingReader;
import io.tributary.localcluster.AdminUser;
import io.tributary.localcluster.LocalAuthority;
import io.tributary.localcluster.LocalKafka;
import io.tributary.persistence.contract.RecordingReader;
import io.tributary.persistence.replicated.Visibility;
import io.tributary.persistence.shard.AppendCallback;
import io.tributary.persistence.shard.ShardLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Kafka that takes nobody without TLS and a password (SCRAM), and a user with the rights that the documentation says.
 */
class SecuredKafkaTest {
    private static final AdminUser ADMIN = new AdminUser("admin", "wonder\"ful\\");
    private static final String PREFIX = "secured";
    private static final String PASSWORD = "enough of this";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static LocalAuthority authority;

    @SuppressWarnings("NullAway.Init")
    private static LocalKafka kafka;

    @SuppressWarnings("NullAway.Init")
    private static KafkaConfig config;

    @BeforeAll
    static void start() {
        authority = LocalAuthority.in(folder.resolve("authority"));
        kafka = LocalKafka.in(folder).tls(authority).admin(ADMIN).start();
        config = TestKafka.config(kafka, 1)
                .withTopicPrefix(PREFIX)
                .withClientProperties(properties(authority, "tributary", PASSWORD));
        setPassword("tributary", PASSWORD);
        setPassword("stranger", PASSWORD);
        allow();
    }

    @AfterAll
    static void stop() {
        kafka.close();
    }

    @Test
    void logAndMapsWorkWithTheRightsOfTheDocumentation() {
        KafkaTopics.ensure(config, TestKafka.needs("map"));
        KafkaTopics.ensure(config, TestKafka.needs("map"));
        try (ShardLog log = TestKafka.log(config);
                KafkaMaps maps =
                        new KafkaMaps(config, "node", 1, Visibility.ALONE, KafkaRecorder.NONE, failure -> {})) {
            RecordingReader reader = new ResumingReader(log);
            log.start(reader);
            for (String text : List.of("a", "b")) {
                assertThat(log.append(1, text.getBytes(UTF_8), (offset, failure) -> {}))
                        .isTrue();
            }
            until(() -> reader.count(1) == 2);
            assertThat(reader.texts(1)).containsExactly("a", "b");
            log.truncate(1, 1);
            KafkaReplicatedMap map = maps.open("map");
            ConcurrentHashMap<String, Boolean> seen = new ConcurrentHashMap<>();
            get(map.follow((key, _) -> seen.put(key, true)));
            get(map.put("key", new byte[1]));
            get(map.caughtUp());
            assertThat(seen).containsOnlyKeys("key");
        }
    }

    /** As when somebody changes the password, Kafka restarts, and somebody notices. */
    @Test
    void appendsWaitWhenThePasswordDoesNotHoldAnyMoreAndGoOnWhenItDoes() throws InterruptedException {
        KafkaTopics.ensure(config, TestKafka.needs("map"));
        AtomicInteger done = new AtomicInteger();
        AtomicInteger failed = new AtomicInteger();
        AppendCallback callback = (offset, failure) -> (failure == null ? done : failed).incrementAndGet();
        try (ShardLog log = TestKafka.log(config)) {
            assertThat(log.append(2, new byte[1], callback)).isTrue();
            until(() -> done.get() == 1);
            setPassword("tributary", "another one");
            kafka.kill(1);
            boolean isWaiting =
                    log.append(2, new byte[1], callback); // refused if the client begins anew to look for Kafka
            kafka.restart(1);
            assertSentence(config, "SaslAuthenticationException");
            assertThat(done).hasValue(1);
            setPassword("tributary", PASSWORD);
            until(() -> isWaiting || log.append(2, new byte[1], callback));
            until(() -> done.get() == 2);
            assertThat(failed).hasValue(0);
        } finally {
            if (!kafka.isRunning(1)) {
                kafka.restart(1);
            }
            setPassword("tributary", PASSWORD);
        }
    }

    @Test
    void appendsGoOnWhenPasswordAndItsFileAreChanged() throws Exception {
        KafkaTopics.ensure(config, TestKafka.needs("map"));
        Path file = folder.resolve("pass\"word");
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, PASSWORD + "\n");
        Map<String, String> properties = new HashMap<>(config.clientProperties());
        properties.put("sasl.client.callback.handler.class", PasswordFileCallbacks.class.getName());
        properties.put(
                "sasl.jaas.config",
                "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"tributary\" "
                        + PasswordFileCallbacks.FILE + "=\"" + file.toString().replace("\"", "\\\"") + "\";");
        AtomicInteger done = new AtomicInteger();
        AppendCallback callback = (offset, failure) -> done.incrementAndGet();
        try (ShardLog log = TestKafka.log(config.withClientProperties(properties))) {
            assertThat(log.append(3, new byte[1], callback)).isTrue();
            until(() -> done.get() == 1);
            setPassword("tributary", "another one");
            Files.writeString(file, "another one\n");
            kafka.kill(1);
            kafka.restart(1);
            until(() -> log.append(3, new byte[1], callback));
            until(() -> done.get() == 2);
            assertSentence(config, "SaslAuthenticationException");
        } finally {
            if (!kafka.isRunning(1)) {
                kafka.restart(1);
            }
            setPassword("tributary", PASSWORD);
        }
    }

    /** To a new authority: clients trust both, Kafka shows the new one's certificate, clients trust that one alone. */
    @Tag("long")
    @Test
    void appendsGoOnWhenTheAuthorityIsExchanged() throws Exception {
        KafkaTopics.ensure(config, TestKafka.needs("map"));
        LocalAuthority next = LocalAuthority.in(folder.resolve("next"));
        Path shown = authority.serverKey().resolveSibling("server-chain.pem");
        String former = Files.readString(authority.certificates());
        String formerChain = Files.readString(shown);
        Path trusted = Files.writeString(folder.resolve("trusted.pem"), former);
        Path trustedOnce = Files.writeString(folder.resolve("trusted-once.pem"), former);
        AtomicInteger done = new AtomicInteger();
        AppendCallback callback = (offset, failure) -> done.incrementAndGet();
        try (ShardLog log = TestKafka.log(trusting(trusted))) {
            assertThat(log.append(3, new byte[1], callback)).isTrue();
            until(() -> done.get() == 1);
            String both = former + "\n" + Files.readString(next.certificates());
            Files.writeString(trusted, both);
            Files.writeString(authority.certificates(), both);
            Files.copy(next.serverKey().resolveSibling("server-chain.pem"), shown, StandardCopyOption.REPLACE_EXISTING);
            kafka.kill(1);
            kafka.restart(1);
            assertSentence(trusting(trustedOnce), "Its certificate is not trusted");
            until(() -> log.append(3, new byte[1], callback));
            until(() -> done.get() == 2);
            Files.writeString(trusted, "half of a certificate"); // is not used
            kafka.kill(1);
            kafka.restart(1);
            until(() -> log.append(3, new byte[1], callback));
            until(() -> done.get() == 3);
        } finally {
            Files.writeString(authority.certificates(), former);
            Files.writeString(shown, formerChain);
            if (kafka.isRunning(1)) {
                kafka.kill(1);
            }
            kafka.restart(1);
        }
    }

    /** Kafka's own client may give its answer of before until what it knows of the brokers is five minutes old. */
    @Test
    void refusedClientAsksAgainSoonBeforeAnybodyAsksIt() {
        try (Admin admin = KafkaTopics.connect(config.withStartTimeout(Duration.ofSeconds(1)))) {
            until(() -> answers(admin));
            setPassword("tributary", "another one");
            kafka.kill(1);
            kafka.restart(1);
            until(() -> !answers(admin) && refusals(admin) > 0);
            double before = refusals(admin);
            until(() -> refusals(admin) >= before + 3);
            setPassword("tributary", PASSWORD);
            until(() -> answers(admin));
        } finally {
            if (!kafka.isRunning(1)) {
                kafka.restart(1);
            }
            setPassword("tributary", PASSWORD);
        }
    }

    @Test
    void wrongPasswordIsSaid() {
        KafkaConfig guessing = config.withClientProperties(properties(authority, "tributary", "guessed"));
        String words = "(SaslAuthenticationException). It refuses the user or the password: correct sasl.username and"
                + " sasl.password-file.";
        assertSentence(guessing, words);
        assertThatThrownBy(() -> TestKafka.log(guessing))
                .isInstanceOf(KafkaAccessException.class)
                .hasMessageContaining(words);
    }

    @Test
    void wrongMechanismIsSaid() {
        Map<String, String> properties = new HashMap<>(config.clientProperties());
        properties.put("sasl.mechanism", "SCRAM-SHA-256");
        assertSentence(config.withClientProperties(properties), "correct sasl.mechanism.");
    }

    @Test
    void untrustedCertificateIsSaid() {
        LocalAuthority stranger = LocalAuthority.in(folder.resolve("stranger"));
        assertSentence(
                config.withClientProperties(properties(stranger, "tributary", PASSWORD)),
                "Its certificate is not trusted: correct tls.certificates");
    }

    @Test
    void certificateOfAnotherHostIsSaid() {
        KafkaConfig named = KafkaConfig.defaults("localhost:" + kafka.port(1))
                .withTopicPrefix(PREFIX)
                .withClientProperties(config.clientProperties());
        assertSentence(named, "Its certificate is for another host: ");
    }

    @Test
    void missingRightsAreSaid() {
        assertSentence(
                config.withClientProperties(properties(authority, "stranger", PASSWORD)),
                "allow Create, Describe, DescribeConfigs, Read and Write for topics that begin with secured, and Read for"
                        + " the group secured.shards.");
    }

    @Test
    void connectionWithoutEncryptionIsGivenUpInTime() {
        assertSentence(
                config.withClientProperties(Map.of()).withStartTimeout(Duration.ofSeconds(1)),
                "Start it, or correct bootstrap-servers, tls or sasl.");
    }

    private static KafkaConfig trusting(Path certificates) {
        Map<String, String> properties = new HashMap<>(config.clientProperties());
        properties.put("ssl.truststore.location", certificates.toString());
        properties.put("ssl.engine.factory.class", ChangingCertificates.class.getName());
        return config.withClientProperties(properties);
    }

    private static void assertSentence(KafkaConfig wrong, String words) {
        assertThatThrownBy(() -> KafkaTopics.ensure(wrong, TestKafka.needs("map")))
                .isInstanceOf(KafkaAccessException.class)
                .hasMessageContaining("Kafka cannot be used at " + wrong.bootstrapServers())
                .hasMessageContaining(words)
                .message()
                .doesNotContain(PASSWORD, "guessed");
    }

    /** What the broker's settings for TLS and SASL come to. */
    private static Map<String, String> properties(LocalAuthority trusted, String user, String password) {
        return Map.of(
                "security.protocol",
                "SASL_SSL",
                "sasl.mechanism",
                "SCRAM-SHA-512",
                "sasl.jaas.config",
                "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"" + user + "\" password=\""
                        + password.replace("\\", "\\\\").replace("\"", "\\\"") + "\";",
                "ssl.truststore.type",
                "PEM",
                "ssl.truststore.location",
                trusted.certificates().toString(),
                "ssl.endpoint.identification.algorithm",
                "https");
    }

    /** Waits until the server takes the password: the controller answers before it does. */
    private static void setPassword(String user, String password) {
        ScramCredentialInfo iterations = new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096);
        try (Admin admin = admin()) {
            get(admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(user, iterations, password)))
                    .all()
                    .toCompletionStage());
        }
        until(() -> {
            try (Admin admin = admin(user, password)) {
                return answers(admin);
            }
        });
    }

    private static double refusals(Admin admin) {
        return admin.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals("failed-authentication-total"))
                .mapToDouble(metric -> (Double) metric.metricValue())
                .sum();
    }

    private static boolean answers(Admin admin) {
        try {
            return !admin.describeCluster().nodes().get().isEmpty();
        } catch (ExecutionException e) {
            return false;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits until the server knows the rights. */
    private static void allow() {
        Stream<AclBinding> topics = Stream.of(
                        AclOperation.CREATE,
                        AclOperation.DESCRIBE,
                        AclOperation.DESCRIBE_CONFIGS,
                        AclOperation.READ,
                        AclOperation.WRITE)
                .map(operation -> right(ResourceType.TOPIC, PREFIX, PatternType.PREFIXED, operation));
        AclBinding group = right(ResourceType.GROUP, PREFIX + ".shards", PatternType.LITERAL, AclOperation.READ);
        try (Admin admin = admin()) {
            List<AclBinding> rights = Stream.concat(topics, Stream.of(group)).toList();
            get(admin.createAcls(rights).all().toCompletionStage());
            until(() -> get(admin.describeAcls(AclBindingFilter.ANY).values().toCompletionStage())
                    .containsAll(rights));
        }
    }

    private static AclBinding right(ResourceType type, String name, PatternType pattern, AclOperation operation) {
        return new AclBinding(
                new ResourcePattern(type, name, pattern),
                new AccessControlEntry("User:tributary", "*", operation, AclPermissionType.ALLOW));
    }

    private static Admin admin() {
        return admin(ADMIN.name(), ADMIN.password());
    }

    private static Admin admin(String user, String password) {
        Map<String, Object> properties = new HashMap<>(properties(authority, user, password));
        properties.put("bootstrap.servers", kafka.bootstrapServers());
        return Admin.create(properties);
    }
}
