package io.tributary.server.blackbox.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.server.blackbox.Secured.Way;
import io.tributary.server.blackbox.load.ClientWithWill;
import io.tributary.server.blackbox.load.Crowd;
import io.tributary.server.blackbox.load.Experience;
import io.tributary.server.blackbox.load.Judge.Counts;
import io.tributary.server.blackbox.load.LoadClients;
import io.tributary.server.blackbox.load.LoadContext;
import io.tributary.server.blackbox.load.LoadPublisher;
import io.tributary.server.blackbox.load.LoadSubscriber;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Brings the load of {@link FaultsTest} on a cluster that somebody else has installed, while that somebody does to it
 * what operators do, and checks the promises P1 to P4. Run by {@code helm/kubernetes-test}; skipped without
 * {@code -Dload.address}.
 *
 * <p>{@code -Dload.address=HOST:PORT} is a listener with TLS; {@code -Dload.authority}, a file, is whom its clients
 * trust; {@code -Dload.user} and {@code -Dload.password-file} are who they are; {@code -Dload.rate} is how many
 * messages a second each of the six publishers publishes. {@code -Dload.crowd} more pairs of clients publish and
 * receive a message each {@code -Dload.crowd-period} seconds; with {@code -Dload.drained=true} none of their
 * connections may end otherwise than by a drain. In {@code -Dload.folder} the file {@code started} tells
 * that all publish; the load ends when there is a file {@code stop}; {@code result} has what came out.
 */
@Timeout(value = 2, unit = TimeUnit.HOURS)
class DeployedClusterTest {
    private static final String ADDRESS = System.getProperty("load.address", "");
    private static final Path FOLDER = Path.of(System.getProperty("load.folder", "."));
    private static final int RATE = Integer.getInteger("load.rate", 5);
    private static final int CROWD = Integer.getInteger("load.crowd", 0);
    private static final Duration CROWD_PERIOD = Duration.ofSeconds(Integer.getInteger("load.crowd-period", 20));
    private static final boolean DRAINED = Boolean.getBoolean("load.drained");
    private static final Duration CLIENT_PATIENCE = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int MOST_IN_FLIGHT = 65_535;

    private final LoadContext scene = LoadContext.of(() -> 0, way(), CLIENT_PATIENCE);
    private final LoadClients cast = new LoadClients(scene);
    private final List<String> names = new ArrayList<>();

    @Test
    void keepsPromisesWhileOthersOperateIt() throws IOException {
        assumeTrue(!ADDRESS.isEmpty(), "no -Dload.address");
        castAll();
        ScheduledExecutorService clock =
                Executors.newScheduledThreadPool(1, Thread.ofPlatform().daemon().factory());
        try (Crowd crowd = new Crowd(scene, CROWD, names::add)) {
            forgetAll();
            cast.begin(PATIENCE);
            crowd.begin(CROWD_PERIOD, PATIENCE);
            long periodMicros = TimeUnit.SECONDS.toMicros(1) / RATE;
            var dripping =
                    clock.scheduleAtFixedRate(() -> scene.rounds().allow(1), 0, periodMicros, TimeUnit.MICROSECONDS);
            // Nobody tells when something happens to the cluster.
            var _ = clock.scheduleAtFixedRate(
                    () -> {
                        scene.judge().fault();
                        crowd.fault();
                    },
                    0,
                    1,
                    TimeUnit.SECONDS);
            Files.createFile(FOLDER.resolve("started"));
            await("somebody ends it").forever().until(() -> Files.exists(FOLDER.resolve("stop")));
            dripping.cancel(false);
            List<String> violations = new ArrayList<>(finish());
            violations.addAll(crowd.finish(PATIENCE));
            if (DRAINED) {
                crowd.experience().ends().forEach((words, count) -> {
                    if (!words.endsWith(ReasonCode.USE_ANOTHER_SERVER.name())) {
                        violations.add(count + " connections ended otherwise than by a drain: " + words);
                    }
                });
            }
            String text = text(crowd) + String.join("\n", violations);
            Files.writeString(FOLDER.resolve("result"), text.strip() + "\n");
            assertThat(violations).isEmpty();
            assertThat(scene.judge().counts().acknowledged()).isPositive();
        } finally {
            clock.shutdownNow();
            cast.close();
        }
    }

    /** Each publisher publishes one more: what a QoS 2 message came twice for came before it. */
    private List<String> finish() {
        cast.awaitQuiet(PATIENCE);
        scene.rounds().allow(1);
        cast.awaitQuiet(PATIENCE);
        return cast.verdict();
    }

    private String text(Crowd crowd) {
        Counts counts = scene.judge().counts().plus(crowd.counts());
        return "%d messages acknowledged, %d received, %d twice at QoS 1 (%d of them without DUP), %d wills%n"
                        .formatted(
                                counts.acknowledged(),
                                counts.received(),
                                counts.duplicates(),
                                counts.unmarked(),
                                scene.wills().deaths())
                + text(names.size() - 2 * CROWD + " clients", scene.experience())
                + (CROWD == 0 ? "" : text(2 * CROWD + " clients of the crowd", crowd.experience()));
    }

