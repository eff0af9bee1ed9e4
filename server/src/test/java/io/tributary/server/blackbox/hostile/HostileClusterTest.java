package io.tributary.server.blackbox.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.common.mqtt.QoS;
import io.tributary.server.blackbox.BrokerExtension;
import io.tributary.server.blackbox.BrokerProcess;
import io.tributary.server.blackbox.BrokerStats;
import io.tributary.server.blackbox.cluster.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Clients that do all that MQTT allows, as large as it may be, beside good ones, on a cluster of three nodes: the good
 * ones keep their connections, but for a {@link GoodPublisher} of a node that stood still, and get everything in order,
 * no node logs an error, and nothing heaps up.
 *
 * <p>{@code -Dhostile.seconds} is for how long, 10 unless said; {@code -Dhostile.villains} how many there are of a
 * kind; {@code -Dhostile.seed} decides who does what, and {@code -Dhostile.only} names the kinds of {@link Mischief}
 * there are to be, with commas between. The figures are in {@code target/blackbox/hostile-cluster.txt}.
 */
@ExtendWith(BrokerExtension.class)
@Timeout(value = 2, unit = TimeUnit.HOURS)
class HostileClusterTest {
    private static final Duration TIME = Duration.ofSeconds(Integer.getInteger("hostile.seconds", 10));
    private static final long SEED = Long.getLong("hostile.seed", System.nanoTime());
    private static final String ONLY = System.getProperty("hostile.only", "");
    /** A machine with other work is slow, and not dead: a node that is declared dead closes its connections. */
    private static final String PATIENT = "--tributary.cluster.nodes.silence=20s";

    private static final int LOOKS = 2;
    private static final int PAIRS = 6;
    private static final int VILLAINS_OF_A_KIND = Integer.getInteger("hostile.villains", 1);

    private final Map<Mischief, AtomicLong> deeds = new EnumMap<>(Mischief.class);
    /** What ended villains that were to go on: the test's own defects. */
    private final Queue<Throwable> broken = new ConcurrentLinkedQueue<>();

    private final StringBuilder report = new StringBuilder();

    @Test
    void goodClientsKeepTheirServiceWhenOthersDoAllThatMqttAllows() throws Exception {
        try (TestCluster cluster = TestCluster.in(Scratch.folder("hostile-cluster"))
                .setting(PATIENT)
                .start()) {
            report.append("%d s, seed %d%n".formatted(TIME.toSeconds(), SEED));
            List<GoodPair> pairs = pairs(cluster);
            try {
                look(cluster, "good clients alone");
                crowd(cluster, pairs);
                List<Long> nanos = new ArrayList<>();
                for (GoodPair pair : pairs) {
                    nanos.addAll(pair.finish());
                }
                report.append("messages of good clients: median / 99th percentile / longest: %s%n"
                        .formatted(new Latencies(nanos)));
                report.append("times that a node had stood still and sent a publisher away: %d%n"
                        .formatted(pairs.stream().mapToInt(GoodPair::sentAway).sum()));
                look(cluster, "good clients alone again");
            } catch (Throwable failure) {
                cluster.dumpThreads();
                throw failure;
            } finally {
                pairs.forEach(GoodPair::close);
                Scratch.report("hostile-cluster.txt", report.toString());
            }
            assertThat(broken).isEmpty();
            assertThat(deeds).allSatisfy((_, count) -> assertThat(count.get()).isPositive());
            for (BrokerProcess node : cluster.nodes()) {
                assertThat(errors(node)).isEmpty();
            }
        }
    }

    private void crowd(TestCluster cluster, List<GoodPair> pairs) throws InterruptedException {
        CountDownLatch over = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        Random random = new Random(SEED);
        for (Mischief mischief : Mischief.values()) {
            if (ONLY.isEmpty() || List.of(ONLY.split(",", -1)).contains(mischief.name())) {
                AtomicLong count = deeds.computeIfAbsent(mischief, _ -> new AtomicLong());
                for (int i = 0; i < VILLAINS_OF_A_KIND; i++) {
                    Villain villain =
                            new Villain(mischief, () -> anyPort(cluster), new Random(random.nextLong()), over, count);
                    threads.add(Thread.ofVirtual()
                            .uncaughtExceptionHandler((_, failure) -> broken.add(failure))
                            .start(villain));
                }
            }
        }
        try {
            for (int i = 1; i <= LOOKS && pairs.stream().allMatch(pair -> pair.failure() == null); i++) {
                over.await(TIME.toMillis() / LOOKS, TimeUnit.MILLISECONDS); // the time that it takes is the test's own
                look(cluster, "%d of %d".formatted(i, LOOKS));
            }
        } finally {
            over.countDown();
            for (Thread thread : threads) {
                thread.join();
            }
            report.append(deeds.entrySet().stream()
                    .map(deed -> deed.getValue() + " x " + deed.getKey())
                    .collect(Collectors.joining(", ", "", "%n".formatted())));
        }
    }

    private static List<GoodPair> pairs(TestCluster cluster) throws IOException {
        List<BrokerProcess> nodes = List.copyOf(cluster.nodes());
        List<GoodPair> pairs = new ArrayList<>();
        for (int i = 0; i < PAIRS; i++) {
            QoS qos = i % 2 == 0 ? QoS.AT_LEAST_ONCE : QoS.EXACTLY_ONCE;
            BrokerProcess publisher = nodes.get(i % nodes.size());
            BrokerProcess subscriber = nodes.get((i + 1 + i / nodes.size()) % nodes.size());
            pairs.add(new GoodPair("good" + i, qos, publisher.tcpPort(), subscriber.tcpPort()));
        }
        return pairs;
    }

    /** Has each node collect its garbage, and notes what it has left. */
    private void look(TestCluster cluster, String when) {
        report.append(cluster.nodes().stream()
                .map(HostileClusterTest::memory)
                .collect(Collectors.joining("; ", when + ": ", "%n".formatted())));
    }

    private static String memory(BrokerProcess node) {
        node.collectGarbage();
        try (BrokerStats stats = new BrokerStats(node)) {
            BrokerStats.Sample sample = stats.sample();
            return "heap %d, sockets %d, process %d MiB, %d connections"
                    .formatted(
                            sample.heapBytes() >> 20,
                            sample.directBytes() >> 20,
                            sample.residentBytes() >> 20,
                            sample.connections());
        }
    }

    private static int anyPort(TestCluster cluster) {
        List<BrokerProcess> nodes = List.copyOf(cluster.nodes());
        return nodes.get(ThreadLocalRandom.current().nextInt(nodes.size())).tcpPort();
    }

    private static List<String> errors(BrokerProcess node) throws IOException {
        try (Stream<String> lines = Files.lines(node.log())) {
            return lines.filter(line -> line.contains(" ERROR ")).toList();
        }
    }
}
