package io.tributary.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.deployment.Deployment;
import io.tributary.broker.deployment.DeploymentSource;
import io.tributary.broker.deployment.Loss;
import io.tributary.broker.deployment.Storage;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.persistence.shard.ShardLog;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A broker that the others hold for dead before it has served anybody. */
class LossAtStartTest {
    private static final Loss HELD_FOR_DEAD = new Loss("the cluster holds this node for dead", false);

    @TempDir
    private Path data;

    private final BrokerMetrics metrics = BrokerMetrics.unregistered();
    private final AtomicInteger starts = new AtomicInteger();
    private BrokerConfig config;

    @BeforeEach
    void listen() {
        config = BrokerConfig.builder(data)
                .listener(ListenerConfig.tcp("tcp", 0))
                .build();
    }

    @Test
    void brokerThatIsLostWhileItStartsBeginsAnew() throws Exception {
        try (Broker broker = start(true, 2);
                TestClient client =
                        TestClient.open(broker.listeners().getFirst().address().getPort(), ProtocolVersion.MQTT_5)) {
            client.send(TestClient.connectPacket(ProtocolVersion.MQTT_5, "c", 0));
            assertThat(client.expect(Connack.class).reason()).isEqualTo(ReasonCode.SUCCESS);
        }
        assertThat(starts).hasValue(3);
    }

    @Test
    void brokerThatIsLostAgainAndAgainGivesUp() {
        assertThatThrownBy(() -> start(true, Integer.MAX_VALUE)).hasMessage("not in the node table");
        assertThat(starts).hasValue(5);
    }

    @Test
    void brokerThatFailsForAnotherReasonDoesNotTryAgain() {
        assertThatThrownBy(() -> start(false, Integer.MAX_VALUE)).hasMessage("not in the node table");
        assertThat(starts).hasValue(1);
    }

    /** Other nodes died with it, so that shards have no owner: nobody may wait for them for ever. */
    @Test
    @Timeout(60)
    void brokerThatIsLostWhileItWaitsForShardsBeginsAnew() {
        DeploymentSource source = (onLost, _) -> {
            Deployment alone = Standalone.open(config, metrics);
            return starts.incrementAndGet() > 1 ? alone : withoutOwners(alone, () -> onLost.accept(HELD_FOR_DEAD));
        };
        try (Broker broker = Broker.start(config, BrokerExtensions.NONE, metrics, source)) {
            assertThat(broker.status().ready()).isTrue();
        }
        assertThat(starts).hasValue(2);
    }

    /** One that begins anew, waits for shards, and is closed. */
    @Test
    @Timeout(60)
    void brokerThatWaitsForShardsCanBeClosed() throws Exception {
        AtomicReference<Consumer<Loss>> lose = new AtomicReference<>();
        CountDownLatch waits = new CountDownLatch(1);
        DeploymentSource source = (onLost, _) -> {
            lose.set(onLost);
            Deployment alone = Standalone.open(config, metrics);
            return starts.incrementAndGet() == 1 ? alone : withoutOwners(alone, waits::countDown);
        };
        try (Broker _ = Broker.start(config, BrokerExtensions.NONE, metrics, source)) {
            lose.get().accept(HELD_FOR_DEAD);
            waits.await();
        }
    }

    /** One that begins anew while what its place stands on, such as Redis, is not there. */
    @Test
    @Timeout(60)
    void brokerThatWaitsForItsPlaceCanBeClosed() throws Exception {
        AtomicReference<Consumer<Loss>> lose = new AtomicReference<>();
        CountDownLatch waits = new CountDownLatch(1);
        DeploymentSource source = (onLost, givenUp) -> {
            lose.set(onLost);
            if (starts.incrementAndGet() > 1) {
                waits.countDown();
                Object _ = givenUp.join();
            }
            return Standalone.open(config, metrics);
        };
        try (Broker _ = Broker.start(config, BrokerExtensions.NONE, metrics, source)) {
            lose.get().accept(HELD_FOR_DEAD);
            waits.await();
        }
    }

    /** Such as one of direct memory, which does not end the process: nobody else would have the node begin anew. */
    @Test
    @Timeout(60)
    void brokerBeginsAnewWhenErrorsAreInItsWay() throws Exception {
        AtomicReference<Consumer<Loss>> lose = new AtomicReference<>();
        DeploymentSource source = (onLost, _) -> {
            lose.set(onLost);
            Deployment alone = Standalone.open(config, metrics);
            return switch (starts.incrementAndGet()) {
                case 1 ->
                    But.one(Deployment.class, alone, "close", close -> {
                        Object _ = close.get();
                        throw new NoClassDefFoundError("while it is closed");
                    });
                case 2 ->
                    But.one(Deployment.class, alone, "membership", _ -> {
                        throw new OutOfMemoryError("while it begins anew");
                    });
                default -> alone;
            };
        };
        try (Broker broker = Broker.start(config, BrokerExtensions.NONE, metrics, source)) {
            lose.get().accept(HELD_FOR_DEAD);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> starts.get() > 2 && broker.status().ready());
        }
        assertThat(starts).hasValue(3);
    }

    private static Deployment withoutOwners(Deployment alone, Runnable begun) {
        return But.one(
                Deployment.class,
                alone,
                "storage",
                storage -> But.one(
                        Storage.class,
                        (Storage) storage.get(),
                        "log",
                        log -> But.one(ShardLog.class, (ShardLog) log.get(), "start", _ -> {
                            begun.run();
                            return null;
                        })));
    }

    /** Its first starts fail, as a node's do when it has entered the table and is taken out of it. */
    private Broker start(boolean isLost, int failures) {
        DeploymentSource source = (onLost, _) -> {
            if (starts.incrementAndGet() > failures) {
                return Standalone.open(config, metrics);
            }
            if (isLost) {
                onLost.accept(HELD_FOR_DEAD);
            }
            throw new IllegalStateException("not in the node table");
        };
        return Broker.start(config, BrokerExtensions.NONE, metrics, source);
    }
}
