package io.tributary.broker.metrics;

import io.micrometer.core.instrument.Gauge;
import io.tributary.broker.shard.ApplicationLag;
import io.tributary.common.event.GroupIdentifier;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Shows how far applications are behind, each under its own name, and no more of them than a registry bears.
 * Thread-safe.
 */
final class ApplicationLagGauges {
    private static final int MOST = 1_000;
    private static final double MILLIS = 1000.0;

    private final Meters meters;
    private final Map<String, Shown> shown = new ConcurrentHashMap<>();

    /** The figures of an application. */
    private final class Shown {
        private volatile ApplicationLag lag;
        private final Gauge ofMessages;
        private final Gauge ofBytes;
        private final Gauge ofAge;

        Shown(String name, ApplicationLag first) {
            lag = first;
            ofMessages = meters.gauge(BrokerMeters.APPLICATION_LAG, () -> lag.messages(), name);
            ofBytes = meters.gauge(BrokerMeters.APPLICATION_LAG_SIZE, () -> lag.bytes(), name);
            ofAge = meters.gauge(BrokerMeters.APPLICATION_LAG_AGE, () -> lag.ageMillis() / MILLIS, name);
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

    void show(String clientId, ApplicationLag lag) {
        String name = GroupIdentifier.display(clientId);
        Shown at = shown.get(name);
        if (at == null && shown.size() < MOST) {
            at = shown.computeIfAbsent(name, _ -> new Shown(name, lag));
        }
        if (at != null) {
            at.lag = lag;
        }
    }

    void forget(String clientId) {
        String name = GroupIdentifier.display(clientId);
        Shown was = shown.remove(name);
        if (was != null) {
            was.remove();
        }
    }
}
