package io.tributary.perf.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.Authenticator.Refused;
import io.tributary.broker.tls.TlsConfig;
import io.tributary.broker.tls.TlsConfig.ClientCertificates;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.perf.judge.Count;
import io.tributary.perf.result.ResultFile;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.run.StubBroker.Faults;
import io.tributary.perf.scenario.PlannedRun;
import io.tributary.perf.scenario.ScenarioException;
import io.tributary.perf.scenario.ScenarioFile;
import io.tributary.perf.target.Target;
import io.tributary.perf.target.TargetContext;
import io.tributary.perf.target.Targets;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs over TLS, with passwords and certificates of clients. */
class SecuredRunTest {
    private static final String PAIRS = """
            groups:
              - {name: sub, count: 4, subscribe: [{filter: "p/{n}", qos: 1}]}
              - {name: pub, count: 4, publish: {topic: "p/{n}", qos: 1, window: 5}}
            steps:
              - {name: connect, do: connect}
              - {name: publish, do: publish, messages: 50, measured: true}
              - {name: drain, do: drain}
            """;

    @TempDir
    static Path folder;

    /** User name, password and certificate's subject of each client that came. */
    private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();

    private static Path authority;
    private static Path clients;
    private static Broker broker;
    private static InetSocketAddress address;

    @BeforeAll
    static void start() throws Exception {
        X509Bundle root = new CertificateBuilder()
                .subject("CN=authority")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        authority = Files.writeString(folder.resolve("authority.pem"), root.getRootCertificatePEM());
        X509Bundle server = new CertificateBuilder().subject("CN=server").buildIssuedBy(root);
        Path certificate = Files.writeString(folder.resolve("server.pem"), server.getCertificatePathPEM());
        Path key = Files.writeString(folder.resolve("server.key"), server.getPrivateKeyPEM());
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        clients = Files.createDirectory(folder.resolve("clients"));
        for (String name : List.of("a", "b")) {
            X509Bundle client = new CertificateBuilder().subject("CN=" + name).buildIssuedBy(root);
            Files.writeString(
                    clients.resolve(name + ".pem"), client.getCertificatePathPEM() + client.getPrivateKeyPEM());
        }
        TlsConfig tls = TlsConfig.builder(certificate, key)
                .clientCertificates(ClientCertificates.WANT)
                .authorities(authority)
                .build();
        Authenticator authenticator = (client, password) -> {
            String said = password == null ? "" : new String(password, StandardCharsets.UTF_8);
            SEEN.add(client.userName() + " " + said + " " + client.certificateSubject());
            return Authenticator.answer(
                    said.startsWith("right")
                            ? new Accepted()
                            : new Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, null));
        };
        broker = Broker.start(
                BrokerConfig.builder(folder.resolve("data"))
                        .listener(ListenerConfig.builder("tls", 0).tls(tls).build())
                        .build(),
                BrokerExtensions.builder().authenticator(authenticator).build(),
                BrokerMetrics.unregistered());
        address = broker.listeners().getFirst().address();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Test
    void clientsTakeUsersAndCertificatesInTurn() throws Exception {
        SEEN.clear();
        Path users = Files.writeString(folder.resolve("users"), "ann:right\nbob:right:too\n");
        RunResult result = run(Map.of(
                "mqtt.transport", "tls", "mqtt.users", users.toString(), "mqtt.certificates", clients.toString()));
        assertThat(result.count(Count.FIRST)).isEqualTo(200);
        assertThat(SEEN).containsExactlyInAnyOrder("ann right CN=a", "bob right:too CN=b");
    }

    @Test
    void passwordIsInNoResult() throws Exception {
        RunResult result = run(Map.of("mqtt.transport", "tls", "mqtt.username", "ann", "mqtt.password", "right here"));
        assertThat(result.count(Count.FIRST)).isEqualTo(200);
        Path file = folder.resolve("result.json");
        ResultFile.of(List.of(result)).write(file);
        assertThat(Files.readString(file)).contains("\"ann\"").doesNotContain("right here");
    }

    @Test
    void runFailsWithTheReasonWhenPasswordIsWrong() {
        assertThatThrownBy(() -> run(Map.of("mqtt.transport", "tls", "mqtt.username", "ann", "mqtt.password", "no")))
                .hasMessageContaining("BAD_USER_NAME_OR_PASSWORD");
    }

