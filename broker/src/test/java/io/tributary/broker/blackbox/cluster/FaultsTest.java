package io.tributary.broker.blackbox.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.blackbox.BrokerExtension;
import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.cluster.FaultRun.Casting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Breaks a cluster of three nodes again and again while clients publish, receive, come and go at all of them, and checks the
 * promises P1 to P4: nothing acknowledged is lost, nothing comes twice at QoS 2, the order is kept, each client that dies
 * has its will, once.
 *
 * <p>{@code -Dfaults.count} is the number of faults, three unless said and none of a kind twice before each was there; {@code -Dfaults.seed} decides which and
 * where; {@code -Dfaults.kafka} is 1 or 3 brokers, {@code -Dfaults.replicas} 0 or 1 of each Redis primary, {@code
 * -Dfaults.pause} for how many seconds a node stands still, {@code -Dfaults.rate} how many messages a second each
 * publisher publishes, {@code -Dfaults.only} the names of the faults there are to be, with commas between. With {@code
 * -Dfaults.casting=FAN_IN} a thousand devices publish to a few applications; then {@code -Dfaults.rate=1} is a thousand messages a second.
 */
@ExtendWith(BrokerExtension.class)
@Timeout(value = 12, unit = TimeUnit.HOURS)
class FaultsTest {
    private static final long SEED = Long.getLong("faults.seed", System.nanoTime());
    private static final int KAFKA_BROKERS = Integer.getInteger("faults.kafka", 1);
    private static final int REDIS_REPLICAS = Integer.getInteger("faults.replicas", 0);
    /** As many as each build has time for. */
    private static final int FEW = 3;

    private static final int RATE = Integer.getInteger("faults.rate", 20);
    private static final Duration PAUSE = Duration.ofSeconds(Integer.getInteger("faults.pause", 8));
    private static final Casting CASTING = Casting.valueOf(System.getProperty("faults.casting", "ALL_KINDS"));
    private static final String ONLY = System.getProperty("faults.only", "");

    private final Random random = new Random(SEED);

    @Test
    void keepsPromisesWhenPartsFail() {
        try (TestCluster cluster = TestCluster.in(Scratch.folder("faults"))
                        .kafkaBrokers(KAFKA_BROKERS)
                        .redisReplicas(REDIS_REPLICAS)
                        .setting("--tributary.queues.max-messages=65535")
                        .setting("--tributary.applications.rules[0].client-id=app-*")
                        .setting("--tributary.applications.rules[0].kind=application")
                        .start();
                FaultRun run = new FaultRun(cluster, CASTING, random, PAUSE, RATE)) {
            List<Fault> faults = draw(cluster);
            String header = "%d faults, %d Kafka brokers, %d replicas of each Redis primary, seed %d%n"
                    .formatted(faults.size(), KAFKA_BROKERS, REDIS_REPLICAS, SEED);
            System.out.print(header);
            try {
                play(run, faults);
            } catch (RuntimeException | Error failure) {
                cluster.dumpThreads();
                throw failure;
            } finally {
                Scratch.report("faults-report.txt", header + run.text());
            }
            assertThat(run.violations()).as("seed %d", SEED).isEmpty();
        }
    }

    private void play(FaultRun run, List<Fault> faults) {
        run.begin();
        for (Fault fault : faults) {
            System.out.println(run.play(fault));
            assertThat(run.violations()).as("%s, seed %d", fault, SEED).isEmpty();
        }
        run.finish();
    }

    /** Each kind once, in any order, and then any. */
    private List<Fault> draw(TestCluster cluster) {
        List<Fault> kinds = Stream.of(Fault.values())
                .filter(fault -> fault.isPossible(cluster))
                .filter(fault -> ONLY.isEmpty() || List.of(ONLY.split(",", -1)).contains(fault.name()))
                .toList();
        int count = Integer.getInteger("faults.count", Math.min(FEW, kinds.size()));
        List<Fault> drawn = new ArrayList<>(kinds);
        Collections.shuffle(drawn, random);
        while (drawn.size() < count) {
            drawn.add(kinds.get(random.nextInt(kinds.size())));
        }
        return drawn.subList(0, count);
    }
}
