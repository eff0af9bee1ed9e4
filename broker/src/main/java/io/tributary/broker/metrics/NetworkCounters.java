package io.tributary.broker.metrics;

import io.tributary.broker.network.EntryRefusal;
import io.tributary.broker.network.NetworkRecorder;
import io.tributary.broker.sys.SysStats.Flow;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts what goes over sockets. */
final class NetworkCounters implements NetworkRecorder {
    private final Meters meters;
    private final Map<String, Listener> listeners = new ConcurrentHashMap<>();
    private final LongAdder packetsReceived;
    private final LongAdder packetsSent;
    private final LongAdder bytesReceived;
    private final LongAdder bytesSent;
    private final LongAdder stalled;
    private final LongAdder withoutMemory;

    private record Listener(
            LongAdder opened,
            LongAdder closed,
            LongAdder rejected,
            LongAdder unaccepted,
            Map<EntryRefusal, LongAdder> refused) {}

    NetworkCounters(Meters meters) {
        this.meters = meters;
        packetsReceived = meters.counter(BrokerMeters.PACKETS, "received");
        packetsSent = meters.counter(BrokerMeters.PACKETS, "sent");
        bytesReceived = meters.counter(BrokerMeters.BYTES, "received");
        bytesSent = meters.counter(BrokerMeters.BYTES, "sent");
        stalled = meters.counter(BrokerMeters.CONNECTIONS_STALLED);
        withoutMemory = meters.counter(BrokerMeters.CONNECTIONS_WITHOUT_MEMORY);
    }

    @Override
    public void opened(String listener) {
        of(listener).opened().increment();
    }

    @Override
    public void closed(String listener) {
        of(listener).closed().increment();
    }

    @Override
    public void rejected(String listener) {
        of(listener).rejected().increment();
    }

    @Override
    public void refused(String listener, EntryRefusal reason) {
        Meters.of(of(listener).refused(), reason).increment();
    }

    @Override
    public void unaccepted(String listener) {
        of(listener).unaccepted().increment();
    }

    @Override
    public void received(int packets, int bytes) {
        packetsReceived.add(packets);
        bytesReceived.add(bytes);
    }

    @Override
    public void sent(int packets, int bytes) {
        packetsSent.add(packets);
        bytesSent.add(bytes);
    }

    @Override
    public void stalled() {
        stalled.increment();
    }

    @Override
    public void withoutMemory() {
        withoutMemory.increment();
    }

    /** Connections that were opened, of all listeners. */
    long opened() {
        return listeners.values().stream()
                .mapToLong(listener -> listener.opened().sum())
                .sum();
    }

    Flow packets() {
        return new Flow(packetsReceived.sum(), packetsSent.sum());
    }

    Flow bytes() {
        return new Flow(bytesReceived.sum(), bytesSent.sum());
    }

    private Listener of(String name) {
        return listeners.computeIfAbsent(name, this::register);
    }

    private Listener register(String name) {
        return new Listener(
                meters.counter(BrokerMeters.CONNECTIONS_OPENED, name),
                meters.counter(BrokerMeters.CONNECTIONS_CLOSED, name),
                meters.counter(BrokerMeters.CONNECTIONS_REJECTED, name),
                meters.counter(BrokerMeters.CONNECTIONS_UNACCEPTED, name),
                meters.counters(BrokerMeters.CONNECTIONS_REFUSED, EntryRefusal.class, name));
    }
}
