package io.tributary.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.redis.RedisConfig.Credentials;
import io.tributary.cluster.redis.RedisConfig.Node;
import io.tributary.cluster.redis.RedisConfig.Tls;
import io.tributary.cluster.secret.ChangingSecret;
import io.tributary.common.event.RecordFormat;
import io.tributary.localcluster.AdminUser;
import io.tributary.localcluster.LocalAuthority;
import io.tributary.localcluster.LocalRedis;
import io.tributary.persistence.shard.ShardStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A Redis Cluster that takes nobody without TLS, and a user of it that has the rights that the documentation says. */
class SecuredRedisTest {
    private static final String PASSWORD = "enough of this";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path folder;

    private static LocalAuthority authority;
    private static LocalRedis redis;
    private static RedisConfig config;

    @BeforeAll
    static void start() {
        authority = LocalAuthority.in(folder.resolve("authority"));
        redis = LocalRedis.in(folder)
                .tls(authority)
                .admin(new AdminUser("admin", "wonderful"))
                .start();
        allow(RedisAccessFailure.PERMISSIONS);
        config = TestRedis.config(redis)
                .withInlineBytes(0)
                .withTls(new Tls(authority.certificates(), true))
                .withCredentials(new Credentials("tributary", PASSWORD));
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    /** Redis notes each call that it refuses: there is none, also where the client library would not say so. */
    @Test
    void storeWorksWithTheRightsOfTheDocumentation() throws Exception {
        assertThat(Files.readString(Path.of("../docs/cluster.md"))).contains(RedisAccessFailure.PERMISSIONS);
        onAll("ACL", "LOG", "RESET");
        assertThat(RedisChecks.problems(config, 4)).isEmpty();
        try (RedisCluster cluster = RedisCluster.connect(config);
                ShardStore store = new RedisShardStore(cluster, 3, RecordFormat.alone(), RedisRecorder.NONE)) {
            for (int shard = 0; shard < 3; shard++) {
                Workload.useEverything(store, shard);
            }
            cluster.connection().sync().clusterNodes();
        }
        assertThat(onAll("ACL", "LOG")).allSatisfy(log -> assertThat(log).isBlank());
    }

    /** Both passwords hold while the file is changed; connections of before stay, new ones use the new one. */
    @Test
    void storeGoesOnWhenPasswordAndItsFileAreChanged() throws Exception {
        Path file = passwordFile(PASSWORD);
        RedisConfig changing =
                config.withCredentials(new Credentials("tributary", ChangingSecret.password(file)::read));
        try (RedisCluster cluster = RedisCluster.connect(changing);
                ShardStore store = new RedisShardStore(cluster, 5, RecordFormat.alone(), RedisRecorder.NONE)) {
            Workload.useEverything(store, 3);
            onAll("ACL", "SETUSER", "tributary", ">another one");
            passwordFile("another one");
            onAll("ACL", "SETUSER", "tributary", "<" + PASSWORD);
            assertThat(onAll("CLIENT", "KILL", "USER", "tributary"))
                    .anySatisfy(killed -> assertThat(killed.strip()).isNotEqualTo("0"));
            Workload.useEverything(store, 4);
            assertThat(RedisChecks.problems(config, 4)).isNotEmpty();
        } finally {
            allow(RedisAccessFailure.PERMISSIONS);
        }
    }

    /** To a new authority: nodes trust both, Redis shows the new one's certificate, nodes trust that one alone. */
    @Test
    void storeGoesOnWhenTheAuthorityIsExchanged() throws Exception {
        LocalAuthority next = LocalAuthority.in(folder.resolve("next"));
        String former = Files.readString(authority.certificates());
        String both = former + "\n" + Files.readString(next.certificates());
        Path trusted = Files.writeString(folder.resolve("trusted.pem"), former);
        Path trustedOnce = Files.writeString(folder.resolve("trusted-once.pem"), former);
        try (RedisCluster cluster = RedisCluster.connect(config.withTls(new Tls(trusted, true)));
                ShardStore store = new RedisShardStore(cluster, 7, RecordFormat.alone(), RedisRecorder.NONE)) {
            Workload.useEverything(store, 5);
            Files.writeString(trusted, both);
            Files.writeString(authority.certificates(), both); // whom the test itself trusts
            show(next);
            Files.copy(next.certificates(), trusted, StandardCopyOption.REPLACE_EXISTING);
            assertThat(onAll("CLIENT", "KILL", "USER", "tributary"))
                    .anySatisfy(killed -> assertThat(killed.strip()).isNotEqualTo("0"));
            Workload.useEverything(store, 6);
            assertThat(RedisChecks.problems(config.withTls(new Tls(trustedOnce, true)), 4))
                    .isNotEmpty();
        } finally {
            show(authority);
            Files.writeString(authority.certificates(), former);
        }
    }

    private static void show(LocalAuthority shown) {
        String certificate = shown.serverCertificate().toString();
        String key = shown.serverKey().toString();
        assertThat(onAll("CONFIG", "SET", "tls-cert-file", certificate, "tls-key-file", key))
                .allSatisfy(answer -> assertThat(answer).startsWith("OK"));
    }

    private static Path passwordFile(String password) throws IOException {
        Path file = folder.resolve("password");
        if (!Files.exists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        return Files.writeString(file, password + "\n");
    }

    @Test
    void missingRightIsNamed() {
        try {
            allow(RedisAccessFailure.PERMISSIONS.replace(" +zadd", ""));
            assertThat(RedisChecks.problems(config, 4))
                    .hasSize(3)
                    .allSatisfy(problem -> assertThat(problem)
                            .contains(
                                    " does not allow the user what the broker needs (not ZADD). Grant it, on each node, ")
                            .doesNotContain(PASSWORD));
            allow(RedisAccessFailure.PERMISSIONS.replace("~tributary:", "~other:"));
            assertThat(RedisChecks.problems(config, 4))
                    .isNotEmpty()
                    .allSatisfy(problem -> assertThat(problem).contains("(not HGET, HGETALL, "));
        } finally {
            allow(RedisAccessFailure.PERMISSIONS);
        }
    }

    @Test
    void wrongPasswordIsSaid() {
        assertThat(RedisChecks.problems(config.withCredentials(new Credentials("tributary", "guessed")), 4))
                .allSatisfy(problem -> assertThat(problem)
                        .contains(" refuses user tributary (WRONGPASS ")
                        .endsWith(" Correct username and password-file.")
                        .doesNotContain("guessed"));
    }

    @Test
    void untrustedCertificateIsSaid() {
        LocalAuthority stranger = LocalAuthority.in(folder.resolve("stranger"));
        assertThat(RedisChecks.problems(config.withTls(new Tls(stranger.certificates(), true)), 4))
                .isNotEmpty()
                .allSatisfy(problem -> assertThat(problem)
                        .contains(" has a certificate that is not trusted (")
                        .contains("Correct tls.certificates"));
    }

    @Test
    void certificateOfAnotherHostIsSaidAndAcceptedOnRequest() {
        RedisConfig named = new RedisConfig(
                List.of(new Node("localhost", redis.port(1))),
                config.credentials(),
                config.tls(),
                config.commandTimeout(),
                config.requestQueueSize(),
                config.concurrentReads(),
                config.inlineBytes(),
                config.topologyRefresh());
        assertThat(RedisChecks.problems(named, 4))
                .singleElement()
                .asString()
                .contains(" has a certificate for another host (");
        assertThat(RedisChecks.problems(named.withTls(new Tls(authority.certificates(), false)), 4))
                .isEmpty();
    }

    @Test
    void connectionWithoutEncryptionIsGivenUpWithASentence() {
        assertThat(RedisChecks.problems(config.withTls(null), 4))
                .isNotEmpty()
                .allSatisfy(problem -> assertThat(problem)
                        .contains(" cannot be reached (")
                        .endsWith("Start it, or correct nodes or tls."));
    }

    /** Makes the user anew, with these rights and no others. */
    private static void allow(String rights) {
        List<String> words = new ArrayList<>(List.of("ACL", "SETUSER", "tributary", "reset", "on", ">" + PASSWORD));
        words.addAll(List.of(rights.split(" ", -1)));
        assertThat(onAll(words.toArray(String[]::new)))
                .allSatisfy(answer -> assertThat(answer).startsWith("OK"));
    }

    private static List<String> onAll(String... command) {
        List<String> answers = new ArrayList<>();
        for (int i = 1; i <= redis.size(); i++) {
            answers.add(redis.call(i, command));
        }
        return answers;
    }
}
