package io.tributary.server.blackbox.load;

import io.tributary.common.mqtt.QoS;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Holds what clients saw against what the broker promises: each acknowledged message arrives at each subscriber, first
 * copies in the order of publication, none twice at QoS 2, and at QoS 1 only where the publisher sent it again or, in a
 * later connection, with DUP or after a fault. Thread-safe.
 */
public final class Judge {
    private static final int MOST_VIOLATIONS = 100;

    private final List<Published> publishers = new ArrayList<>();
    private final Map<String, List<FirstCopies>> subscribers = new LinkedHashMap<>();

    /** Those of the subscribers that are a group with a shared subscription. */
    private final Map<String, QoS> groups = new HashMap<>();

    private final List<String> violations = new ArrayList<>();
    private Counts total = Counts.ZERO;
    private int faults;

    /**
     * What happened so far.
     *
     * @param resent messages that a publisher sent again
     * @param received first copies, at all subscribers
     * @param duplicates further copies, at QoS 1
     * @param unmarked those of the duplicates that came without DUP although they were published once
     * @param stalled how often a publisher gave a connection up because no acknowledgement came
     */
    public record Counts(
            long published,
            long acknowledged,
            long resent,
            long received,
            long duplicates,
            long unmarked,
            long stalled) {
        static final Counts ZERO = new Counts(0, 0, 0, 0, 0, 0, 0);

        /** What happened since. */
        public Counts minus(Counts earlier) {
            return plus(earlier, -1);
        }

        /** Both together. */
        public Counts plus(Counts more) {
            return plus(more, 1);
        }

        private Counts plus(Counts other, int sign) {
            return new Counts(
                    published + sign * other.published,
                    acknowledged + sign * other.acknowledged,
                    resent + sign * other.resent,
                    received + sign * other.received,
                    duplicates + sign * other.duplicates,
                    unmarked + sign * other.unmarked,
                    stalled + sign * other.stalled);
        }
    }

    private static final Counts PUBLISHED = new Counts(1, 0, 0, 0, 0, 0, 0);
    private static final Counts ACKNOWLEDGED = new Counts(0, 1, 0, 0, 0, 0, 0);
    private static final Counts RESENT = new Counts(0, 0, 1, 0, 0, 0, 0);
    private static final Counts RECEIVED = new Counts(0, 0, 0, 1, 0, 0, 0);
    private static final Counts DUPLICATE = new Counts(0, 0, 0, 0, 1, 0, 0);
    private static final Counts UNMARKED = new Counts(0, 0, 0, 0, 0, 1, 0);
    private static final Counts STALLED = new Counts(0, 0, 0, 0, 0, 0, 1);

    /** One publisher's messages, by number. */
    private static final class Published {
        private final QoS qos;
        private final BitSet acknowledged = new BitSet();
        private final BitSet resent = new BitSet();
        private int count;

        Published(QoS qos) {
            this.qos = qos;
        }
    }

    /** Makes a publisher known, whose number it gives. */
    synchronized int addPublisher(QoS qos) {
        publishers.add(new Published(qos));
        subscribers.values().forEach(copies -> copies.add(new FirstCopies()));
        return publishers.size() - 1;
    }

    /** Makes a subscriber known. */
    synchronized void addSubscriber(String name) {
        List<FirstCopies> copies = new ArrayList<>();
        publishers.forEach(publisher -> copies.add(new FirstCopies()));
        subscribers.put(name, copies);
    }

    /**
     * Makes a group known: together its members get everything, in no order, and at QoS 1 one after the other gets it.
     *
     * @param granted the highest quality of service that the broker grants its members
     */
    public synchronized void addGroup(String name, QoS granted) {
        addSubscriber(name);
        groups.put(name, granted);
    }

    /** The names of all subscribers and groups. */
    public synchronized List<String> receivers() {
        return List.copyOf(subscribers.keySet());
    }

    /**
     * Something is about to be broken: from now on, what came before may come again without DUP. To be called again
     * when it was healed, for a fault does not end before that.
     */
    public synchronized void fault() {
        faults++;
    }

    synchronized int faults() {
        return faults;
    }

    /** Gives a publisher its next message, which it is about to publish. */
    synchronized Payload publish(int publisher) {
        total = total.plus(PUBLISHED);
        return new Payload(publisher, publishers.get(publisher).count++);
    }

    /** The publisher is about to send the message again. */
    synchronized void resent(Payload payload) {
        publishers.get(payload.publisher()).resent.set(payload.number());
        total = total.plus(RESENT);
    }

