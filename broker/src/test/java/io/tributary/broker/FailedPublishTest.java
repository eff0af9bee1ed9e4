package io.tributary.broker;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.broker.delivery.NodeView;
import io.tributary.broker.deployment.Deployment;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the embedding application is told of a message that it could not publish. */
class FailedPublishTest {
    private static final int PATIENCE_SECONDS = 20;
    private static final int MORE_THAN_A_CLIENTS = 3 << 20;

    @TempDir
    private Path data;

    /** A node of a cluster whose Kafka is slow, for instance; it is not closing. */
    @Test
    void saysThatItIsNotKnownWhenTheNodeIsBehind() {
        assertFailure(1).hasMessageContaining("behind").hasMessageEndingWith("publish it again");
    }

    @Test
    void saysWhyWhenItIsRefused() {
        assertFailure(MORE_THAN_A_CLIENTS).hasMessageStartingWith("PACKET_TOO_LARGE: ");
    }

    private AbstractThrowableAssert<?, ? extends Throwable> assertFailure(int payloadBytes) {
        BrokerConfig config = BrokerConfig.builder(data)
                .listener(ListenerConfig.tcp("tcp", 0))
                .build();
        try (Broker broker = Broker.start(
                config,
                BrokerExtensions.NONE,
                BrokerMetrics.unregistered(),
                (_, _) -> But.one(
                        Deployment.class,
                        Standalone.open(config, BrokerMetrics.unregistered()),
                        "view",
                        _ -> new Behind()))) {
            return assertThatThrownBy(() -> broker.publish(Message.of("a", new byte[payloadBytes], QoS.AT_LEAST_ONCE))
                            .toCompletableFuture()
                            .get(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    private static final class Behind implements NodeView {
        @Override
        public boolean isCurrent() {
            return false;
        }

        @Override
        public void onCurrent(Runnable action) {}
    }
}
