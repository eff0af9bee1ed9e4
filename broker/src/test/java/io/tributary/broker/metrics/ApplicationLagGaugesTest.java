package io.tributary.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tributary.broker.shard.ApplicationLag;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ApplicationLagGaugesTest {
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final ApplicationLagGauges gauges = new ApplicationLagGauges(new Meters(registry));

    @Test
    void applicationIsShownUntilItIsForgotten() {
        gauges.show("erp", new ApplicationLag(5, 100, 3000));
        assertShows("erp", 5, 100, 3);
        gauges.show("erp", new ApplicationLag(2, 40, 1000));
        assertShows("erp", 2, 40, 1);
        gauges.forget("erp");
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void applicationsThatLookAlikeAreShownTogether() {
        gauges.show("erp\u0001", new ApplicationLag(5, 100, 3000));
        gauges.show("erp\u0002", new ApplicationLag(2, 40, 4000));
        assertShows("erp?", 7, 140, 4);
        gauges.forget("erp\u0002");
        assertShows("erp?", 5, 100, 3);
        gauges.forget("erp\u0002");
        gauges.forget("erp?");
        assertShows("erp?", 5, 100, 3);
        gauges.forget("erp\u0001");
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void oneMoreIsShownWhenAnotherIsForgotten() {
        for (int i = 0; i < 1000; i++) {
            gauges.show("erp" + i, new ApplicationLag(1, 1, 1));
        }
        gauges.show("late", new ApplicationLag(1, 1, 1));
        assertThat(gauge(BrokerMeters.APPLICATION_LAG, "late")).isNull();
        gauges.forget("erp7");
        gauges.show("late", new ApplicationLag(1, 1, 1));
        assertShows("late", 1, 1, 0.001);
    }

    private void assertShows(String name, double messages, double bytes, double seconds) {
        assertThat(valueOf(BrokerMeters.APPLICATION_LAG, name)).isEqualTo(messages);
        assertThat(valueOf(BrokerMeters.APPLICATION_LAG_SIZE, name)).isEqualTo(bytes);
        assertThat(valueOf(BrokerMeters.APPLICATION_LAG_AGE, name)).isEqualTo(seconds);
    }

    private double valueOf(BrokerMeters meter, String name) {
        Gauge gauge = gauge(meter, name);
        return gauge == null ? Double.NaN : gauge.value();
    }

    private @Nullable Gauge gauge(BrokerMeters meter, String name) {
        return registry.find(meter.meterName()).tag("client", name).gauge();
    }
}
