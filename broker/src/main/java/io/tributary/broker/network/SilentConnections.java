package io.tributary.broker.network;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
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

    private final int most;
    private final @Nullable SilentConnections all;
    private final Set<Runnable> silent = new LinkedHashSet<>(); // the oldest first; guarded by this

    /**
     * Creates those of a listener, or of the node.
     *
     * @param of a quarter of that many may be silent
     * @param all those of the node
     */
    SilentConnections(int of, @Nullable SilentConnections all) {
        most = Math.max(LEAST, of / PART);
        this.all = all;
    }

    /** Those of the node: a quarter of its file descriptors. */
    static SilentConnections ofThisProcess() {
        return new SilentConnections(OpenFiles.most(), null);
    }

    /**
     * A connection is open.
     *
     * @param giveWay closes it, which stands for it, too; any thread
     */
    void add(Runnable giveWay) {
        Runnable oldest = null;
        synchronized (this) {
            silent.add(giveWay);
            if (silent.size() > most) {
                Iterator<Runnable> first = silent.iterator();
                oldest = first.next();
                first.remove();
            }
        }
        if (oldest != null) {
            oldest.run();
        }
        if (all != null) {
            all.add(giveWay);
        }
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
