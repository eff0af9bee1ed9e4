package io.tributary.server.blackbox.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.HeldPublishers;
import io.tributary.broker.blackbox.Scratch;
import io.tributary.common.mqtt.QoS;
import io.tributary.server.blackbox.BrokerProcess;
import io.tributary.server.blackbox.BrokerStats;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Publishers at one node, and a transient subscriber at another that reads nothing for a while. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class HeldPublishersClusterTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static TestCluster cluster;

    @BeforeAll
    static void start() {
        cluster = TestCluster.in(Scratch.folder("held-publishers"))
                .nodes(2)
                .setting("--tributary.limits.delivery.queue-overflow=hold-publishers")
                .start();
        cluster.awaitShardsSpread(PATIENCE);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = QoS.class,
            names = {"AT_MOST_ONCE", "AT_LEAST_ONCE"})
    void allMessagesComeInOrderFromAnotherNode(QoS qos) throws IOException {
        BrokerProcess subscribers = cluster.node("n1");
        BrokerProcess publishers = cluster.node("n2");
        try (BrokerStats ofSubscribers = new BrokerStats(subscribers);
                BrokerStats ofPublishers = new BrokerStats(publishers);
                HeldPublishers clients = new HeldPublishers(subscribers.tcpPort(), publishers.tcpPort(), qos)) {
            long before = paused(ofPublishers);
            new Probe(cluster).await(cluster.upNodes(), PATIENCE);
            clients.publish();
            AtomicLong received = new AtomicLong(-1);
            await("publishers wait, and none gets on")
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofSeconds(1))
                    .until(() -> {
                        long now = ofPublishers.read("tributary_messages_received_total", "");
                        return now == received.getAndSet(now) && paused(ofPublishers) - before >= HeldPublishers.COUNT;
                    });
            clients.expectAll();
            assertThat(ofSubscribers.read("tributary_messages_dropped_total", "reason=\"queue_full\""))
                    .isZero();
        }
    }

    private static long paused(BrokerStats publishers) {
        return publishers.read("tributary_clients_reading_paused_total", "reason=\"slow_subscriber\"");
    }
}
