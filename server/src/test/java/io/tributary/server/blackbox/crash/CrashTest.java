package io.tributary.server.blackbox.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.server.blackbox.BrokerExtension;
import io.tributary.server.blackbox.BrokerProcess;
import io.tributary.server.blackbox.Secured;
import io.tributary.server.blackbox.Secured.Way;
import io.tributary.server.blackbox.load.ClientWithWill;
import io.tributary.server.blackbox.load.Judge;
import io.tributary.server.blackbox.load.LoadClients;
import io.tributary.server.blackbox.load.LoadContext;
import io.tributary.server.blackbox.load.LoadPublisher;
import io.tributary.server.blackbox.load.LoadSubscriber;
import io.tributary.server.blackbox.load.Rounds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Kills the broker with SIGKILL at random moments while publishers publish as fast as they can, and checks the promises
 * P1 to P3: nothing acknowledged is lost, nothing comes twice at QoS 2, the order is kept.
 *
 * <p>{@code -Dcrash.rounds} is the number of kills, {@code -Dcrash.messages} how many messages each publisher publishes
 * a round, {@code -Dcrash.seed} decides when the kills come.
 */
@ExtendWith(BrokerExtension.class)
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class CrashTest {
    private static final int ROUNDS = Integer.getInteger("crash.rounds", 2);
    private static final int MESSAGES = Integer.getInteger("crash.messages", 1_500);
    private static final long SEED = Long.getLong("crash.seed", System.nanoTime());
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** How long a client waits for an answer: long, for a broker alone that is not down owes one. */
    private static final Duration CLIENT_PATIENCE = Duration.ofSeconds(30);

    private final Random random = new Random(SEED);
    private final AtomicInteger port = new AtomicInteger();
    private volatile Way way = TestClient::open;
    private final LoadContext scene =
            LoadContext.of(port::get, (to, version) -> way.open(to, version), CLIENT_PATIENCE);
    private final Rounds rounds = scene.rounds();
    private final Judge judge = scene.judge();
    private final LoadClients cast = new LoadClients(scene);
    private final StringBuilder report = new StringBuilder();

    @AfterEach
    void endClients() {
        cast.close();
    }

    @Test
    void losesNothingAndRepeatsNothingWhenKilled() {
        run("crash", ROUNDS, BrokerProcess::kill);
    }

    @Tag("long")
    @Test
    void losesNothingAndRepeatsNothingWhenKilledOverTlsWithPasswords() {
        Secured secured = Secured.in(Scratch.folder("crash-secured-files"));
        way = secured.way();
        run("crash-secured", Math.max(2, ROUNDS / 5), BrokerProcess::kill, secured.settings());
    }

    @Test
    void losesNothingAndRepeatsNothingWhenStopped() {
        run("stop", Math.max(1, ROUNDS / 5), BrokerProcess::stop);
    }

    private void run(String name, int roundCount, Consumer<BrokerProcess> end) {
        run(name, roundCount, end, List.of());
    }

    private void run(String name, int roundCount, Consumer<BrokerProcess> end, List<String> more) {
        List<String> settings = new ArrayList<>(more);
        int queued = Math.min(65_535, 12 * MESSAGES); // two rounds of all publishers, and what they send again
        settings.add("--tributary.queues.max-messages=" + queued);
        try (BrokerProcess broker = BrokerProcess.start(Scratch.folder(name), List.of("-Xmx512m"), settings)) {
            port.set(broker.tcpPort());
            assemble();
            cast.begin(PATIENCE);
            for (int round = 1; round <= roundCount; round++) {
                play(broker, round, round == roundCount, end);
            }
            finish();
        } finally {
            Scratch.report(name + "-report.txt", header(name, roundCount) + report + verdict());
        }
        assertThat(judge.violations()).isEmpty();
        assertThat(judge.counts().stalled()).as("acknowledgements in vain").isZero();
    }

    private void assemble() {
        cast.add(LoadSubscriber.ofAll(scene, "online5", ProtocolVersion.MQTT_5, 65_535, 0));
        cast.add(LoadSubscriber.ofAll(scene, "online3", ProtocolVersion.MQTT_3_1_1, 65_535, 0));
        cast.add(LoadSubscriber.ofAll(scene, "slow", ProtocolVersion.MQTT_5, 20, 10));
        cast.add(LoadSubscriber.ofAll(scene, "sometimes", ProtocolVersion.MQTT_5, 65_535, 0));
        cast.add(LoadSubscriber.ofAll(scene, "seldom", ProtocolVersion.MQTT_3_1_1, 65_535, 3));
        judge.addGroup("group", QoS.EXACTLY_ONCE);
        cast.add(LoadSubscriber.member(scene, "group", "member1"));
        cast.add(LoadSubscriber.member(scene, "group", "member2"));
        cast.add(LoadSubscriber.ofWills(scene, "mourner"));
        cast.add(new LoadPublisher(scene, ProtocolVersion.MQTT_5, QoS.AT_LEAST_ONCE, true));
        cast.add(new LoadPublisher(scene, ProtocolVersion.MQTT_3_1_1, QoS.EXACTLY_ONCE, true));
        cast.add(new LoadPublisher(scene, ProtocolVersion.MQTT_5, QoS.EXACTLY_ONCE, true));
        cast.add(new LoadPublisher(scene, ProtocolVersion.MQTT_3_1_1, QoS.AT_LEAST_ONCE, false));
        cast.add(new ClientWithWill(scene, QoS.AT_LEAST_ONCE, true, true));
        cast.add(new ClientWithWill(scene, QoS.EXACTLY_ONCE, false, true));
        cast.add(new ClientWithWill(scene, QoS.EXACTLY_ONCE, true, false));
    }

    private void play(BrokerProcess broker, int round, boolean last, Consumer<BrokerProcess> end) {
        Judge.Counts before = judge.counts();
        cast.subscribers().get(3).setAway(round % 2 == 1);
        cast.subscribers().get(4).setAway(round % 3 != 0 && !last);
        cast.subscribers().get(5).setAway(round % 4 == 2);
        cast.awaitAway(PATIENCE);
        cast.leaveAndReturn(PATIENCE);
        long most = (long) MESSAGES * cast.publishers().size();
        long killAt = before.acknowledged() + (long) (most * 0.9 * random.nextDouble());
        rounds.allow(MESSAGES);
        await().pollInterval(Duration.ofMillis(1))
                .atMost(PATIENCE)
                .until(() -> judge.counts().acknowledged() >= killAt);
        LockSupport.parkNanos(random.nextInt(5_000_000));
        Judge.Counts atKill = judge.counts();
        end.accept(broker);
        broker.start();
        boolean again = random.nextInt(3) == 0;
        if (again) { // while clients come back and the broker is busy with what it finds
            LockSupport.parkNanos(random.nextInt(300_000_000));
            end.accept(broker);
            broker.start();
        }
        cast.awaitQuiet(PATIENCE);
        Judge.Counts counts = judge.counts().minus(before);
        report.append("%5d %10d %10d %10d %10d %8d %10d  %s%n"
                .formatted(
                        round,
                        atKill.minus(before).acknowledged(),
                        counts.published(),
                        counts.acknowledged(),
                        counts.received(),
                        counts.resent(),
                        counts.duplicates(),
                        again ? "ended again while clients came back" : ""));
        assertThat(judge.violations()).as("round %d, seed %d", round, SEED).isEmpty();
    }

    /**
     * All comes back, and each publisher publishes one message more: what a QoS 2 message came twice for came before
     * it.
     */
    private void finish() {
        Judge.Counts before = judge.counts();
        cast.subscribers().forEach(subscriber -> subscriber.setAway(false));
        cast.awaitQuiet(PATIENCE);
        rounds.allow(1);
        cast.awaitQuiet(PATIENCE);
        cast.verdict();
        Judge.Counts counts = judge.counts().minus(before);
        report.append("%5s %10s %10d %10d %10d %8d %10d%n"
                .formatted(
                        "end",
                        "",
                        counts.published(),
                        counts.acknowledged(),
                        counts.received(),
                        counts.resent(),
                        counts.duplicates()));
    }

    private String header(String name, int roundCount) {
        return "%s test: %d rounds, %d publishers (2 of QoS 1, 2 of QoS 2), %d persistent subscribers, seed %d%n"
                        .formatted(
                                name,
                                roundCount,
                                cast.publishers().size(),
                                cast.subscribers().size(),
                                SEED)
                + "%5s %10s %10s %10s %10s %8s %10s%n"
                        .formatted("round", "acked.end", "published", "acked", "received", "resent", "duplicates");
    }

    private String verdict() {
        List<String> violations = judge.violations();
        return violations.isEmpty()
                ? "no acknowledged message lost, none twice at QoS 2, order kept; each of "
                        + scene.wills().deaths() + " broken connections had its will, once\n"
                : "VIOLATIONS:\n" + String.join("\n", violations) + "\n";
    }
}