    /** The broker answered that the message is safe: PUBACK, or PUBREC. */
    synchronized void acknowledged(Payload payload) {
        publishers.get(payload.publisher()).acknowledged.set(payload.number());
        total = total.plus(ACKNOWLEDGED);
    }

    /** A publisher waited for an acknowledgement as long as it does, and connects anew. */
    synchronized void stalled() {
        total = total.plus(STALLED);
    }

    /**
     * A subscriber got a message, other than a QoS 2 message again that it has not released yet.
     *
     * @param connection the how manieth connection of the subscriber it came on
     * @return whether it is the first copy
     */
    synchronized boolean received(String subscriber, Payload payload, QoS qos, boolean dup, int connection) {
        if (payload.publisher() >= publishers.size() || payload.number() >= publishers.get(payload.publisher()).count) {
            violation(subscriber + " got " + payload + ", which nobody has published");
            return false;
        }
        Published publisher = publishers.get(payload.publisher());
        QoS wanted = qosFor(subscriber, publisher);
        if (qos != wanted) {
            violation(subscriber + " got " + payload + " at " + qos + " instead of " + wanted);
        }
        if (copies(subscriber, payload).has(payload.number())) {
            duplicate(subscriber, payload, dup, connection);
            return false;
        }
        first(subscriber, payload, connection);
        return true;
    }

    /** Something else went wrong. */
    public synchronized void violation(String words) {
        if (violations.size() < MOST_VIOLATIONS) {
            violations.add(words);
        }
    }

    /** What went against the promises; the first hundred. */
    public synchronized List<String> violations() {
        return List.copyOf(violations);
    }

    /** All that happened. */
    public synchronized Counts counts() {
        return total;
    }

    /** How many messages, published by anybody, the subscriber has not got yet. */
    public synchronized long missing(String subscriber) {
        List<FirstCopies> copies = copiesOf(subscriber);
        long missing = 0;
        for (int i = 0; i < publishers.size(); i++) {
            missing += publishers.get(i).count - copies.get(i).count();
        }
        return missing;
    }

    /** At the end: what was acknowledged must have arrived everywhere. */
    public synchronized void checkNothingLost() {
        for (String subscriber : subscribers.keySet()) {
            for (int i = 0; i < publishers.size(); i++) {
                BitSet lost = copiesOf(subscriber).get(i).missing(publishers.get(i).acknowledged);
                if (!lost.isEmpty()) {
                    violation(subscriber + " lost " + lost.cardinality() + " acknowledged messages of publisher " + i
                            + " (" + publishers.get(i).qos + "), the first is number " + lost.nextSetBit(0)
                            + ", the last " + (lost.length() - 1) + " of " + publishers.get(i).count);
                }
            }
        }
    }

    private void first(String subscriber, Payload payload, int connection) {
        FirstCopies copies = copies(subscriber, payload);
        if (payload.number() < copies.last() && !groups.containsKey(subscriber)) {
            violation(subscriber + " got the first copy of " + payload + " after number " + copies.last()
                    + ", on its connection " + connection);
        }
        copies.add(payload.number(), connection, faults);
        total = total.plus(RECEIVED);
    }

    private void duplicate(String subscriber, Payload payload, boolean dup, int connection) {
        Published publisher = publishers.get(payload.publisher());
        FirstCopies copies = copies(subscriber, payload);
        String where =
                ", dup " + dup + ", on connections " + copies.connection(payload.number()) + " and " + connection;
        if (qosFor(subscriber, publisher) == QoS.EXACTLY_ONCE) {
            violation(subscriber + " got " + payload + " twice at QoS 2" + where);
            return;
        }
        total = total.plus(DUPLICATE);
        if (groups.containsKey(subscriber) || publisher.resent.get(payload.number())) {
            return;
        }
        if (!dup) {
            total = total.plus(UNMARKED);
        }
        if (!copies.mayComeAgain(payload.number(), dup, connection, faults)) {
            violation(subscriber + " got " + payload + " twice at QoS 1" + where + ", although it was published once");
        }
    }

    private QoS qosFor(String subscriber, Published publisher) {
        return publisher.qos.min(groups.getOrDefault(subscriber, QoS.EXACTLY_ONCE));
    }

    private FirstCopies copies(String subscriber, Payload payload) {
        return copiesOf(subscriber).get(payload.publisher());
    }

    private List<FirstCopies> copiesOf(String subscriber) {
        List<FirstCopies> copies = subscribers.get(subscriber);
        if (copies == null) {
            throw new IllegalArgumentException("unknown subscriber " + subscriber);
        }
        return copies;
    }
}
