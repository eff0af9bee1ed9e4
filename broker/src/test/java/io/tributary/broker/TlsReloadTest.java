package io.tributary.broker;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttClientSslConfig;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt3.Mqtt3AsyncClient;
import com.hivemq.client.mqtt.mqtt3.Mqtt3Client;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.tls.OpenSslAuthority;
import io.tributary.broker.tls.OpenSslAuthority.Issued;
import io.tributary.broker.tls.TlsConfig;
import io.tributary.broker.tls.TlsConfig.ClientCertificates;
import io.tributary.broker.tls.TlsEngine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.TrustManagerFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Certificates, authorities and revocation lists are exchanged while clients publish and receive; four times, unless
 * {@code -Dtls-reload.exchanges} says more.
 */
class TlsReloadTest {
    private static final int CLIENTS = 200;
    private static final int CERTIFICATES = 10;
    private static final int REVOKED = 3;
    private static final int EXCHANGES = Integer.getInteger("tls-reload.exchanges", 4);

    @TempDir
    private Path folder;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final List<Traffic> clients = new ArrayList<>();
    private final Set<String> lost = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean stopping = new AtomicBoolean();
    private Path used = Path.of("");

    /** A client that publishes its next message when it has got the one before. */
    private final class Traffic {
        private final String id;
        private final Mqtt3AsyncClient client;
        private final AtomicInteger received = new AtomicInteger();

        Traffic(String id, int port, MqttClientSslConfig tls) {
            this.id = id;
            client = Mqtt3Client.builder()
                    .identifier(id)
                    .serverHost("localhost")
                    .serverPort(port)
                    .sslConfig(tls)
                    .addDisconnectedListener(_ -> {
                        if (!stopping.get()) {
                            lost.add(id);
                        }
                    })
                    .buildAsync();
        }

        CompletableFuture<?> begin() {
            client.publishes(MqttGlobalPublishFilter.ALL, message -> {
                // The number of each message is that of those before it: none is lost, and none comes twice.
                int number = Integer.parseInt(new String(message.getPayloadAsBytes(), StandardCharsets.US_ASCII));
                if (number == received.get()) {
                    received.incrementAndGet();
                    publish(number + 1);
                }
            });
            return client.connect()
                    .thenCompose(_ -> client.subscribeWith()
                            .topicFilter(id)
                            .qos(MqttQos.AT_LEAST_ONCE)
                            .send())
                    .thenRun(() -> publish(0));
        }

        private void publish(int number) {
            if (!stopping.get()) {
                CompletableFuture<?> _ = client.publishWith()
                        .topic(id)
                        .qos(MqttQos.AT_LEAST_ONCE)
                        .payload(Integer.toString(number).getBytes(StandardCharsets.US_ASCII))
                        .send();
            }
        }
    }

    @AfterEach
    void disconnect() {
        stopping.set(true);
        for (Traffic one : clients) {
            CompletableFuture<?> _ = one.client.disconnect();
        }
    }

