package io.tributary.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tributary.broker.security.store.TenantLimits.Limit;
import io.tributary.broker.tenant.TenantUse;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TenantCountersTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final TenantCounters counters = new BrokerMetrics(registry).tenants();

    @Test
    void firstThousandTenantsHaveMetersOfTheirOwn() {
        for (int i = 0; i < 1_003; i++) {
            counters.of("t" + i).received(10);
        }
        assertThat(received("t0")).isEqualTo(1);
        assertThat(received("t999")).isEqualTo(1);
        assertThat(received("other")).isEqualTo(3);
        assertThat(registry.find("tributary.tenants.messages")
                        .tag("tenant", "t1000")
                        .meters())
                .isEmpty();
        counters.of("t0").received(10);
        assertThat(received("t0")).isEqualTo(2);
        int meters = registry.getMeters().size();
        counters.of("t5000").received(1);
        assertThat(registry.getMeters()).hasSize(meters);
    }

    @Test
    void useIsShownUntilThereIsNone() {
        counters.show(Map.of("acme", new TenantUse(1, 2, 3, 4, 5, 6, 7)));
        assertThat(gauge("connections", "acme")).isEqualTo(1);
        assertThat(gauge("sessions", "acme")).isEqualTo(2);
        assertThat(gauge("subscriptions", "acme")).isEqualTo(7);
        assertThat(gauge("retained.messages", "acme")).isEqualTo(5);
        assertThat(gauge("retained.size", "acme")).isEqualTo(6);
        assertThat(gauge("queued.size", "acme")).isEqualTo(7);
        counters.show(Map.of());
        assertThat(gauge("connections", "acme")).isZero();
        assertThat(gauge("queued.size", "acme")).isZero();
    }

    @Test
    void othersAreAddedUp() {
        for (int i = 0; i < 1_000; i++) {
            counters.of("t" + i).sent(1);
        }
        counters.show(Map.of("a", TenantUse.ofConnections(2), "b", TenantUse.ofConnections(3)));
        assertThat(gauge("connections", "other")).isEqualTo(5);
    }

    @Test
    void refusalsAreCountedByLimit() {
        counters.of("acme").refused(Limit.CONNECTIONS);
        counters.of("acme").refused(Limit.CONNECTIONS);
        counters.of("acme").refused(Limit.RETAINED_BYTES);
        assertThat(registry.get("tributary.tenants.refused")
                        .tags("tenant", "acme", "limit", "connections")
                        .functionCounter()
                        .count())
                .isEqualTo(2);
        assertThat(registry.get("tributary.tenants.refused")
                        .tags("tenant", "acme", "limit", "retained_bytes")
                        .functionCounter()
                        .count())
                .isEqualTo(1);
    }

    private double received(String tenant) {
        return registry.get("tributary.tenants.messages")
                .tags("tenant", tenant, "direction", "received")
                .functionCounter()
                .count();
    }

    private double gauge(String what, String tenant) {
        return registry.get("tributary.tenants." + what)
                .tag("tenant", tenant)
                .gauge()
                .value();
    }
}
