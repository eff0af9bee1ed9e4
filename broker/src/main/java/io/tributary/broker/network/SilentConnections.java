package io.tributary.broker.network;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Connections that have sent nothing yet. Where they are too many, the oldest gives way: a client speaks as soon as it
 * is connected, and who only takes up connections, each a file descriptor, need not. Those that have spoken are not
 * counted, for after a restart many honest ones wait for their handshakes at once. Any thread.
 */
final class SilentConnections {
    /** The part of all connections, or file descriptors, that silent ones may take. */
    static final int PART = 4;

    /** That many may be silent in any case: some clients come at once. */
    private static final int LEAST = 16;

    /** So long only few clients are silent: the first bytes come right behind what opens the connection. */
    static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int most;
    private final @Nullable SilentConnections all;
    private final LongSupplier nanoClock;
    private final SequencedMap<Runnable, Long> silent = new LinkedHashMap<>(); // since when; guarded by this

    /**
     * Creates those of a listener, or of the node.
     *
     * @param of a quarter of that many may be silent
     * @param all those of the node
     */
    SilentConnections(int of, @Nullable SilentConnections all, LongSupplier nanoClock) {
        most = Math.max(LEAST, of / PART);
        this.all = all;
        this.nanoClock = nanoClock;
    }

    /** Those of the node: a quarter of its file descriptors. */
    static SilentConnections ofThisProcess() {
        return new SilentConnections(OpenFiles.most(), null, System::nanoTime);
    }

    /**
     * A connection is open.
     *
     * @param giveWay closes it, which stands for it, too; any thread
     */
    void add(Runnable giveWay) {
        Runnable oldest = null;
        synchronized (this) {
            silent.put(giveWay, nanoClock.getAsLong());
            if (silent.size() > most) {
                oldest = silent.pollFirstEntry().getKey();
            }
        }
        if (oldest != null) {
            oldest.run();
        }
        if (all != null) {
            all.add(giveWay);
        }
    }

    /**
     * There are too many connections: the oldest gives way, if it has been silent for long.
     *
     * @return whether it has
     */
    boolean oldestGivesWay() {
        Runnable oldest;
        synchronized (this) {
            Map.Entry<Runnable, Long> first = silent.firstEntry();
            if (first == null || nanoClock.getAsLong() - first.getValue() < LONG_NANOS) {
                return false;
            }
            oldest = silent.pollFirstEntry().getKey();
        }
        oldest.run();
        return true;
    }

    /** The connection has sent something, or is closed; a second call does nothing. */
    void remove(Runnable giveWay) {
        synchronized (this) {
            silent.remove(giveWay);
        }
        if (all != null) {
            all.remove(giveWay);
        }
    }

    synchronized int count() {
        return silent.size();
    }
}
