package io.tributary.server.blackbox.crash;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.blackbox.TestTalk;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.server.blackbox.BrokerExtension;
import io.tributary.server.blackbox.BrokerProcess;
import io.tributary.server.blackbox.Installation;
import io.tributary.server.blackbox.load.ClientWithWill;
import io.tributary.server.blackbox.load.Judge;
import io.tributary.server.blackbox.load.LoadClients;
import io.tributary.server.blackbox.load.LoadContext;
import io.tributary.server.blackbox.load.LoadPublisher;
import io.tributary.server.blackbox.load.LoadSubscriber;
import io.tributary.server.blackbox.security.SecurityApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A broker alone of an earlier version is ended under load, and this version goes on with its data; the earlier one
 * does the same after it where the format is the same, and says why not otherwise. Run by {@code ./tributary
 * upgrade-test}.
 */
@ExtendWith(BrokerExtension.class)
@EnabledIfSystemProperty(named = "upgrade.old", matches = ".+")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class StandaloneUpgradeFromTest {
    private static final int MESSAGES = 600;
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int OLD_FORMAT = Integer.getInteger("upgrade.old-format", 0);
    private static final String RETAINED = "kept/retained";
    private static final String USER = "users/people:ada";

    private final Installation old = Installation.earlier();
    private final Installation fresh = Installation.present();
    private final AtomicInteger port = new AtomicInteger();
    private final LoadContext scene = LoadContext.of(port::get, TestClient::open, Duration.ofSeconds(30));
    private final Judge judge = scene.judge();
    private final StringBuilder report = new StringBuilder();

    @Test
    void goesOnWithTheDataOfTheOldVersionAndTheOldOneSaysWhyItDoesNot() throws IOException {
        Path folder = Scratch.folder("upgrade-alone");
        BrokerProcess broker =
                BrokerProcess.prepare(folder, List.of("-Xmx512m"), List.of("--tributary.queues.max-messages=65535"));
        try (broker;
                LoadClients cast = new LoadClients(scene)) {
            broker.runFrom(old).start();
            port.set(broker.tcpPort());
            boolean hasUsers = OLD_FORMAT >= 3;
            if (hasUsers) {
                try (SecurityApi api = api(broker, folder)) {
                    assertThat(api.create(USER, "{}").statusCode()).isEqualTo(201);
                }
            }
            retain(broker);
            assemble(cast);
            cast.begin(PATIENCE);
            exchange(cast, broker, fresh, BrokerProcess::stop);
            if (OLD_FORMAT == RecordFormat.NEWEST) {
                exchange(cast, broker, old, BrokerProcess::kill);
                exchange(cast, broker, fresh, BrokerProcess::kill);
            } else {
                exchange(cast, broker, fresh, one -> refuses(one, folder));
            }
            finish(cast);
            assertThat(retained(broker)).isEqualTo("kept");
            if (hasUsers) {
                try (SecurityApi api = api(broker, folder)) {
                    assertThat(api.send("GET", "/api/v1/security/" + USER, "").statusCode())
                            .isEqualTo(200);
                }
            }
        } finally {
            Scratch.report("upgrade-alone-report.txt", report + String.join("\n", judge.violations()));
        }
        assertThat(judge.violations()).isEmpty();
    }

    private void assemble(LoadClients cast) {
        cast.add(LoadSubscriber.ofAll(scene, "online", ProtocolVersion.MQTT_5, 65_535, 0));
        cast.add(LoadSubscriber.ofAll(scene, "away", ProtocolVersion.MQTT_3_1_1, 65_535, 0));
        judge.addGroup("group", QoS.EXACTLY_ONCE);
        cast.add(LoadSubscriber.member(scene, "group", "member1"));
        cast.add(LoadSubscriber.member(scene, "group", "member2"));
        cast.add(LoadSubscriber.ofWills(scene, "mourner"));
        cast.add(new LoadPublisher(scene, ProtocolVersion.MQTT_5, QoS.AT_LEAST_ONCE, true));
        cast.add(new LoadPublisher(scene, ProtocolVersion.MQTT_3_1_1, QoS.EXACTLY_ONCE, true));
        cast.add(new LoadPublisher(scene, ProtocolVersion.MQTT_5, QoS.EXACTLY_ONCE, true));
        cast.add(new ClientWithWill(scene, QoS.AT_LEAST_ONCE, true, true));
        cast.add(new ClientWithWill(scene, QoS.EXACTLY_ONCE, false, true));
    }

    /** In the midst of what is published; one subscriber is away, and gets its queue from the other version. */
    private void exchange(
            LoadClients cast, BrokerProcess broker, Installation installation, Consumer<BrokerProcess> end) {
        LoadSubscriber away = cast.subscribers().get(1);
        away.setAway(true);
        cast.awaitAway(PATIENCE);
        Judge.Counts before = judge.counts();
        scene.rounds().allow(MESSAGES);
        await().pollInterval(Duration.ofMillis(1))
                .atMost(PATIENCE)
                .until(() -> judge.counts().acknowledged() >= before.acknowledged() + MESSAGES);
        end.accept(broker);
        Judge.Counts ended = judge.counts().minus(before);
        broker.runFrom(installation).start();
        away.setAway(false);
        cast.awaitQuiet(PATIENCE);
        Judge.Counts counts = judge.counts().minus(before);
        report.append("%d acknowledged until the broker ended; until all was quiet %d, %d received, %d resent%n"
                .formatted(ended.acknowledged(), counts.acknowledged(), counts.received(), counts.resent()));
        assertThat(judge.violations()).isEmpty();
    }

    private void refuses(BrokerProcess broker, Path folder) {
        assertThat(broker.stop()).isZero();
        broker.runFrom(old);
        assertThatThrownBy(broker::start)
                .hasMessageContaining("the data folder " + folder.resolve("data") + " has format " + RecordFormat.NEWEST
                        + " of a newer version; this version reads formats up to " + OLD_FORMAT);
        assertThat(broker.awaitExit()).isEqualTo(1);
    }

    private void finish(LoadClients cast) {
        scene.rounds().allow(1);
        cast.awaitQuiet(PATIENCE);
        cast.verdict();
        report.append(
                "%d broken connections had their will%n".formatted(scene.wills().deaths()));
    }

    private static void retain(BrokerProcess broker) throws IOException {
        try (TestClient client = TestClient.connect(broker.tcpPort(), ProtocolVersion.MQTT_5, "retaining", 0)) {
            client.send(TestTalk.publication(RETAINED, "kept", QoS.AT_LEAST_ONCE, true, 1));
            client.expect(Puback.class);
        }
    }

    private static String retained(BrokerProcess broker) throws IOException {
        try (TestClient client = TestClient.connect(broker.tcpPort(), ProtocolVersion.MQTT_5, "reading", 0)) {
            Subscription all = new Subscription("kept/#", QoS.AT_LEAST_ONCE, false, false, RetainHandling.SEND);
            client.send(new Subscribe(1, List.of(all), 0, List.of()));
            client.expect(Suback.class);
            return new String(client.expect(Publish.class).payload(), UTF_8);
        }
    }

    private static SecurityApi api(BrokerProcess broker, Path folder) throws IOException {
        return new SecurityApi(
                broker.httpPort(),
                Files.readString(folder.resolve("data/admin.token")).strip());
    }
}
