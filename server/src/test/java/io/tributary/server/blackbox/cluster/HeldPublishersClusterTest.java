package io.tributary.server.blackbox.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.HeldPublishers;
import io.tributary.broker.blackbox.Scratch;
import io.tributary.common.mqtt.QoS;
import io.tributary.server.blackbox.BrokerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
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
        double before = paused(publishers);
        try (HeldPublishers clients = new HeldPublishers(subscribers.tcpPort(), publishers.tcpPort(), qos)) {
            new Probe(cluster).await(cluster.upNodes(), PATIENCE);
            clients.publish();
            AtomicReference<Double> received = new AtomicReference<>(-1.0);
            await("publishers wait, and none gets on")
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofSeconds(1))
                    .until(() -> {
                        double now = value(publishers, "tributary_messages_received_total", "");
                        return now == received.getAndSet(now) && paused(publishers) - before >= HeldPublishers.COUNT;
                    });
            clients.expectAll();
        }
        assertThat(value(subscribers, "tributary_messages_dropped_total", "reason=\"queue_full\""))
                .isZero();
    }

    private static double paused(BrokerProcess node) {
        return value(node, "tributary_clients_reading_paused_total", "reason=\"slow_subscriber\"");
    }

    private static double value(BrokerProcess node, String metric, String tag) {
        URI uri = URI.create("http://127.0.0.1:" + node.httpPort() + "/actuator/prometheus");
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofLines())
                    .body()
                    .filter(line -> line.startsWith(metric + "{") && line.contains(tag))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
