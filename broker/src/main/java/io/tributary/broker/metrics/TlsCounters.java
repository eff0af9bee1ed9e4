package io.tributary.broker.metrics;

import io.tributary.broker.tls.HandshakeFailure;
import io.tributary.broker.tls.TlsRecorder;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;

/** Counts TLS handshakes and reloads of certificates, and shows when certificates expire. Thread-safe. */
public final class TlsCounters implements TlsRecorder {
    private static final String SUCCESS = "success";
    private static final String FAILURE = "failure";

    private final Meters meters;
    private final Map<String, Listener> listeners = new ConcurrentHashMap<>();
    private final Map<String, AtomicReference<DoubleSupplier>> gauges = new ConcurrentHashMap<>();

    private record Listener(
            LongAdder succeeded,
            LongAdder failed,
            Map<HandshakeFailure, LongAdder> reasons,
            LongAdder waited,
            LongAdder reloaded,
            LongAdder notReloaded,
            LongAdder revoked) {}

    /** Registers meters of a listener when it is first heard of. */
    public TlsCounters(Meters meters) {
        this.meters = meters;
    }

    @Override
    public void handshake(String listener) {
        of(listener).succeeded().increment();
    }

    @Override
    public void handshakeFailed(String listener, HandshakeFailure reason) {
        of(listener).failed().increment();
        Meters.of(of(listener).reasons(), reason).increment();
    }

    @Override
    public void handshakeWaits(String listener) {
        of(listener).waited().increment();
    }

    @Override
    public void reloaded(String listener, boolean isTaken) {
        (isTaken ? of(listener).reloaded() : of(listener).notReloaded()).increment();
    }

    @Override
    public void revoked(String listener) {
        of(listener).revoked().increment();
    }

    @Override
    public void watched(String listener, BooleanSupplier isFailing) {
        show(BrokerMeters.TLS_RELOAD_FAILING, () -> isFailing.getAsBoolean() ? 1 : 0, listener);
    }

    @Override
    public void certificate(String listener, String host, DoubleSupplier seconds) {
        of(listener);
        show(BrokerMeters.TLS_CERTIFICATE_EXPIRY, seconds, listener, host);
    }

    /** Of one name the newest counts: a broker that begins anew reads its certificates anew. */
    private void show(BrokerMeters meter, DoubleSupplier value, String... tagValues) {
        gauges.computeIfAbsent(meter + "\n" + String.join("\n", tagValues), _ -> {
                    AtomicReference<DoubleSupplier> shown = new AtomicReference<>(value);
                    meters.gauge(meter, () -> shown.get().getAsDouble(), tagValues);
                    return shown;
                })
                .set(value);
    }

    private Listener of(String name) {
        return listeners.computeIfAbsent(name, this::register);
    }

    private Listener register(String name) {
        return new Listener(
                meters.counter(BrokerMeters.TLS_HANDSHAKES, name, SUCCESS),
                meters.counter(BrokerMeters.TLS_HANDSHAKES, name, FAILURE),
                meters.counters(BrokerMeters.TLS_HANDSHAKES_FAILED, HandshakeFailure.class, name),
                meters.counter(BrokerMeters.TLS_HANDSHAKES_WAITED, name),
                meters.counter(BrokerMeters.TLS_RELOADS, name, SUCCESS),
                meters.counter(BrokerMeters.TLS_RELOADS, name, FAILURE),
                meters.counter(BrokerMeters.TLS_REVOKED, name));
    }
}
