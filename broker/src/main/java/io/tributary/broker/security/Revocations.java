package io.tributary.broker.security;

import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * What this node takes from clients because rules, users or bans have changed: collected for the audit log, and handed
 * on to counters. Thread-safe; memory is bounded.
 */
public final class Revocations {
    /** How many of the clients that something was taken from are named, and how many filters of each. */
    public static final int MOST_NAMED = 10;

    private static final int LONGEST_NAME = 200;

    private final OnRevocation onRevocation;
    private final Recorder recorder;
    private volatile boolean areHeld;
    private volatile int released;

    // Guarded by this.
    private long removed;
    private long lowered;
    private long disconnected;
    private long expelled;
    private List<String> named = new ArrayList<>();
    private List<String> withdrawn = new ArrayList<>();

    /** Counts what was withdrawn. Any thread; must be cheap. */
    @FunctionalInterface
    public interface Recorder {
        /** Subscriptions were removed, and of others the QoS was lowered. */
        void withdrawn(long removed, long lowered);
    }

    /**
     * What was taken in some time.
     *
     * @param removed subscriptions that no rule allows any more
     * @param lowered subscriptions that have a lower QoS now
     * @param disconnected connections that were closed because one of their subscriptions was removed
     * @param expelled connections that were closed because of a user or a ban
     * @param clients whose these were, ten of them at most: the principal's realm and name, with a colon between, cut
     *     after 200 characters
     * @param subscriptions which subscriptions were removed or lowered, of ten clients at most, each cut after 200
     *     characters: {@code meter-1 of devices:ann: news/#}
     */
    public record Taken(
            long removed,
            long lowered,
            long disconnected,
            long expelled,
            List<String> clients,
            List<String> subscriptions) {
        /** Copies the lists. */
        public Taken {
            clients = List.copyOf(clients);
            subscriptions = List.copyOf(subscriptions);
        }

        /** Whether nothing was taken. */
        public boolean isNothing() {
            return !isOfRules() && expelled == 0;
        }

        /** Whether rules took something. */
        public boolean isOfRules() {
            return removed > 0 || lowered > 0 || disconnected > 0;
        }
    }

    /** Creates one that has taken nothing. */
    public Revocations(OnRevocation onRevocation, Recorder recorder) {
        this.onRevocation = onRevocation;
        this.recorder = recorder;
    }

    /** Whether a client that loses a subscription is disconnected. */
    public boolean disconnects() {
        return onRevocation == OnRevocation.DISCONNECT;
    }

    /**
     * Whether persistent sessions keep their subscriptions for now, whatever rules say: another node, whose
     * configuration has other rules, may have granted them. They bring nothing that this node's rules forbid.
     */
    public boolean areHeld() {
        return areHeld;
    }

    /** Sets {@link #areHeld}. */
    public synchronized void hold(boolean held) {
        if (areHeld && !held) {
            released++;
        }
        areHeld = held;
    }

    /** How often they were held, and then no longer: all sessions are to be looked at again then. */
    public int released() {
        return released;
    }

    /**
     * So many subscriptions of a client were removed, and so many have a lower QoS.
     *
     * @param words whose, and which; asked where there is room for them
     */
    public void withdrawn(long removedNow, long loweredNow, Supplier<String> words) {
        recorder.withdrawn(removedNow, loweredNow);
        synchronized (this) {
            removed += removedNow;
            lowered += loweredNow;
            name(withdrawn, words);
        }
    }

    private static void name(List<String> names, Supplier<String> name) {
        if (names.size() < MOST_NAMED) {
            String whole = name.get();
            names.add(Printable.of(whole.substring(0, Math.min(whole.length(), LONGEST_NAME))));
        }
    }

    /** A connection is closed because one of its subscriptions was removed. */
    public synchronized void disconnected() {
        disconnected++;
    }

    /** A connection is closed because its client may not be connected any more. */
    public synchronized void expelled(ClientInfo client) {
        expelled++;
        Principal principal = client.principal();
        if (principal != null) {
            name(named, () -> principal.realm() + ":" + principal.name());
        }
    }

    /** What was taken so far. */
    public synchronized Taken taken() {
        return new Taken(removed, lowered, disconnected, expelled, named, withdrawn);
    }

    /** What was taken since this was asked last. */
    public synchronized Taken take() {
        Taken taken = taken();
        removed = 0;
        lowered = 0;
        disconnected = 0;
        expelled = 0;
        named = new ArrayList<>();
        withdrawn = new ArrayList<>();
        return taken;
    }
}