    @Test
    void settingsThatDoNotFitAreNamed() throws Exception {
        Path users = Files.writeString(folder.resolve("wrong"), "ann:right\nbob\n");
        assertWrong(Map.of("mqtt.users", users.toString()), "mqtt.users: line 2 of " + users + " is not USER:PASSWORD");
        assertWrong(Map.of("mqtt.password", "x"), "mqtt.password: needs mqtt.username");
        assertWrong(Map.of("mqtt.resumption", "true"), "mqtt.resumption: needs mqtt.transport=tls or wss, not tcp");
        assertWrong(
                Map.of("mqtt.transport", "tls", "mqtt.certificates", authority.toString()),
                "mqtt.certificates: " + authority + " must have a certificate and its key");
    }

    /** In a full handshake each client shows its certificate; one that resumes its session does not. */
    @Test
    void clientsThatComeBackResumeTheirOwnSessionsWhenToldSo() throws Exception {
        assertThat(handshakes(false)).isEqualTo(9);
        assertThat(handshakes(true)).isEqualTo(3);
    }

    private static int handshakes(boolean resumption) throws Exception {
        CountingTrust trust = new CountingTrust();
        SslContext tls = SslContextBuilder.forServer(
                        folder.resolve("server.pem").toFile(),
                        folder.resolve("server.key").toFile())
                .sslProvider(SslProvider.JDK)
                .clientAuth(ClientAuth.REQUIRE)
                .trustManager(trust)
                .build();
        try (StubBroker stub = new StubBroker(Faults.NONE, tls)) {
            PlannedRun planned = ScenarioFile.of("test", """
                            groups:
                              - {name: idle, count: 3, subscribe: [{filter: "i/{n}"}]}
                            steps:
                              - {name: first, do: connect, measured: true}
                              - {name: cut, do: drop}
                              - {name: again, do: connect}
                              - {name: cut again, do: drop}
                              - {name: and again, do: connect}
                            """)
                    .runs(
                            Map.of(
                                    "mqtt.transport",
                                    "tls",
                                    "mqtt.certificates",
                                    clients.toString(),
                                    "mqtt.resumption",
                                    Boolean.toString(resumption)),
                            null)
                    .getFirst();
            assertThat(Runs.perform(planned, stub.address(), null).count(Count.CONNECTED))
                    .isEqualTo(9);
        }
        return trust.checked.get();
    }

    /** Trusts everybody, and counts. */
    private static final class CountingTrust extends X509ExtendedTrustManager {
        final AtomicInteger checked = new AtomicInteger();

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
            checked.incrementAndGet();
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {
            throw new UnsupportedOperationException();
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    @Test
    void mosquittoIsStartedWithTlsAndPasswords() throws Exception {
        assumeThat(Path.of("/usr/bin/mosquitto_passwd")).exists();
        PlannedRun planned = planned(Map.of(
                "mqtt.transport",
                "tls",
                "mqtt.username",
                "ann",
                "mqtt.password",
                "right",
                "mqtt.certificates",
                clients.toString(),
                "mqtt.authorities",
                authority.toString()));
        TargetContext context = new TargetContext(
                Path.of("tributary"),
                Files.createDirectory(folder.resolve("mosquitto")),
                folder,
                planned.scenario().mqtt(),
                Map.of());
        try (Target target = Targets.start("mosquitto", context, Map.of())) {
            InetSocketAddress there = target.addresses().getFirst();
            assertThat(Runs.perform(planned, there, null).count(Count.FIRST)).isEqualTo(200);
            PlannedRun guessing = planned(Map.of(
                    "mqtt.transport",
                    "tls",
                    "mqtt.username",
                    "ann",
                    "mqtt.password",
                    "guess",
                    "mqtt.certificates",
                    clients.toString()));
            assertThatThrownBy(() -> Runs.perform(guessing, there, null)).hasMessageContaining("the broker refused");
            assertThatThrownBy(() -> Runs.perform(planned(Map.of("mqtt.transport", "tls")), there, null))
                    .hasMessageContaining("could not connect");
        }
    }

    private static RunResult run(Map<String, String> settings) {
        return Runs.perform(planned(settings), address, null);
    }

    private static PlannedRun planned(Map<String, String> settings) {
        return ScenarioFile.of("test", PAIRS).runs(settings, null).getFirst();
    }

    private static void assertWrong(Map<String, String> settings, String words) {
        assertThatThrownBy(() -> run(settings))
                .isInstanceOf(ScenarioException.class)
                .hasMessageContaining(words);
    }
}