    @ParameterizedTest
    @EnumSource
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void onlyRevokedClientsAreClosedWhenFilesAreExchangedUnderLoad(TlsEngine engine) throws IOException {
        OpenSslAuthority authority = OpenSslAuthority.in(folder, "authority");
        OpenSslAuthority stranger = OpenSslAuthority.in(folder, "stranger");
        Issued[] servers = {authority.server("one"), authority.server("two")};
        List<Issued> certificates = new ArrayList<>();
        for (int i = 0; i < CERTIFICATES; i++) {
            certificates.add(authority.client("client" + i));
        }
        used = Files.createDirectory(folder.resolve("used"));
        use(servers[0].certificate(), "tls.pem");
        use(servers[0].key(), "tls.key");
        use(authority.certificate(), "ca.pem");
        use(authority.list("0.crl"), "crl.pem");
        TlsConfig tls = TlsConfig.builder(used.resolve("tls.pem"), used.resolve("tls.key"))
                .clientCertificates(ClientCertificates.NEED)
                .authorities(used.resolve("ca.pem"))
                .crls(used.resolve("crl.pem"))
                .engine(engine)
                .build();
        BrokerConfig config = BrokerConfig.builder(folder.resolve("data"))
                .listener(ListenerConfig.builder("tls", 0).tls(tls).build())
                .build();
        BrokerMetrics metrics = new BrokerMetrics(registry);
        try (Broker broker = Broker.start(
                config,
                BrokerExtensions.NONE,
                metrics,
                (_, _) -> Standalone.open(config, metrics),
                Duration.ofMillis(100))) {
            int port = broker.listeners().getFirst().address().getPort();
            connect(port, authority, certificates);
            for (int i = 1; i <= EXCHANGES; i++) {
                exchange(i, servers[i % 2], authority, stranger);
            }
            assertThat(lost).isEmpty();
            assertThat(broker.status().warnings()).isEmpty();

            for (int i = 0; i < REVOKED; i++) {
                authority.revoke(certificates.get(i));
            }
            int before = reloads("success");
            use(authority.list("last.crl"), "crl.pem");
            awaitReloads("success", before + 1);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> lost.size() == CLIENTS / CERTIFICATES * REVOKED);
            assertTrafficOfOthers();
            for (int i = 0; i < CLIENTS; i++) {
                assertThat(lost.contains("c" + i)).isEqualTo(i % CERTIFICATES < REVOKED);
            }
            assertThat(registry.get("tributary.tls.revoked").functionCounter().count())
                    .isEqualTo(lost.size());
            stopping.set(true);
        }
    }

    private void connect(int port, OpenSslAuthority authority, List<Issued> certificates) {
        TrustManagerFactory trusted = authority.trustManagers();
        List<MqttClientSslConfig> tls = certificates.stream()
                .map(certificate -> MqttClientSslConfig.builder()
                        .keyManagerFactory(certificate.keyManagers())
                        .trustManagerFactory(trusted)
                        .handshakeTimeout(60, TimeUnit.SECONDS)
                        .build())
                .toList();
        List<CompletableFuture<?>> begun = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            Traffic one = new Traffic("c" + i, port, tls.get(i % CERTIFICATES));
            clients.add(one);
            begun.add(one.begin());
        }
        CompletableFuture.allOf(begun.toArray(CompletableFuture[]::new)).join();
    }

    /** One of them is broken. */
    private void exchange(int round, Issued server, OpenSslAuthority authority, OpenSslAuthority stranger)
            throws IOException {
        if (round == EXCHANGES / 2) {
            use(stranger.list("wrong.crl"), "crl.pem");
            Files.writeString(used.resolve("ca.pem"), "no certificate");
            awaitReloads("failure", reloads("failure") + 1);
            assertTrafficOfOthers();
            use(authority.certificate(), "ca.pem");
        }
        int before = reloads("success");
        Path both = Files.writeString(
                folder.resolve("both.pem"),
                Files.readString(authority.certificate())
                        + (round % 2 == 0 ? "" : Files.readString(stranger.certificate())));
        use(both, "ca.pem");
        use(authority.list(round + ".crl"), "crl.pem");
        use(server.certificate(), "tls.pem");
        use(server.key(), "tls.key");
        awaitReloads("success", before + 1);
        assertTrafficOfOthers();
    }

    /** Everybody who is connected receives something that was published now. */
    private void assertTrafficOfOthers() {
        Map<Traffic, Integer> before = new HashMap<>();
        clients.forEach(one -> before.put(one, one.received.get()));
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> clients.stream()
                        .allMatch(one -> lost.contains(one.id) || one.received.get() > before.getOrDefault(one, 0)));
    }

    private void awaitReloads(String outcome, int least) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> reloads(outcome) >= least);
    }

    private int reloads(String outcome) {
        return (int) registry.get("tributary.tls.reloads")
                .tag("outcome", outcome)
                .functionCounter()
                .count();
    }

    private void use(Path file, String name) throws IOException {
        Path copy = Files.copy(file, used.resolve(".next"), StandardCopyOption.REPLACE_EXISTING);
        if (name.endsWith(".key")) {
            OpenSslAuthority.close(copy);
        }
        Files.move(copy, used.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }
}
