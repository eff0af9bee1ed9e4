package io.tributary.server.blackbox.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.common.event.RecordFormat;
import io.tributary.server.blackbox.BrokerExtension;
import io.tributary.server.blackbox.BrokerProcess;
import io.tributary.server.blackbox.Installation;
import io.tributary.server.blackbox.Operator;
import io.tributary.server.blackbox.Operator.Outcome;
import io.tributary.server.blackbox.cluster.Fault.InflictedFault;
import io.tributary.server.blackbox.cluster.FaultRun.Casting;
import io.tributary.server.blackbox.security.SecurityApi;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Nodes of an earlier version are exchanged one by one for this one on hold, back, and forward again, and the upgrade
 * is finished; all under the load of {@link FaultsTest}, which keeps account. {@code ./tributary upgrade-test} builds
 * both versions and runs this test, which needs {@code -Dupgrade.old}, {@code -Dupgrade.old-format}, and
 * {@code -Dupgrade.new}.
 */
@ExtendWith(BrokerExtension.class)
@EnabledIfSystemProperty(named = "upgrade.old", matches = ".+")
@Timeout(value = 1, unit = TimeUnit.HOURS)
class UpgradeFromTest {
    private static final int FIRST_WITH_USERS = 3;
    private static final Duration PAUSE = Duration.ofSeconds(8);
    private static final int RATE = Integer.getInteger("faults.rate", 20);
    private static final long SEED = Long.getLong("faults.seed", System.nanoTime());
    private static final int OLD_FORMAT = Integer.getInteger("upgrade.old-format", 0);
    private static final String OLD = "the old version";
    private static final String NEW = "the new version";

    private final Installation old = Installation.earlier();
    private final Installation fresh = Installation.present("--tributary.cluster.formats=hold");

    private TestCluster cluster;
    private FaultRun run;

    @BeforeEach
    void start() {
        cluster = TestCluster.in(Scratch.folder("upgrade-from"))
                .installation(old)
                .setting("--tributary.queues.max-messages=65535")
                .setting("--tributary.applications.rules[0].client-id=app-*")
                .setting("--tributary.applications.rules[0].kind=application")
                .start();
        run = new FaultRun(cluster, Casting.ALL_KINDS, new Random(SEED), PAUSE, PAUSE, RATE);
    }

    @AfterEach
    void stop() {
        run.close();
        cluster.close();
    }

    @Test
    void nodesAreExchangedAndExchangedBackUnderLoadAndTheUpgradeIsFinished() throws IOException {
        try {
            run.begin();
            exchangeAll(NEW, fresh);
            showHeld();
            exchangeAll(OLD, old);
            exchangeAll(NEW, fresh);
            showHeld();
            finish();
            tryOld();
            run.finish();
        } finally {
            Scratch.report("upgrade-from-report.txt", run.text());
        }
        assertThat(run.violations()).as("seed %d", SEED).isEmpty();
    }

    /** The first is stopped in order, the second killed, the third drained where it runs this version. */
    private void exchangeAll(String name, Installation installation) {
        exchange(name, installation, "n1", () -> cluster.stop("n1"));
        exchange(name, installation, "n2", () -> cluster.kill("n2"));
        exchange(name, installation, "n3", () -> {
            if (installation.equals(old)) {
                drain("n3");
            }
            cluster.stop("n3");
        });
    }

    private void exchange(String name, Installation installation, String node, Runnable end) {
        run.play("a node exchanged for " + name, () -> {
            end.run();
            return new InflictedFault(node, Set.of(node), true, () -> {
                cluster.node(node).runFrom(installation);
                cluster.start(node);
            });
        });
        assertThat(run.violations()).as("%s is %s, seed %d", node, name, SEED).isEmpty();
    }

    private void drain(String node) {
        Outcome drained =
                operator().drain(cluster.node(node), "--node=" + node, "--serve-for=1s", "--rate=20", "--wait");
        assertThat(drained.exit()).as(drained.printed()).isZero();
    }

    private void showHeld() throws IOException {
        String status = upgrade("n2", "status");
        if (OLD_FORMAT == RecordFormat.NEWEST) {
            assertThat(status).contains("nothing is held back");
            return;
        }
        String onHold = "--tributary.cluster.formats=hold";
        assertThat(ReshardTest.reshard(cluster, 8, onHold)).contains("`tributary upgrade finish` first");
        assertThat(ReshardTest.reshard(cluster, 8, "--yes", onHold)).contains("`tributary upgrade finish` first");
        assertThat(status)
                .contains("format " + OLD_FORMAT + " is written, and " + RecordFormat.NEWEST + " held back")
                .contains("n1: ", "n2: ", "n3: ");
        if (OLD_FORMAT >= FIRST_WITH_USERS) {
            return;
        }
        try (SecurityApi api = api("n1")) {
            assertThat(api.create("users/people:ada", "{}").body()).contains("nothing was changed");
        }
    }

    private void finish() throws IOException {
        assertThat(upgrade("n3", "finish"))
                .contains("format " + RecordFormat.NEWEST + " is written", "nothing is held back");
        assertThat(upgrade("n1", "status")).contains("nothing is held back");
        try (SecurityApi api = api("n1")) {
            assertThat(api.create("users/people:ada", "{}").statusCode()).isEqualTo(201);
        }
    }

    /** It says in a sentence why it does not start; where it has the same formats, it starts, and goes again. */
    private void tryOld() {
        run.play("the old version tried after the upgrade", () -> {
            cluster.stop("n1");
            BrokerProcess node = cluster.node("n1").runFrom(old);
            if (OLD_FORMAT == RecordFormat.NEWEST) {
                cluster.start("n1");
                cluster.stop("n1");
            } else {
                assertThatThrownBy(node::start)
                        .hasMessageContaining("the nodes of this cluster write records of format " + RecordFormat.NEWEST
                                + ", and this version reads formats up to " + OLD_FORMAT);
                assertThat(node.awaitExit()).isEqualTo(1);
            }
            return new InflictedFault("n1", Set.of("n1"), true, () -> {
                node.runFrom(fresh);
                cluster.start("n1");
            });
        });
    }

    private Operator operator() {
        return new Operator(cluster.tokenFile(), fresh);
    }

    private String upgrade(String node, String word) {
        Outcome outcome = operator().upgrade(cluster.node(node), word);
        assertThat(outcome.exit()).as(outcome.printed()).isZero();
        return outcome.printed();
    }

    private SecurityApi api(String node) throws IOException {
        return new SecurityApi(
                cluster.node(node).httpPort(),
                Files.readString(cluster.tokenFile()).strip());
    }
}
