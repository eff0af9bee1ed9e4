package io.tributary.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.deployment.Deployment;
import io.tributary.broker.deployment.DeploymentSource;
import io.tributary.broker.guard.BanLimit;
import io.tributary.broker.guard.BanLimits;
import io.tributary.broker.guard.GuardConfig;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker that other nodes tell another time than this machine's wall clock does. */
class DeploymentClockTest {
    private static final Instant NOW = Instant.ofEpochSecond(4_000_000_000L);

    @TempDir
    private Path data;

    @Test
    void bansAndTheSecurityStoreGoByIt() {
        BanLimit once = new BanLimit(1, Duration.ofMinutes(1), Duration.ofMinutes(1));
        GuardConfig usual = GuardConfig.DEFAULT;
        BrokerConfig config = BrokerConfig.builder(data)
                .listener(ListenerConfig.tcp("tcp", 0))
                .guard(new GuardConfig(
                        usual.unauthenticatedMemory(),
                        usual.unauthenticatedSize(),
                        usual.perAddress(),
                        usual.perClient(),
                        new BanLimits(BanLimit.NONE, BanLimit.NONE, once),
                        BanLimits.NONE,
                        List.of()))
                .build();
        BrokerMetrics metrics = BrokerMetrics.unregistered();
        InstantSource clock = () -> NOW;
        DeploymentSource source =
                (_, _) -> But.one(Deployment.class, Standalone.open(config, metrics), "clock", _ -> clock);
        try (Broker broker = Broker.start(config, BrokerExtensions.NONE, metrics, source)) {
            InetAddress from = InetAddress.ofLiteral("203.0.113.1");
            broker.guard().failed(from, "c", null);
            assertThat(broker.guard().bans())
                    .singleElement()
                    .satisfies(ban -> assertThat(ban.until()).isEqualTo(NOW.plusSeconds(60)));
            assertThat(broker.security().clock().instant()).isEqualTo(NOW);
            assertThat(broker.clock().instant()).isEqualTo(NOW);
        }
    }
}
