package io.tributary.broker.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.broker.fake.Messages;
import io.tributary.broker.sys.SysStats.Clients;
import io.tributary.broker.sys.SysStats.Flow;
import io.tributary.broker.sys.SysStats.StoredStats;
import io.tributary.broker.sys.SysStats.Subscribed;
import io.tributary.broker.sys.SysStats.Traffic;
import io.tributary.common.mqtt.Message;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SysTopicsTest {
    private static final SysConfig CONFIG = new SysConfig(Duration.ofSeconds(10), "tributary 1.2");

    private final Map<String, Message> published = new LinkedHashMap<>();
    private long nowNanos = 5_000_000_000L;
    private ClusterStats stats = alone(3, 0);
    private final SysTopics topics =
            new SysTopics(CONFIG, () -> stats, message -> published.put(message.topic(), message), () -> nowNanos);

    @Test
    void publishesEveryFigureInTheFirstRound() {
        topics.update();

        assertThat(texts())
                .containsEntry("$SYS/broker/version", "tributary 1.2")
                .containsEntry("$SYS/broker/uptime", "60 seconds")
                .containsEntry("$SYS/broker/clients/connected", "3")
                .containsEntry("$SYS/broker/clients/disconnected", "4")
                .containsEntry("$SYS/broker/clients/total", "7")
                .containsEntry("$SYS/broker/clients/maximum", "9")
                .containsEntry("$SYS/broker/clients/applications", "1")
                .containsEntry("$SYS/broker/messages/received", "0")
                .containsEntry("$SYS/broker/messages/sent", "12")
                .containsEntry("$SYS/broker/messages/stored", "40")
                .containsEntry("$SYS/broker/store/messages/count", "40")
                .containsEntry("$SYS/broker/messages/dropped", "6")
                .containsEntry("$SYS/broker/publish/messages/received", "21")
                .containsEntry("$SYS/broker/publish/messages/sent", "22")
                .containsEntry("$SYS/broker/publish/messages/dropped", "6")
                .containsEntry("$SYS/broker/publish/messages/unmatched", "7")
                .containsEntry("$SYS/broker/bytes/received", "31")
                .containsEntry("$SYS/broker/bytes/sent", "32")
                .containsEntry("$SYS/broker/subscriptions/count", "101")
                .containsEntry("$SYS/broker/shared_subscriptions/count", "202")
                .containsEntry("$SYS/broker/retained messages/count", "43")
                .hasSize(21 + 18 + 5 + 4);
    }

    @Test
    void aBrokerThatIsAloneIsAClusterOfOneNode() {
        topics.update();

        assertThat(texts())
                .containsEntry("$SYS/cluster/nodes/live", "1")
                .containsEntry("$SYS/cluster/nodes/silent", "0")
                .containsEntry("$SYS/cluster/nodes/known", "1")
                .containsEntry("$SYS/cluster/nodes/n1/state", "live")
                .containsEntry("$SYS/cluster/nodes/n1/version", "tributary 1.2")
                .containsEntry("$SYS/cluster/nodes/n1/uptime", "60 seconds")
                .containsEntry("$SYS/cluster/nodes/n1/clients/connected", "3")
                .containsEntry("$SYS/cluster/shards/count", "16")
                .containsEntry("$SYS/cluster/shards/unowned", "0");
        texts().forEach((topic, text) -> {
            String sum = topic.replace("$SYS/broker/", "$SYS/cluster/");
            if (texts().containsKey(sum)) {
                assertThat(texts()).containsEntry(sum, text);
            }
        });
    }

    @Test
    void addsUpWhatNodesHaveOfTheirOwnAndNotWhatAllHaveACopyOf() {
        stats = cluster(List.of(node("n2", 5)), List.of("n3"));
        topics.update();

        assertThat(texts())
                .containsEntry("$SYS/broker/clients/connected", "3")
                .containsEntry("$SYS/cluster/clients/connected", "8")
                .containsEntry("$SYS/cluster/clients/disconnected", "8")
                .containsEntry("$SYS/cluster/clients/total", "16")
                .containsEntry("$SYS/cluster/messages/sent", "24")
                .containsEntry("$SYS/cluster/messages/dropped", "12")
                .containsEntry("$SYS/cluster/publish/messages/received", "42")
                .containsEntry("$SYS/cluster/bytes/sent", "64")
                .containsEntry("$SYS/cluster/messages/stored", "80")
                .containsEntry("$SYS/cluster/subscriptions/count", "102")
                .containsEntry("$SYS/cluster/shared_subscriptions/count", "204")
                .containsEntry("$SYS/cluster/retained messages/count", "43")
                .containsEntry("$SYS/cluster/nodes/live", "3")
                .containsEntry("$SYS/cluster/nodes/silent", "1")
                .containsEntry("$SYS/cluster/nodes/known", "4")
                .containsEntry("$SYS/cluster/nodes/n2/state", "leaving")
                .containsEntry("$SYS/cluster/nodes/n2/clients/connected", "5")
                .containsEntry("$SYS/cluster/nodes/n3/state", "silent")
                .doesNotContainKey("$SYS/cluster/nodes/n3/uptime")
                .containsEntry("$SYS/cluster/shards/unowned", "2");
    }

    @Test
    void takesAwayWhatANodeSaidThatIsSilentOrGone() {
        stats = cluster(List.of(node("n2", 5), node("n3", 6)), List.of());
        topics.update();
        published.clear();
        stats = cluster(List.of(), List.of("n3"));
        topics.update();

        assertThat(texts())
                .containsEntry("$SYS/cluster/nodes/n2/state", "")
                .containsEntry("$SYS/cluster/nodes/n2/version", "")
                .containsEntry("$SYS/cluster/nodes/n2/uptime", "")
                .containsEntry("$SYS/cluster/nodes/n2/clients/connected", "")
                .containsEntry("$SYS/cluster/nodes/n3/state", "silent")
                .containsEntry("$SYS/cluster/nodes/n3/uptime", "")
                .containsEntry("$SYS/cluster/clients/connected", "3");
        published.clear();
        topics.update();
        assertThat(published).isEmpty();
    }

    @Test
    void aNodeIsOneLevelOfTheTopicWhateverItIsCalled() {
        stats = cluster(List.of(), List.of("a/b", "a+b", "a%2Fb", "r\u00e4um 1"));
        topics.update();

        assertThat(texts())
                .containsKeys(
                        "$SYS/cluster/nodes/a%2Fb/state",
                        "$SYS/cluster/nodes/a%2Bb/state",
                        "$SYS/cluster/nodes/a%252Fb/state",
                        "$SYS/cluster/nodes/r\u00e4um 1/state");
    }

    @Test
    void publishesRetainedMessagesOfNobody() {
        topics.update();

        assertThat(published.values()).allSatisfy(message -> {
            assertThat(message.retain()).isTrue();
            assertThat(message.publisher()).isEmpty();
            assertThat(message.qos().code()).isZero();
        });
    }

    @Test
    void publishesOnlyWhatChanged() {
        topics.update();
        nowNanos += 10_000_000_000L;
        topics.update(); // loads appear
        published.clear();
        nowNanos += 500_000_000L;
        stats = alone(5, 0);
        topics.update();

        assertThat(texts().keySet().stream().filter(topic -> !topic.contains("/load/")))
                .containsExactlyInAnyOrder(
                        "$SYS/broker/clients/connected",
                        "$SYS/broker/clients/total",
                        "$SYS/cluster/clients/connected",
                        "$SYS/cluster/clients/total",
                        "$SYS/cluster/nodes/n1/clients/connected");
    }

    @Test
    void publishesLoadsPerMinute() {
        topics.update();
        for (int i = 1; i <= 360; i++) {
            nowNanos += 10_000_000_000L;
            stats = alone(3, i * 100L); // 600 a minute, for an hour
            topics.update();
        }

        assertThat(texts()).containsEntry("$SYS/broker/load/messages/received/1min", "600.00");
        assertThat(Double.parseDouble(texts().getOrDefault("$SYS/broker/load/messages/received/15min", "0")))
                .isBetween(580.0, 600.0);
        assertThat(texts().keySet().stream().filter(topic -> topic.contains("/load/")))
                .hasSize(24);
    }

    @Test
    void publishesAtOnceAndGoesOnWhenARoundFails() throws Exception {
        CountDownLatch rounds = new CountDownLatch(2);
        SysTopics failing = new SysTopics(
                new SysConfig(Duration.ofSeconds(1), "v"),
                () -> {
                    rounds.countDown();
                    throw new IllegalStateException("no figures");
                },
                message -> {},
                System::nanoTime);
        try (ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor()) {
            failing.start(timer);
            assertThat(rounds.await(10, TimeUnit.SECONDS)).isTrue();
            failing.close();
        }
    }

    @Test
    void doesNothingWhenSwitchedOff() throws Exception {
        SysTopics off = new SysTopics(
                new SysConfig(Duration.ZERO, "v"), () -> stats, message -> published.put("x", message), () -> 0);
        try (ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor()) {
            off.start(timer);
            off.close();
        }

        assertThat(published).isEmpty();
    }

    @Test
    void configNamesTheValueAndWhatIsAllowed() {
        assertThatThrownBy(() -> new SysConfig(Duration.ofMillis(10), "v"))
                .hasMessage("interval PT0.01S: must be at least PT1S, or 0 to switch the $SYS topics off");
        assertThatThrownBy(() -> new SysConfig(Duration.ofSeconds(-1), "v")).hasMessageStartingWith("interval PT-1S");
    }

    private static ClusterStats alone(long connected, long packetsReceived) {
        ClusterStats.Node here = new ClusterStats.Node("n1", "live", said(connected, packetsReceived));
        return new ClusterStats(here, List.of(), List.of(), 1, 16, 0);
    }

    private static ClusterStats cluster(List<ClusterStats.Node> others, List<String> silent) {
        ClusterStats.Node here = new ClusterStats.Node("n1", "live", said(3, 0));
        return new ClusterStats(here, others, silent, 4, 16, 2);
    }

    private static ClusterStats.Node node(String name, long connected) {
        return new ClusterStats.Node(name, "leaving", said(connected, 0));
    }

    private static NodeStats said(long connected, long packetsReceived) {
        SysStats stats = new SysStats(
                new Clients(connected, 4, 9, 1),
                new Traffic(10, new Flow(packetsReceived, 12), new Flow(21, 22), 6, 7, new Flow(31, 32)),
                new StoredStats(40, new Subscribed(100, 200), new Subscribed(1, 2), 43));
        return new NodeStats("tributary 1.2", 60, stats, 0);
    }

    private Map<String, String> texts() {
        Map<String, String> texts = new LinkedHashMap<>();
        published.forEach((topic, message) -> texts.put(topic, Messages.text(message)));
        return texts;
    }
}
