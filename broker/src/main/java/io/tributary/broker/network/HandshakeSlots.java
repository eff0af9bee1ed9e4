package io.tributary.broker.network;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets a limited number of a listener's handshakes be under way at once; the next one begins when one ends. While some
 * wait, the oldest one that has taken two seconds gives way: those who begin handshakes and leave them there keep
 * nobody out. Any thread.
 */
final class HandshakeSlots {
    static final long GIVES_WAY_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final int most;
    private final LongSupplier nanoClock;
    private final Set<Slot> taken = new LinkedHashSet<>(); // the oldest first; guarded by this, as all is
    private final Set<Slot> waiting = new LinkedHashSet<>();

    /** A handshake's place, compared by identity. */
    static final class Slot {
        private final Runnable begin;
        private final Runnable giveWay;
        private long sinceNanos;

        /**
         * Creates one.
         *
         * @param begin begins the handshake; any thread
         * @param giveWay ends the connection; any thread
         */
        Slot(Runnable begin, Runnable giveWay) {
            this.begin = begin;
            this.giveWay = giveWay;
        }
    }

    HandshakeSlots(int most, LongSupplier nanoClock) {
        this.most = most;
        this.nanoClock = nanoClock;
    }

    /**
     * Begins a handshake, now or when there is room; {@link #leave} follows.
     *
     * @return whether it began
     */
    boolean enter(Slot slot) {
        Slot slow = null;
        boolean begins;
        synchronized (this) {
            begins = taken.size() < most;
            if (begins) {
                take(slot);
            } else {
                waiting.add(slot);
                slow = slowest();
            }
        }
        if (begins) {
            slot.begin.run();
        } else if (slow != null) {
            slow.giveWay.run();
        }
        return begins;
    }

    /** The handshake is over, or its connection is; a second call does nothing. */
    void leave(Slot slot) {
        List<Slot> next = new ArrayList<>();
        synchronized (this) {
            waiting.remove(slot);
            taken.remove(slot);
            Iterator<Slot> waits = waiting.iterator();
            while (taken.size() < most && waits.hasNext()) {
                Slot one = waits.next();
                waits.remove();
                take(one);
                next.add(one);
            }
        }
        next.forEach(one -> one.begin.run());
    }

    private void take(Slot slot) {
        slot.sinceNanos = nanoClock.getAsLong();
        taken.add(slot);
    }

    private @Nullable Slot slowest() {
        Slot oldest = taken.iterator().next();
        return nanoClock.getAsLong() - oldest.sinceNanos >= GIVES_WAY_NANOS ? oldest : null;
    }
}
