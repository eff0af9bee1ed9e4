package io.tributary.broker.network;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets a limited number of a listener's handshakes be under way at once; the next one begins when one ends. Those that
 * wait take turns by address, so that one that comes often delays itself alone. While some wait, handshakes whose
 * clients have been silent for too long give way, and the more wait the sooner: those who begin handshakes and leave
 * them there keep nobody out. Any thread.
 */
final class HandshakeSlots {
    /** How long a client may be silent while hardly any other waits. */
    static final long LONGEST_SILENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** How long it may be in any case: longer than a packet takes to a client and back over nearly any network. */
    static final long LEAST_SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** From one look at silent clients to the next. */
    static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** A look that is later was kept off by a pause of the process. */
    private static final long LATEST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private final int most;
    private final LongSupplier nanoClock;

    // Guarded by this.
    private final Set<Slot> taken = new HashSet<>();
    /** Those of {@link #taken} whose clients are to go on, the oldest first. */
    private final Set<Slot> silent = new LinkedHashSet<>();
    /** By address; the one whose turn is next first. */
    private final SequencedMap<String, Set<Slot>> waiting = new LinkedHashMap<>();

    private int waitingCount;
    private long lookedNanos;

    /** A handshake's place, compared by identity. */
    static final class Slot {
        private final String address;
        private final Runnable begin;
        private final Runnable giveWay;
        private long sinceNanos;

        /**
         * Creates one.
         *
         * @param address whose handshake it is, as {@link io.tributary.broker.guard.Guard#text} counts addresses
         * @param begin begins the handshake; any thread
         * @param giveWay ends the connection; any thread
         */
        Slot(String address, Runnable begin, Runnable giveWay) {
            this.address = address;
            this.begin = begin;
            this.giveWay = giveWay;
        }
    }

    HandshakeSlots(int most, LongSupplier nanoClock) {
        this.most = most;
        this.nanoClock = nanoClock;
        lookedNanos = nanoClock.getAsLong();
    }

    /**
     * Begins a handshake, now or when there is room; {@link #leave} follows.
     *
     * @return whether it began
     */
    boolean enter(Slot slot) {
        synchronized (this) {
            if (taken.size() == most) {
                waiting.computeIfAbsent(slot.address, first -> new LinkedHashSet<>())
                        .add(slot);
                waitingCount++;
                return false;
            }
            taken.add(slot);
        }
        slot.begin.run();
        return true;
    }

    /** The handshake has begun and waits for its client; before, it is the broker that it waits for. */
    synchronized void answered(Slot slot) {
        if (taken.contains(slot)) {
            slot.sinceNanos = nanoClock.getAsLong();
            silent.add(slot);
        }
    }

    /** The handshake is over, or its connection is; a second call does nothing. */
    void leave(Slot slot) {
        List<Slot> next = new ArrayList<>();
        synchronized (this) {
            silent.remove(slot);
            if (!taken.remove(slot)) {
                waitNoMore(slot);
            }
            fill(next);
        }
        next.forEach(one -> one.begin.run());
    }

    /** Has those give way that are silent for too long; to be called each {@link #LOOK_NANOS}. */
    void look() {
        List<Slot> slow = new ArrayList<>();
        List<Slot> next = new ArrayList<>();
        synchronized (this) {
            forgivePause();
            for (Slot slot = slowest(); slot != null; slot = slowest()) {
                silent.remove(slot);
                taken.remove(slot);
                slow.add(slot);
                fill(next);
            }
        }
        slow.forEach(one -> one.giveWay.run());
        next.forEach(one -> one.begin.run());
    }

    /** Clients may have spoken in a pause of the process, unheard: the pause is no silence of theirs. */
    private void forgivePause() {
        long now = nanoClock.getAsLong();
        long lateNanos = now - lookedNanos - LOOK_NANOS;
        lookedNanos = now;
        if (lateNanos > LATEST_LOOK_NANOS) {
            silent.forEach(slot -> slot.sinceNanos += Math.min(lateNanos, now - slot.sinceNanos));
        }
    }

    /** Where most handshakes wait for the broker, it would not be faster with others in place of the silent ones. */
    private @Nullable Slot slowest() {
        if (waitingCount == 0 || silent.size() < Math.ceilDiv(most, 2)) {
            return null;
        }
        long longest = Math.max(LEAST_SILENCE_NANOS, LONGEST_SILENCE_NANOS * most / ((long) most + waitingCount));
        Slot oldest = silent.iterator().next();
        return nanoClock.getAsLong() - oldest.sinceNanos >= longest ? oldest : null;
    }

    private void fill(List<Slot> next) {
        while (taken.size() < most && waitingCount > 0) {
            Slot one = waiting.values().iterator().next().iterator().next();
            Set<Slot> others = waitNoMore(one);
            if (!others.isEmpty()) {
                waiting.putLast(one.address, others);
            }
            taken.add(one);
            next.add(one);
        }
    }

    private Set<Slot> waitNoMore(Slot slot) {
        Set<Slot> ofAddress = waiting.getOrDefault(slot.address, Set.of());
        if (ofAddress.contains(slot)) {
            ofAddress.remove(slot);
            waitingCount--;
            if (ofAddress.isEmpty()) {
                waiting.remove(slot.address);
            }
        }
        return ofAddress;
    }
}
