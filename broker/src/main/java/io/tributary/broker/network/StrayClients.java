package io.tributary.broker.network;

import io.netty.channel.Channel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Clients of one listener that are set up for something else, such as a browser at the port of MQTT: the log names one
 * of them a minute, and how many there were. Any thread.
 */
final class StrayClients {
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String listener;
    private final String takes;
    private final LongSupplier nanoClock;
    private final Consumer<String> log;
    private final AtomicLong saidNanos;
    private final AtomicLong unsaid = new AtomicLong();

    /** Creates those of a listener; none has come yet. */
    StrayClients(ListenerConfig config, LongSupplier nanoClock, Consumer<String> log) {
        listener = config.name();
        takes = takes(config.kind());
        this.nanoClock = nanoClock;
        this.log = log;
        saidNanos = new AtomicLong(nanoClock.getAsLong() - MINUTE_NANOS);
    }

    /** What clients of the listener should speak, in words. */
    String takes() {
        return takes;
    }

    /**
     * One came.
     *
     * @param did what it did, such as {@code spoke HTTP}; not in words of its own, for what it sends has no place in
     *     the log
     */
    void came(Channel client, String did) {
        unsaid.incrementAndGet();
        long now = nanoClock.getAsLong();
        long before = saidNanos.get();
        if (now - before >= MINUTE_NANOS && saidNanos.compareAndSet(before, now)) {
            long others = unsaid.getAndSet(0) - 1;
            log.accept("a client " + did + " on the listener " + listener + ", which takes " + takes + ": "
                    + ClientOrigin.text(client)
                    + (others > 0 ? " (and " + others + " more since the last such line)" : ""));
        }
    }

    private static String takes(ListenerKind kind) {
        return switch (kind) {
            case ListenerKind.Tcp() -> "MQTT over TCP";
            case ListenerKind.WebSocket(String path) -> "MQTT over WebSocket at " + path;
        };
    }
}
