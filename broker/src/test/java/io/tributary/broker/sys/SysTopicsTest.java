package io.tributary.broker.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.broker.fake.Messages;
import io.tributary.broker.sys.SysFigures.Clients;
import io.tributary.broker.sys.SysFigures.Flow;
import io.tributary.broker.sys.SysFigures.Kept;
import io.tributary.broker.sys.SysFigures.Traffic;
import io.tributary.common.mqtt.Message;
import java.time.Duration;
import java.util.LinkedHashMap;
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
    private SysFigures figures = figures(3, 0);
    private final SysTopics topics =
            new SysTopics(CONFIG, () -> figures, message -> published.put(message.topic(), message), () -> nowNanos);

    @Test
    void publishesEveryFigureInTheFirstRound() {
        topics.update();

        assertThat(texts())
                .containsEntry("$SYS/broker/version", "tributary 1.2")
                .containsEntry("$SYS/broker/uptime", "0 seconds")
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
                .containsEntry("$SYS/broker/bytes/received", "31")
                .containsEntry("$SYS/broker/bytes/sent", "32")
                .containsEntry("$SYS/broker/subscriptions/count", "41")
                .containsEntry("$SYS/broker/shared_subscriptions/count", "42")
                .containsEntry("$SYS/broker/retained messages/count", "43")
                .hasSize(20);
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
        figures = figures(5, 0);
        topics.update();

        assertThat(texts().keySet().stream().filter(topic -> !topic.contains("/load/")))
                .containsExactly("$SYS/broker/clients/connected", "$SYS/broker/clients/total");
    }

    @Test
    void publishesLoadsPerMinute() {
        topics.update();
        for (int i = 1; i <= 360; i++) {
            nowNanos += 10_000_000_000L;
            figures = figures(3, i * 100L); // 600 a minute, for an hour
            topics.update();
        }

        assertThat(texts())
                .containsEntry("$SYS/broker/load/messages/received/1min", "600.00")
                .containsEntry("$SYS/broker/uptime", "3600 seconds");
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
                new SysConfig(Duration.ZERO, "v"), () -> figures, message -> published.put("x", message), () -> 0);
        try (ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor()) {
            off.start(timer);
            off.close();
        }

        assertThat(published).isEmpty();
    }

    @Test
    void configNamesTheValueAndWhatIsAllowed() {
        assertThat(SysConfig.defaults().interval()).isEqualTo(Duration.ofSeconds(10));
        assertThatThrownBy(() -> new SysConfig(Duration.ofMillis(10), "v"))
                .hasMessage("interval PT0.01S: must be at least PT1S, or 0 to switch the $SYS topics off");
        assertThatThrownBy(() -> new SysConfig(Duration.ofSeconds(-1), "v")).hasMessageStartingWith("interval PT-1S");
    }

    private static SysFigures figures(long connected, long packetsReceived) {
        return new SysFigures(
                new Clients(connected, 4, 9, 1),
                new Traffic(10, new Flow(packetsReceived, 12), new Flow(21, 22), 6, new Flow(31, 32)),
                new Kept(40, 41, 42, 43));
    }

    private Map<String, String> texts() {
        Map<String, String> texts = new LinkedHashMap<>();
        published.forEach((topic, message) -> texts.put(topic, Messages.text(message)));
        return texts;
    }
}
