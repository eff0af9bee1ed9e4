package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.localcluster.AdminUser;
import io.tributary.localcluster.LocalAuthority;
import io.tributary.localcluster.LocalKafka;
import io.tributary.localcluster.LocalRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node of a cluster whose Kafka and Redis take nobody without TLS and a password, with the settings for it. */
class SecuredStartTest {
    private static final AdminUser USER = new AdminUser("tributary", "quo\"te and back\\slash");

    @TempDir
    private static Path folder;

    private static LocalAuthority authority;
    private static LocalKafka kafka;
    private static LocalRedis redis;

    private final Map<String, Object> settings = new LinkedHashMap<>();

    @BeforeAll
    static void startServers() {
        authority = LocalAuthority.in(folder.resolve("authority"));
        kafka = LocalKafka.in(folder).tls(authority).admin(USER).start();
        redis = LocalRedis.in(folder).tls(authority).admin(USER).start();
    }

    @AfterAll
    static void stopServers() {
        redis.close();
        kafka.close();
    }

    @Test
    void nodeStartsWhenItsSettingsAreRightAndElseSaysWhichAreNot() throws IOException {
        rightSettings();
        assertThat(failure()).isEqualTo("it started");

        settings.put("kafka.sasl.password-file", secret("wrong", "a wild guess"));
        assertThat(failure())
                .startsWith("tributary.cluster.kafka: Kafka cannot be used at " + kafka.bootstrapServers() + ": ")
                .endsWith(" It refuses the user or the password: correct sasl.username and sasl.password-file.")
                .doesNotContain("a wild guess");

        rightSettings();
        settings.put("redis.password-file", secret("wrong", "a wild guess"));
        assertThat(failure())
                .startsWith(
                        "tributary.cluster.redis: Redis at 127.0.0.1:" + redis.port(1) + " refuses user tributary (")
                .endsWith(" Correct username and password-file.")
                .doesNotContain("a wild guess");

        Path stranger = LocalAuthority.in(folder.resolve("stranger")).certificates();
        rightSettings();
        settings.put("kafka.tls.certificates", stranger);
        assertThat(failure()).startsWith("tributary.cluster.kafka: ").contains("correct tls.certificates");
        rightSettings();
        settings.put("redis.tls.certificates", stranger);
        assertThat(failure()).startsWith("tributary.cluster.redis: ").contains("Correct tls.certificates");
    }

    private void rightSettings() throws IOException {
        String password = secret("password", USER.password());
        settings.putAll(Map.of(
                "shards",
                4,
                "kafka.bootstrap-servers",
                kafka.bootstrapServers(),
                "kafka.replication-factor",
                1,
                "kafka.tls.enabled",
                true,
                "kafka.tls.certificates",
                authority.certificates(),
                "kafka.sasl.mechanism",
                "scram-sha-512",
                "kafka.sasl.username",
                USER.name(),
                "kafka.sasl.password-file",
                password));
        settings.putAll(Map.of(
                "redis.nodes",
                redis.addresses(),
                "redis.tls.enabled",
                true,
                "redis.tls.certificates",
                authority.certificates(),
                "redis.username",
                USER.name(),
                "redis.password-file",
                password,
                "link.host",
                "127.0.0.1",
                "link.port",
                0,
                "link.secret-file",
                secret("link", "0123456789abcdef")));
    }

    private String failure() {
        Stream<String> ofNode = Stream.of(
                "--tributary.mode=cluster",
                "--tributary.node-name=n1",
                "--tributary.listeners.tcp.port=0",
                "--tributary.listeners.ws.port=0");
        Stream<String> ofCluster = settings.entrySet().stream()
                .map(setting -> "--tributary.cluster." + setting.getKey() + "=" + setting.getValue());
        return Applications.failure(Stream.concat(ofNode, ofCluster).toArray(String[]::new));
    }

    /** A file with a secret, as the settings want it. */
    private static String secret(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        if (!Files.exists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        return Files.writeString(file, text + "\n").toString();
    }
}
