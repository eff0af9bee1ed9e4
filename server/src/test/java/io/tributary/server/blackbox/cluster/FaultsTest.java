package io.tributary.server.blackbox.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.server.blackbox.BrokerExtension;
import io.tributary.server.blackbox.Secured;
import io.tributary.server.blackbox.cluster.FaultRun.Casting;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Breaks a cluster of three nodes again and again while clients publish, receive, come and go at all of them, and
 * checks the promises P1 to P4: nothing acknowledged is lost, nothing comes twice at QoS 2, the order is kept, each
 * client that dies has its will, once.
 *
 * <p>{@code -Dfaults.count} is the number of faults, one unless said, and none of a kind twice before each was there;
 * {@code -Dfaults.seed} decides which and where; {@code -Dfaults.kafka} is 1 or 3 brokers, {@code -Dfaults.replicas} 0
 * or 1 of each Redis primary, {@code -Dfaults.pause} for how many seconds a node stands still, {@code -Dfaults.rate}
 * how many messages a second each publisher publishes, {@code -Dfaults.only} the names of the faults there are to be,
 * with commas between. With {@code -Dfaults.casting=FAN_IN} a thousand devices publish to a few applications; then
 * {@code -Dfaults.rate=1} is a thousand messages a second. With {@code -Dfaults.secured=true} clients need TLS and
 * passwords, and are judged by a thousand rules, some of which change all the time, as users do.
 */
@ExtendWith(BrokerExtension.class)
@Timeout(value = 12, unit = TimeUnit.HOURS)
class FaultsTest {
    private static final long SEED = Long.getLong("faults.seed", System.nanoTime());
    private static final int KAFKA_BROKERS = Integer.getInteger("faults.kafka", 1);
    private static final int REDIS_REPLICAS = Integer.getInteger("faults.replicas", 0);
    private static final int RATE = Integer.getInteger("faults.rate", 20);
    private static final Duration PAUSE = Duration.ofSeconds(Integer.getInteger("faults.pause", 8));
    private static final Duration OUTAGE = Duration.ofSeconds(Integer.getInteger("faults.outage", 15));
    private static final Casting CASTING = Casting.valueOf(System.getProperty("faults.casting", "ALL_KINDS"));
    private static final boolean SECURED = Boolean.getBoolean("faults.secured");
    private static final String ONLY = System.getProperty("faults.only", "");

    /** What a node does not notice of, and subscribers at two nodes neither. */
    private static final Set<Fault> QUIET = EnumSet.of(Fault.REDIS_PAUSED, Fault.REDIS_PAUSED_NODE_KILLED);

    private static final int STEADY_RATE = 150;
    /** Small enough for an outage of some seconds to be one that the owners have no room for. */
    private static final String SAVE_POINT =
            "--tributary.shards.save-point-messages=" + Integer.getInteger("faults.save-point", 400);

    /** For each queue: no more than come in a few seconds, or the default. */
    private static final int STEADY_QUEUE = Integer.getInteger("faults.queue", 2_500);

    private final Random random = new Random(SEED);

    @Test
    void keepsPromisesWhenPartsFail() {
        run("faults", CASTING, RATE, 65_535, EnumSet.allOf(Fault.class));
    }

    @Tag("long")
    @Test
    void losesNothingOfThoseThatTakeAllWhenRedisStandsStill() {
        run("outages", Casting.STEADY, STEADY_RATE, STEADY_QUEUE, QUIET, SAVE_POINT);
    }

    private void run(String name, Casting casting, int rate, int queue, Set<Fault> kinds, String... settings) {
        assumeThat(kinds).as("some of -Dfaults.only").anyMatch(FaultsTest::isWanted);
        TestCluster.Builder builder = TestCluster.in(Scratch.folder(name))
                .kafkaBrokers(KAFKA_BROKERS)
                .redisReplicas(REDIS_REPLICAS)
                .waysOfTheirOwn()
                .clocks()
                .setting("--tributary.queues.max-messages=" + queue)
                .setting("--tributary.applications.rules[0].client-id=app-*")
                .setting("--tributary.applications.rules[0].kind=application");
        List.of(settings).forEach(builder::setting);
        Path files = Scratch.folder(name + "-files");
        Path token = SECURED ? secure(builder, files) : null;
        try (TestCluster cluster = builder.start();
                ChangingRules rules = token == null ? null : ChangingRules.in(cluster, token);
                FaultRun run = new FaultRun(cluster, casting, random, PAUSE, OUTAGE, rate)) {
            List<Fault> faults = draw(cluster, kinds);
            String header = "%d faults, %d Kafka brokers, %d replicas of each Redis primary, seed %d%n"
                    .formatted(faults.size(), KAFKA_BROKERS, REDIS_REPLICAS, SEED);
            String file = name + "-report.txt";
            try {
                play(run, faults, () -> Scratch.write(file, header + run.text()));
            } catch (RuntimeException | Error failure) {
                cluster.dumpThreads();
                throw failure;
            } finally {
                Scratch.report(file, header + run.text());
            }
            assertThat(run.violations()).as("seed %d", SEED).isEmpty();
            if (rules != null) {
                rules.finish();
                Scratch.report(
                        name + "-rules.txt", rules.changes() + " changes of rules and of users each%n".formatted());
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** TLS, passwords, and a file with a token for the API. */
    private static Path secure(TestCluster.Builder builder, Path files) {
        builder.secured(Secured.in(files));
        Path token = ChangingRules.tokenFile(files);
        builder.setting("--tributary.security.admin-token-file=" + token);
        return token;
    }

    /** What was seen so far is in the report after each of them, for a run may be stopped by hand. */
    private void play(FaultRun run, List<Fault> faults, Runnable report) {
        run.begin();
        for (Fault fault : faults) {
            run.play(fault);
            report.run();
            assertThat(run.violations()).as("%s, seed %d", fault, SEED).isEmpty();
        }
        run.finish();
    }

    private static boolean isWanted(Fault fault) {
        return ONLY.isEmpty() || List.of(ONLY.split(",", -1)).contains(fault.name());
    }

    /** Each kind once, in any order, and then any. */
    private List<Fault> draw(TestCluster cluster, Set<Fault> all) {
        List<Fault> kinds = all.stream()
                .filter(fault -> fault.isPossible(cluster))
                .filter(FaultsTest::isWanted)
                .toList();
        int count = Integer.getInteger("faults.count", Math.min(1, kinds.size()));
        List<Fault> drawn = new ArrayList<>(kinds);
        Collections.shuffle(drawn, random);
        while (drawn.size() < count) {
            drawn.add(kinds.get(random.nextInt(kinds.size())));
        }
        return drawn.subList(0, count);
    }
}