    private static String text(String who, Experience experience) {
        return "%s: away %d times, half of them for %.1f s at most, 99 of 100 for %.1f s, all for %.1f s; longest wait of a message %.1f s; ends %s; attempts that failed %s%n"
                .formatted(
                        who,
                        experience.absences(),
                        seconds(experience.absenceNanos(50)),
                        seconds(experience.absenceNanos(99)),
                        seconds(experience.absenceNanos(100)),
                        seconds(experience.longestWaitNanos()),
                        experience.ends(),
                        experience.refusals());
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }

    private void castAll() {
        add(subscriber("online5", ProtocolVersion.MQTT_5));
        add(subscriber("online3", ProtocolVersion.MQTT_3_1_1));
        add(LoadSubscriber.ofAll(scene, "slow", ProtocolVersion.MQTT_5, 20, 10));
        add(subscriber("app-all", ProtocolVersion.MQTT_5));
        scene.judge().addGroup("group", QoS.EXACTLY_ONCE);
        scene.judge().addGroup("app-pool", QoS.AT_LEAST_ONCE);
        for (int i = 1; i <= 2; i++) {
            add(LoadSubscriber.member(scene, "group", "member" + i));
            add(LoadSubscriber.member(scene, "app-pool", "app-pool" + i));
            add(LoadSubscriber.ofWills(scene, "mourner" + i));
        }
        int publishers = 0;
        for (QoS qos : List.of(QoS.AT_LEAST_ONCE, QoS.EXACTLY_ONCE)) {
            cast.add(new LoadPublisher(scene, ProtocolVersion.MQTT_5, qos, true));
            cast.add(new LoadPublisher(scene, ProtocolVersion.MQTT_3_1_1, qos, true));
            cast.add(new LoadPublisher(scene, ProtocolVersion.MQTT_5, qos, qos == QoS.EXACTLY_ONCE));
            for (boolean persistent : List.of(true, false)) {
                for (boolean patient : List.of(true, false)) {
                    cast.add(new ClientWithWill(scene, qos, persistent, patient));
                }
            }
        }
        for (; publishers < cast.publishers().size(); publishers++) {
            names.add("publisher" + publishers);
        }
        for (int i = 0; i < cast.mortals().size(); i++) {
            names.add("mortal" + i);
        }
    }

    private LoadSubscriber subscriber(String name, ProtocolVersion version) {
        return LoadSubscriber.ofAll(scene, name, version, MOST_IN_FLIGHT, 0);
    }

    private void add(LoadSubscriber subscriber) {
        cast.add(subscriber);
        names.add(subscriber.toString());
    }

    /** An earlier run may have left their sessions. */
    private void forgetAll() {
        try (ExecutorService threads = Executors.newFixedThreadPool(16)) {
            names.forEach(name -> threads.execute(() -> forget(name)));
        }
    }

    private void forget(String name) {
        Connect clean =
                new Connect(ProtocolVersion.MQTT_5, true, 0, name, null, null, null, ConnectProperties.defaults(0));
        await(name + " is forgotten").atMost(PATIENCE).ignoreExceptions().until(() -> {
            try (TestClient client = scene.way().open(0, ProtocolVersion.MQTT_5)) {
                client.connect(clean, CLIENT_PATIENCE);
                client.disconnect(0);
            }
            return true;
        });
    }

    /** The certificate may name another host: a name of the cluster's own. */
    private static Way way() {
        if (ADDRESS.isEmpty()) {
            return TestClient::open;
        }
        String host = ADDRESS.substring(0, ADDRESS.lastIndexOf(':'));
        int port = Integer.parseInt(ADDRESS.substring(ADDRESS.lastIndexOf(':') + 1));
        SSLSocketFactory sockets = sockets();
        String user = System.getProperty("load.user", "");
        String password =
                read(Path.of(System.getProperty("load.password-file"))).strip();
        return (_, version) -> {
            Socket plain = new Socket();
            try {
                plain.setTcpNoDelay(true);
                plain.connect(
                        new InetSocketAddress(InetAddress.getByName(host), port),
                        Math.toIntExact(CLIENT_PATIENCE.toMillis()));
                plain.setSoTimeout(Math.toIntExact(CLIENT_PATIENCE.toMillis())); // for the handshake
                return TestClient.over(sockets.createSocket(plain, host, port, true), version, user, password);
            } catch (IOException failure) {
                plain.close();
                throw failure;
            }
        };
    }

    private static SSLSocketFactory sockets() {
        try (InputStream file = Files.newInputStream(Path.of(System.getProperty("load.authority")))) {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            trusted.setCertificateEntry(
                    "authority", CertificateFactory.getInstance("X.509").generateCertificate(file));
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context.getSocketFactory();
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
