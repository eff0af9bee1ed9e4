package io.tributary.broker.boot;

import io.tributary.broker.BrokerStatus;
import java.util.function.Supplier;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Up while the broker has started and is not stopping, and the store commits; otherwise why not, in words. */
final class BrokerHealth implements HealthIndicator {
    private final Supplier<BrokerStatus> status;

    BrokerHealth(Supplier<BrokerStatus> status) {
        this.status = status;
    }

    @Override
    public Health health() {
        BrokerStatus now = status.get();
        Health.Builder health = health(now);
        return health.withDetail("listeners", now.listeners())
                .withDetail("connections", now.connections())
                .withDetail("persistentSessions", now.persistentSessions())
                .withDetail("queuedMessages", now.queuedMessages())
                .build();
    }

    private static Health.Builder health(BrokerStatus status) {
        String problem = status.storageProblem();
        if (problem != null) {
            return Health.down().withDetail("problem", "the store cannot commit: " + problem);
        }
        if (!status.ready()) {
            return Health.outOfService().withDetail("problem", "the broker is starting or stopping");
        }
        return Health.up();
    }
}
