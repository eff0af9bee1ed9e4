package io.tributary.broker.blackbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.guard.AutomaticBan;
import io.tributary.broker.guard.BanLimit;
import io.tributary.broker.guard.BanLimits;
import io.tributary.broker.guard.ConnectRate;
import io.tributary.broker.guard.GuardConfig;
import io.tributary.broker.guard.RefusedClient;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.network.ProxyProtocolConfig;
import io.tributary.broker.security.AuthenticationRecorder;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.Authenticator.Refused;
import io.tributary.broker.security.AuthenticatorChain;
import io.tributary.broker.security.AuthenticatorChain.Chain;
import io.tributary.broker.security.AuthenticatorChain.Link;
import io.tributary.broker.security.rules.AddressRange;
import io.tributary.broker.security.store.Ban;
import io.tributary.broker.security.store.Change;
import io.tributary.broker.security.store.ChangeResult;
import io.tributary.broker.security.store.SecurityRecorder;
import io.tributary.broker.security.store.SecurityStore;
import io.tributary.broker.security.store.SecurityTable;
import io.tributary.broker.tls.OpenSslAuthority;
import io.tributary.broker.tls.TlsConfig;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker that exempts nobody, with low limits, and clients that do not care. */
class GuardedBrokerTest {
    private static final String PASSWORD = "password-that-is-right";
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final ConnectRate OFTEN = new ConnectRate(1_000, 1_000);

    @TempDir
    private Path folder;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private SecurityStore store = new SecurityStore(SecurityRecorder.NONE);
    private @Nullable Broker broker;

    @AfterEach
    void stop() {
        if (broker != null) {
            broker.close();
        }
    }

    @Test
    void addressHears9FWhenItConnectsTooOften() throws Exception {
        int port = start(new ConnectRate(1, 3), OFTEN, BanLimits.NONE, BanLimits.NONE);
        for (int i = 0; i < 3; i++) {
            assertThat(connect(port, "c" + i, PASSWORD)).isEqualTo(ReasonCode.SUCCESS);
        }
        assertIsTooOften(() -> connect(port, "c3", PASSWORD));
        RefusedClient refused = refused();
        assertThat(refused.reason()).isEqualTo("connection_rate_exceeded");
        assertThat(refused.clientId()).isEqualTo("c3");
        assertThat(refused.address()).startsWith("127.0.0.1:");
        assertThat(refused.listener()).isEqualTo("tcp");
    }

