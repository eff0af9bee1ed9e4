package io.tributary.broker.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.connection.OutboundLimits.Overflow;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.common.mqtt.QoS;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Publishers, and a subscriber without a persistent session that reads nothing for a while. */
class HeldPublishersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** Room for more than a message of each publisher in either half. */
    private static final int QUEUE_BYTES = 256 * 1024;

    @TempDir
    private Path data;

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private Broker broker;

    private HeldPublishers start(Overflow overflow, QoS qos) throws IOException {
        broker = Broker.start(
                BrokerConfig.builder(data)
                        .listener(ListenerConfig.builder("tcp", 0)
                                .limits(limits -> limits.delivery(delivery ->
                                        delivery.queueSize(QUEUE_BYTES).queueOverflow(overflow)))
                                .build())
                        .build(),
                BrokerExtensions.builder().build(),
                new BrokerMetrics(meters));
        int port = broker.listeners().getFirst().address().getPort();
        return new HeldPublishers(port, port, qos);
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = QoS.class,
            names = {"AT_MOST_ONCE", "AT_LEAST_ONCE"})
    void allMessagesComeInOrderWhenPublishersWait(QoS qos) throws IOException {
        try (HeldPublishers clients = start(Overflow.HOLD_PUBLISHERS, qos)) {
            clients.publish();
            await("publishers wait").atMost(PATIENCE).until(() -> paused() >= HeldPublishers.COUNT);
            clients.expectAll();
        }
        assertThat(dropped()).isZero();
    }

    @Test
    void messagesAreDroppedWhenNobodyWaits() throws IOException {
        try (HeldPublishers clients = start(Overflow.DROP_NEWEST, QoS.AT_MOST_ONCE)) {
            clients.publish();
            await("messages are dropped").atMost(PATIENCE).until(() -> dropped() > 0);
        }
        assertThat(paused()).isZero();
    }

    private double paused() {
        return meters.get("tributary.clients.reading.paused")
                .tag("reason", "slow_subscriber")
                .functionCounter()
                .count();
    }

    private double dropped() {
        return meters.get("tributary.messages.dropped")
                .tags("place", "session", "reason", "queue_full")
                .functionCounter()
                .count();
    }
}
