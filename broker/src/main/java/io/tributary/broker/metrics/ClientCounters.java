package io.tributary.broker.metrics;

import io.micrometer.core.instrument.Timer;
import io.tributary.broker.connection.ClientRecorder;
import io.tributary.broker.connection.DropReason;
import io.tributary.broker.connection.PauseReason;
import io.tributary.common.event.ClientKind;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts events of clients' connections. Reasons are registered when they first occur: of the forty, most never do. */
final class ClientCounters implements ClientRecorder {
    private final Meters meters;
    private final LongAdder connectedNew;
    private final LongAdder connectedResumed;
    private final Map<ReasonCode, LongAdder> refused = new ConcurrentHashMap<>();
    private final Map<ReasonCode, LongAdder> disconnected = new ConcurrentHashMap<>();
    private final Map<DropReason, LongAdder> dropped;
    private final RuleSetCounters notAuthorized;
    private final Map<PauseReason, LongAdder> paused;
    private final LongAdder devices = new LongAdder();
    private final LongAdder applications = new LongAdder();
    private final AtomicLong clients = new AtomicLong();
    private final LongAccumulator mostClients = new LongAccumulator(Math::max, 0);
    private final LongAdder keepAliveTimeouts;
    private final LongAdder takeoversRefused;
    private final LongAdder subscriptionsRefused;
    private final Map<QoS, Timer> acknowledged;
    private final LongAdder inFlight = new LongAdder();
    private final DeadlineCounters deadlines;

    /** @param ruleSets the names of rule sets that are shown */
    ClientCounters(Meters meters, Set<String> ruleSets, DeadlineCounters deadlines) {
        this.meters = meters;
        this.deadlines = deadlines;
        meters.gauge(BrokerMeters.CLIENTS, devices::doubleValue, "device");
        meters.gauge(BrokerMeters.CLIENTS, applications::doubleValue, "application");
        connectedNew = meters.counter(BrokerMeters.CLIENTS_CONNECTED, "new");
        connectedResumed = meters.counter(BrokerMeters.CLIENTS_CONNECTED, "resumed");
        dropped = meters.counters(BrokerMeters.MESSAGES_DROPPED, DropReason.class, "session", RuleSetCounters.NONE);
        notAuthorized = new RuleSetCounters(
                meters, "session", DropReason.NOT_AUTHORIZED, ruleSets, Meters.of(dropped, DropReason.NOT_AUTHORIZED));
        paused = meters.counters(BrokerMeters.READING_PAUSED, PauseReason.class);
        takeoversRefused = meters.counter(BrokerMeters.TAKEOVERS_REFUSED);
        subscriptionsRefused = meters.counter(BrokerMeters.SUBSCRIPTIONS_REFUSED);
        keepAliveTimeouts = meters.counter(BrokerMeters.KEEP_ALIVE_TIMEOUTS);
        acknowledged = Map.of(
                QoS.AT_LEAST_ONCE, meters.timer(BrokerMeters.MESSAGES_ACKNOWLEDGED, "1"),
                QoS.EXACTLY_ONCE, meters.timer(BrokerMeters.MESSAGES_ACKNOWLEDGED, "2"));
        meters.gauge(BrokerMeters.MESSAGES_IN_FLIGHT, inFlight::doubleValue);
    }

    @Override
    public void connected(ClientKind kind, boolean sessionPresent) {
        clients(kind).increment();
        mostClients.accumulate(clients.incrementAndGet());
        (sessionPresent ? connectedResumed : connectedNew).increment();
    }

    @Override
    public void refused(ReasonCode reason) {
        of(refused, BrokerMeters.CLIENTS_REFUSED, reason).increment();
    }

    @Override
    public void takeoverRefused() {
        takeoversRefused.increment();
    }

    @Override
    public void subscriptionRefused() {
        subscriptionsRefused.increment();
    }

    @Override
    public void disconnected(ClientKind kind, ReasonCode reason) {
        clients(kind).decrement();
        clients.decrementAndGet();
        of(disconnected, BrokerMeters.CLIENTS_DISCONNECTED, reason).increment();
    }

    @Override
    public void dropped(DropReason reason) {
        Meters.of(dropped, reason).increment();
    }

    @Override
    public void deadlineMissed(String topic) {
        deadlines.missed(topic);
    }

    @Override
    public void notAuthorized(@Nullable String ruleSet) {
        notAuthorized.increment(ruleSet);
    }

    @Override
    public void inFlightChanged(int difference) {
        inFlight.add(difference);
    }

    @Override
    public void acknowledged(QoS qos, long nanos) {
        Objects.requireNonNull(acknowledged.get(qos)).record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void keepAliveTimeout() {
        keepAliveTimeouts.increment();
    }

    @Override
    public void readingPaused(PauseReason reason) {
        Meters.of(paused, reason).increment();
    }

    long dropped() {
        return Meters.sum(dropped.values()) + notAuthorized.sum();
    }

    /** The most clients that were connected at once. */
    long mostClients() {
        return mostClients.get();
    }

    /** Applications that are connected. */
    long applications() {
        return applications.sum();
    }

    private LongAdder clients(ClientKind kind) {
        return kind.isApplication() ? applications : devices;
    }

    private LongAdder of(Map<ReasonCode, LongAdder> counters, BrokerMeters meter, ReasonCode reason) {
        return counters.computeIfAbsent(reason, code -> meters.counter(meter, Meters.tagValue(code)));
    }
}