    @Test
    void clientHears9FWhenItConnectsTooOften() throws Exception {
        int port = start(OFTEN, new ConnectRate(1, 2), BanLimits.NONE, BanLimits.NONE);
        assertThat(connect(port, "c", PASSWORD)).isEqualTo(ReasonCode.SUCCESS);
        assertThat(connect(port, "c", "wrong")).isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD);
        assertThat(connect(port, "c", "wrong")).isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD);
        assertThat(connect(port, "c", PASSWORD)).as("strangers use up nothing").isEqualTo(ReasonCode.SUCCESS);
        assertIsTooOften(() -> connect(port, "c", PASSWORD));
        assertThat(connect(port, "d", PASSWORD)).isEqualTo(ReasonCode.SUCCESS);
    }

    @Test
    void addressHears8AWhenItGuessesPasswordsAndOperatorsHearWhyWithoutThem() throws IOException {
        BanLimit thrice = new BanLimit(3, MINUTE, MINUTE);
        int port = start(OFTEN, OFTEN, new BanLimits(BanLimit.NONE, BanLimit.NONE, thrice), BanLimits.NONE);
        for (int i = 0; i < 3; i++) {
            assertThat(connect(port, "c" + i, "wrong-" + i)).isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD);
        }
        assertThat(refused().words()).isEqualTo("'people': not the password");
        assertThat(connect(port, "c", PASSWORD)).isEqualTo(ReasonCode.BANNED);
        assertThat(started().guard().refusedClients().newest(Long.MAX_VALUE, 10).toString())
                .doesNotContain("wrong-")
                .doesNotContain(PASSWORD);
        assertThat(registry.get("tributary.clients.bans").gauge().value()).isEqualTo(1);
        assertThat(registry.get("tributary.clients.bans.made")
                        .tags("kind", "address", "cause", "failures")
                        .functionCounter()
                        .count())
                .isEqualTo(1);

        assertThat(started().guard().lift(AutomaticBan.Kind.ADDRESS, "127.0.0.1"))
                .isTrue();
        assertThat(connect(port, "c", PASSWORD)).isEqualTo(ReasonCode.SUCCESS);
    }

    @Test
    void automaticBanIsInTheStoreWhereARestartLeavesItAndAnAdministratorLiftsIt() throws IOException {
        BanLimit thrice = new BanLimit(3, MINUTE, MINUTE);
        BanLimits ofAddress = new BanLimits(BanLimit.NONE, BanLimit.NONE, thrice);
        int port = start(OFTEN, OFTEN, ofAddress, BanLimits.NONE);
        for (int i = 0; i < 3; i++) {
            assertThat(connect(port, "c", "wrong")).isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD);
        }
        await().until(() -> store.size(SecurityTable.BANS) == 1);
        started().close();
        port = start(OFTEN, OFTEN, ofAddress, BanLimits.NONE);
        assertThat(started().guard().bans()).hasSize(1);
        assertThat(connect(port, "c", PASSWORD)).isEqualTo(ReasonCode.BANNED);

        SecurityStore.Entry kept =
                store.page(SecurityTable.BANS, "", 10).entries().getFirst();
        assertThat(kept.object())
                .isInstanceOfSatisfying(
                        Ban.class,
                        ban -> assertThat(ban.isAutomatic() + ban.value()).isEqualTo("true127.0.0.1"));
        remove(kept);
        assertThat(connect(port, "c", PASSWORD)).isEqualTo(ReasonCode.SUCCESS);
    }

    /** Whoever fails in another's name cannot have that one refused where the guard alone would not. */
    @Test
    void automaticBanInTheStoreSparesExemptAddressesAndPrincipalsOfTheName() throws IOException {
        BanLimit thrice = new BanLimit(3, MINUTE, MINUTE);
        BanLimits ofUser = new BanLimits(BanLimit.NONE, thrice, BanLimit.NONE);
        List<AddressRange> exempt = List.of(AddressRange.parse("203.0.113.7"));
        int port = start(
                ListenerConfig.builder("tcp", 0)
                        .proxyProtocol(new ProxyProtocolConfig(List.of(AddressRange.parse("127.0.0.1"))))
                        .build(),
                new GuardConfig(1L << 20, 16 * 1024, OFTEN, OFTEN, ofUser, BanLimits.NONE, exempt));
        for (int i = 0; i < 3; i++) {
            assertThat(connectFrom(port, "203.0.113.8", "backend", "wrong"))
                    .isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD);
        }
        await().until(() -> store.size(SecurityTable.BANS) == 1);
        assertThat(connectFrom(port, "203.0.113.8", "backend", PASSWORD)).isEqualTo(ReasonCode.BANNED);
        assertThat(connectFrom(port, "203.0.113.7", "backend", PASSWORD)).isEqualTo(ReasonCode.SUCCESS);
        assertThat(connectFrom(port, "203.0.113.8", "as-backend", PASSWORD)).isEqualTo(ReasonCode.SUCCESS);
    }

    @Test
    void automaticBanIsOverEverywhereWhenItIsLifted() throws IOException {
        BanLimit thrice = new BanLimit(3, MINUTE, MINUTE);
        int port = start(OFTEN, OFTEN, new BanLimits(BanLimit.NONE, BanLimit.NONE, thrice), BanLimits.NONE);
        for (int turn = 0; turn < 2; turn++) {
            for (int i = 0; i < 3; i++) {
                assertThat(connect(port, "c", "wrong")).isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD);
            }
            await().until(() -> store.size(SecurityTable.BANS) == 1);
            if (turn == 0) { // as an embedding application does
                assertThat(started().guard().lift(AutomaticBan.Kind.ADDRESS, "127.0.0.1"))
                        .isTrue();
                await().until(() -> store.size(SecurityTable.BANS) == 0);
            } else { // as the API does
                remove(store.page(SecurityTable.BANS, "", 10).entries().getFirst());
                assertThat(started().guard().bans()).isEmpty();
            }
            assertThat(connect(port, "c", PASSWORD)).isEqualTo(ReasonCode.SUCCESS);
        }
    }

    private void remove(SecurityStore.Entry entry) {
        Change removal = Change.remove(
                SecurityTable.BANS, entry.object().id(), new Change.Is(entry.stamp()), "administrator", "");
        assertThat(store.change(removal)).succeedsWithin(MINUTE).isInstanceOf(ChangeResult.Done.class);
    }

    @Test
    void clientIdentifierHears8ABeforeAnyAuthenticatorWhenItFlaps() throws IOException {
        BanLimit thrice = new BanLimit(3, MINUTE, MINUTE);
        int port = start(OFTEN, OFTEN, BanLimits.NONE, new BanLimits(thrice, BanLimit.NONE, BanLimit.NONE));
        for (int i = 0; i < 3; i++) {
            assertThat(connect(port, "c", PASSWORD)).isEqualTo(ReasonCode.SUCCESS);
        }
        assertThat(connect(port, "c", PASSWORD)).isEqualTo(ReasonCode.BANNED);
        assertThat(connect(port, "c", "wrong")).isEqualTo(ReasonCode.BANNED);
        assertThat(connect(port, "d", PASSWORD)).isEqualTo(ReasonCode.SUCCESS);
    }

    @Test
    void memoryIsGivenBackWhenClientsAreKnownOrGone() throws IOException {
        int port = start(OFTEN, OFTEN, BanLimits.NONE, BanLimits.NONE);
        try (TestClient known = TestClient.open(port, ProtocolVersion.MQTT_5)) {
            known.send(connectPacket("known", "user", PASSWORD));
            known.expect(Connack.class);
            assertThat(started().guard().memory().heldBytes()).isZero();
        }
        assertThat(connect(port, "c", "wrong")).isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD);
        await().until(() -> started().guard().memory().heldBytes() == 0);
    }

    @Test
    void addressIsClosedBeforeTheHandshakeWhenItConnectsTooOftenOverTls() throws IOException {
        OpenSslAuthority authority = OpenSslAuthority.in(folder, "authority");
        int port = start(
                ListenerConfig.builder("tcp", 0)
                        .tls(TlsConfig.builder(authority.server("server").files())
                                .build())
                        .build(),
                new ConnectRate(1, 1));
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 10; i++) { // within nine seconds, so that one at least is too many
                sockets.add(new Socket(InetAddress.getLoopbackAddress(), port));
            }
            await().until(() -> refusedConnections("address_rate") > 0);
            assertThat(refused().reason()).isEqualTo("address_rate");
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private double refusedConnections(String reason) {
        return registry.get("tributary.connections.refused")
                .tags("listener", "tcp", "reason", reason)
                .functionCounter()
                .count();
    }

    @Test
    void addressIsTheClientsWhenAProxySaysIt() throws Exception {
        int port = start(
                ListenerConfig.builder("tcp", 0)
                        .proxyProtocol(new ProxyProtocolConfig(List.of(AddressRange.parse("127.0.0.1"))))
                        .build(),
                new ConnectRate(1, 1));
        assertThat(connectFrom(port, "203.0.113.7")).isEqualTo(ReasonCode.SUCCESS);
        assertIsTooOften(() -> connectFrom(port, "203.0.113.7"));
        assertThat(refused().address()).isEqualTo("203.0.113.7:51234");
        assertThat(connectFrom(port, "203.0.113.8")).isEqualTo(ReasonCode.SUCCESS);
    }

    /** One of ten within nine seconds is too many where one a second is allowed. */
    private static void assertIsTooOften(Callable<ReasonCode> connect) throws Exception {
        ReasonCode answer = connect.call();
        for (int i = 1; i < 10 && answer == ReasonCode.SUCCESS; i++) {
            answer = connect.call();
        }
        assertThat(answer).isEqualTo(ReasonCode.CONNECTION_RATE_EXCEEDED);
    }

    private static ReasonCode connectFrom(int port, String address) throws IOException {
        return connectFrom(port, address, "user", PASSWORD);
    }

    private static ReasonCode connectFrom(int port, String address, String user, String password) throws IOException {
        try (TestClient client = TestClient.open(port, ProtocolVersion.MQTT_5)) {
            client.sendBytes(("PROXY TCP4 " + address + " 192.0.2.1 51234 1883\r\n").getBytes(UTF_8));
            client.send(connectPacket("c-" + address, user, password));
            return client.expect(Connack.class).reason();
        }
    }

    private ReasonCode connect(int port, String clientId, String password) throws IOException {
        try (TestClient client = TestClient.open(port, ProtocolVersion.MQTT_5)) {
            client.send(connectPacket(clientId, "user", password));
            return client.expect(Connack.class).reason();
        }
    }

    private static Connect connectPacket(String clientId, String user, String password) {
        return new Connect(
                ProtocolVersion.MQTT_5,
                true,
                0,
                clientId,
                null,
                user,
                password.getBytes(UTF_8),
                ConnectProperties.defaults(0));
    }

    private RefusedClient refused() {
        return started().guard().refusedClients().newest(Long.MAX_VALUE, 1).getFirst();
    }

    private int start(ListenerConfig listener, ConnectRate perAddress) {
        return start(
                listener,
                new GuardConfig(1L << 20, 16 * 1024, perAddress, OFTEN, BanLimits.NONE, BanLimits.NONE, List.of()));
    }

    private int start(ConnectRate perAddress, ConnectRate perClient, BanLimits failures, BanLimits flapping) {
        return start(
                ListenerConfig.tcp("tcp", 0),
                new GuardConfig(1L << 20, 16 * 1024, perAddress, perClient, failures, flapping, List.of()));
    }

    private int start(ListenerConfig listener, GuardConfig guard) {
        Authenticator people = (client, password) -> Authenticator.answer(
                Arrays.equals(password, PASSWORD.getBytes(UTF_8))
                        ? accepted(client.userName())
                        : new Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, "not the password"));
        AuthenticatorChain chain = new AuthenticatorChain(
                Map.of("tcp", new Chain(List.of(new Link("people", people)), false)), AuthenticationRecorder.NONE);
        BrokerConfig config = BrokerConfig.builder(folder.resolve("data"))
                .listener(listener)
                .guard(guard)
                .build();
        store = new SecurityStore(SecurityRecorder.NONE);
        broker = Broker.start(config, BrokerExtensions.NONE.with(chain).with(store), new BrokerMetrics(registry));
        return broker.listeners().getFirst().address().getPort();
    }

    /** Who names itself "as-NAME" is NAME. */
    private static Accepted accepted(@Nullable String user) {
        return user != null && user.startsWith("as-")
                ? new Accepted(null, new Principal("certificates", user.substring("as-".length())))
                : new Accepted();
    }

    private Broker started() {
        if (broker == null) {
            throw new IllegalStateException("not started");
        }
        return broker;
    }
}
