package io.tributary.broker.metrics;

import io.micrometer.core.instrument.Gauge;
import io.tributary.broker.shard.ApplicationLag;
import io.tributary.common.event.GroupIdentifier;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;

/**
 * Shows how far applications are behind, each under its own name, and no more of them than a registry bears. Those
 * whose names look alike, for control characters are not shown, share gauges. Thread-safe.
 */
final class ApplicationLagGauges {
    private static final int MOST = 1_000;
    private static final double MILLIS = 1000.0;

    private final Meters meters;

    // Guarded by this.
    private final Map<String, Shown> byName = new HashMap<>();
    private int applications;

    /** The figures of the applications with one name. */
    private final class Shown {
        private final Map<String, ApplicationLag> lags = new ConcurrentHashMap<>();
        private final Gauge ofMessages;
        private final Gauge ofBytes;
        private final Gauge ofAge;

        Shown(String name) {
            ofMessages = meters.gauge(BrokerMeters.APPLICATION_LAG, () -> sum(ApplicationLag::messages), name);
            ofBytes = meters.gauge(BrokerMeters.APPLICATION_LAG_SIZE, () -> sum(ApplicationLag::bytes), name);
            ofAge = meters.gauge(BrokerMeters.APPLICATION_LAG_AGE, this::longestSeconds, name);
        }

        private double sum(ToDoubleFunction<ApplicationLag> figure) {
            return lags.values().stream().mapToDouble(figure).sum();
        }

        private double longestSeconds() {
            return lags.values().stream()
                            .mapToLong(ApplicationLag::ageMillis)
                            .max()
                            .orElse(0)
                    / MILLIS;
        }

        void remove() {
            meters.remove(ofMessages);
            meters.remove(ofBytes);
            meters.remove(ofAge);
        }
    }

    ApplicationLagGauges(Meters meters) {
        this.meters = meters;
    }

    synchronized void show(String clientId, ApplicationLag lag) {
        String name = GroupIdentifier.display(clientId);
        Shown known = byName.get(name);
        if (known != null && known.lags.replace(clientId, lag) != null) {
            return;
        }
        if (applications < MOST) {
            applications++;
            byName.computeIfAbsent(name, Shown::new).lags.put(clientId, lag);
        }
    }

    synchronized void forget(String clientId) {
        String name = GroupIdentifier.display(clientId);
        Shown was = byName.get(name);
        if (was == null || was.lags.remove(clientId) == null) {
            return;
        }
        applications--;
        if (was.lags.isEmpty()) {
            byName.remove(name);
            was.remove();
        }
    }
}
