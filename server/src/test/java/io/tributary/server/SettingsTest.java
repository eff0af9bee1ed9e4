package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.BrokerConfig;
import io.tributary.broker.connection.ClientLimits;
import io.tributary.broker.connection.MessageRate;
import io.tributary.broker.network.AdmissionLimits;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.network.ListenerKind;
import io.tributary.broker.security.ClientRules;
import io.tributary.broker.security.ClientRules.CertificateSubject;
import io.tributary.broker.security.ClientRules.ClientId;
import io.tributary.broker.security.ClientRules.HasUserProperty;
import io.tributary.broker.security.ClientRules.Listener;
import io.tributary.broker.security.ClientRules.Rule;
import io.tributary.broker.security.ClientRules.UserName;
import io.tributary.broker.security.OnRevocation;
import io.tributary.broker.security.SessionTakeover;
import io.tributary.broker.security.TextPattern;
import io.tributary.common.event.ClientKind;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.persistence.rocksdb.StorageSync;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {
    private static final String DISK_PATH = "management.metrics.system.diskspace.paths[0]";

    @Test
    void defaultsAreThoseOfTheCore() {
        BrokerConfig config = Applications.config();
        BrokerConfig core =
                BrokerConfig.builder(Path.of("data").toAbsolutePath()).build();
        assertThat(config.toBuilder().listeners(List.of()).build())
                .usingRecursiveComparison()
                .ignoringFields("canary.interval") // the core has no canary by itself
                .isEqualTo(core);
    }

    @Test
    void thereAreTwoListenersForThisMachineAlone() {
        assertThat(Applications.config().listeners())
                .containsExactly(
                        ListenerConfig.tcp("tcp", 1883),
                        ListenerConfig.builder("ws", 8083)
                                .kind(new ListenerKind.WebSocket("/mqtt"))
                                .build());
    }

    @Test
    void onePortChangesNothingElse() {
        BrokerConfig config = Applications.config("--tributary.listeners.tcp.port=2883");
        assertThat(config.listeners()).extracting(ListenerConfig::port).containsExactly(2883, 8083);
        assertThat(config.listeners()).extracting(ListenerConfig::host).containsOnly("127.0.0.1");
    }

    @Test
    void listenersAreSwitchedOffAndAdded() {
        BrokerConfig config = Applications.config(
                "--tributary.listeners.ws.enabled=false",
                "--tributary.listeners.plant-2.port=0",
                "--tributary.listeners.plant-2.host=0.0.0.0",
                "--tributary.listeners.plant-2.connect-rate=50");
        assertThat(config.listeners()).extracting(ListenerConfig::name).containsExactly("plant-2", "tcp");
        assertThat(config.listeners().getFirst().admission()).isEqualTo(new AdmissionLimits(100_000, 50, 50));
    }

    @Test
    void listenersHaveTheCommonLimitsUnlessTheyHaveTheirOwn() {
        BrokerConfig config = Applications.config(
                "--tributary.limits.packets.max-size=2MB",
                "--tributary.limits.publish.rate=100",
                "--tributary.listeners.ws.limits.packets.max-size=16KB",
                "--tributary.listeners.ws.limits.publish.rate-policy=disconnect");
        ClientLimits tcp = config.listeners().getFirst().limits();
        ClientLimits ws = config.listeners().getLast().limits();
        assertThat(tcp.packets().maxPacketBytes()).isEqualTo(2 * 1024 * 1024);
        assertThat(ws.packets().maxPacketBytes()).isEqualTo(16 * 1024);
        assertThat(tcp.inbound().rate()).isEqualTo(new MessageRate(100, 100, MessageRate.Policy.BACKPRESSURE));
        assertThat(ws.inbound().rate()).isEqualTo(new MessageRate(100, 100, MessageRate.Policy.DISCONNECT));
    }

    @Test
    void listenersOwnLimitWinsWhereverTheCommonOneIsGiven(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("tributary.yaml"), """
                tributary:
                  storage.sync: always
                  listeners.tcp.limits.delivery.max-in-flight: 7
                """);
        BrokerConfig config = Applications.config(
                "--spring.config.additional-location=file:" + folder + "/",
                "--tributary.limits.delivery.max-in-flight=9");
        assertThat(config.storage().sync()).isEqualTo(StorageSync.ALWAYS);
        assertThat(config.listeners().getFirst().limits().outbound().maxInFlight())
                .isEqualTo(7);
        assertThat(config.listeners().getLast().limits().outbound().maxInFlight())
                .isEqualTo(9);
    }

    @Test
    void rulesOfApplicationsKeepTheirOrder(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("tributary.yaml"), """
                tributary:
                  applications:
                    rules:
                      - client-id: "app-test-*"
                        kind: device
                      - client-id: "app-*"
                        user-name: "regex:app-(billing|audit)"
                        kind: application
                      - certificate-subject: "*,OU=Dashboards,*"
                        listener: ws
                        user-property: "role=a=b"
                        kind: application
                        topic: shared
                """);
        BrokerConfig config = Applications.config("--spring.config.additional-location=file:" + folder + "/");
        assertThat(config.clientRules())
                .isEqualTo(new ClientRules(List.of(
                        new Rule(List.of(new ClientId(TextPattern.of("app-test-*"))), ClientKind.DEVICE),
                        new Rule(
                                List.of(
                                        new ClientId(TextPattern.of("app-*")),
                                        new UserName(TextPattern.of("regex:app-(billing|audit)"))),
                                ClientKind.APPLICATION),
                        new Rule(
                                List.of(
                                        new CertificateSubject(TextPattern.of("*,OU=Dashboards,*")),
                                        new Listener("ws"),
                                        new HasUserProperty(new UserProperty("role", "a=b"))),
                                ClientKind.SMALL_APPLICATION))));
    }

    @Test
    void clientsThatLoseRightsStayConnectedUnlessTheyAreToBeDisconnected() {
        assertThat(Applications.config().onRevocation()).isEqualTo(OnRevocation.REMOVE);
        assertThat(Applications.config("--tributary.security.on-revocation=disconnect")
                        .onRevocation())
                .isEqualTo(OnRevocation.DISCONNECT);
    }

    @Test
    void sessionsBelongToPrincipalsUnlessAnyoneMayHaveThem() {
        assertThat(Applications.config().takeover()).isEqualTo(SessionTakeover.PRINCIPAL);
        assertThat(Applications.config("--tributary.security.sessions=anyone").takeover())
                .isEqualTo(SessionTakeover.ANYONE);
    }

    /** The disk that fills up is the one to watch. */
    @Test
    void diskMetricsAreOfTheDataFolder(@TempDir Path folder) {
        Path data = folder.resolve("with, comma");
        assertThat(Applications.property(DISK_PATH, "--tributary.data-dir=" + data))
                .isEqualTo(data.toString());
        assertThat(Applications.property(DISK_PATH, "--" + DISK_PATH + "=/srv")).isEqualTo("/srv");
    }

    @Test
    void otherWaysToWriteANameAreUnderstood() {
        assertThat(Applications.config("--tributary.nodeName=a").nodeName()).isEqualTo("a");
        assertThat(Applications.config("--tributary.node_name=b").nodeName()).isEqualTo("b");
    }
}
