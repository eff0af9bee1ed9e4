package io.tributary.broker.guard;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * What all connections together have sent whose clients are not known yet. Where it becomes too much, those give way
 * that have been at it longest without a whole CONNECT: a client needs a moment for one, and an attacker who only holds
 * memory needs time. Any thread; takes less than a microsecond.
 */
public final class EntryMemory {
    /** What a connection takes as soon as it has sent anything: the buffer of its first read. */
    public static final int LEAST_BYTES = 2_048;

    private final long limitBytes;
    private final int freeBytes;

    // Guarded by this.
    private final Set<Share> unfinished = new LinkedHashSet<>(); // the oldest first
    private long heldBytes;

    /** A connection's part of it, compared by identity. */
    public static final class Share {
        private final Runnable giveWay;
        private long bytes; // guarded by the memory
        private boolean isOver;

        /**
         * Creates one of nothing.
         *
         * @param giveWay ends the connection; any thread
         */
        public Share(Runnable giveWay) {
            this.giveWay = giveWay;
        }
    }

    /**
     * Creates one.
     *
     * @param limitBytes how much all may hold
     * @param freeBytes up to how much of one connection others give way; beyond, there must be room
     */
    EntryMemory(long limitBytes, int freeBytes) {
        this.limitBytes = limitBytes;
        this.freeBytes = freeBytes;
    }

    /**
     * A connection has sent something.
     *
     * @param bytes all that it has sent so far
     * @return whether it may go on; if not, nothing of it is counted any more
     */
    public boolean hold(Share share, long bytes) {
        synchronized (this) {
            if (share.isOver) {
                return false;
            }
            long counted = Math.max(LEAST_BYTES, bytes);
            heldBytes += counted - share.bytes;
            if (share.bytes == 0) {
                unfinished.add(share);
            }
            share.bytes = counted;
            if (heldBytes <= limitBytes) {
                return true;
            }
            if (counted > Math.max(LEAST_BYTES, freeBytes)) {
                forget(share);
                return false;
            }
            makeRoom();
            if (heldBytes > limitBytes) { // all others have sent their CONNECT
                forget(share);
            }
            return !share.isOver;
        }
    }

    /** The connection has sent its CONNECT: it does not give way any more. */
    public synchronized void whole(Share share) {
        unfinished.remove(share);
    }

    /** The client is known, or gone. */
    public synchronized void release(Share share) {
        if (!share.isOver) {
            forget(share);
        }
    }

    /**
     * There are too many connections: the oldest without a whole CONNECT gives way.
     *
     * @param spared unless no more than that many are without
     * @param another says whether another one has given way instead, farther from its CONNECT: where clients wait for
     *     their handshakes, the oldest is the next whose turn it is
     */
    public synchronized void oldestGivesWay(int spared, BooleanSupplier another) {
        if (unfinished.size() > spared && !another.getAsBoolean()) {
            Share oldest = unfinished.iterator().next();
            forget(oldest);
            oldest.giveWay.run();
        }
    }

    /** How much is held. */
    public synchronized long heldBytes() {
        return heldBytes;
    }

    private void makeRoom() {
        for (Iterator<Share> oldest = unfinished.iterator(); heldBytes > limitBytes && oldest.hasNext(); ) {
            Share share = oldest.next();
            oldest.remove();
            forget(share);
            share.giveWay.run();
        }
    }

    private void forget(Share share) {
        unfinished.remove(share);
        heldBytes -= share.bytes;
        share.bytes = 0;
        share.isOver = true;
    }
}
