package io.tributary.broker.blackbox.crash;

import io.tributary.common.mqtt.QoS;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Holds what clients saw against what the broker promises: each acknowledged message arrives at each subscriber, first
 * copies in the order of publication, none twice at QoS 2, and at QoS 1 only where the publisher sent it again or, with
 * DUP, in a later connection. Thread-safe.
 */
final class Judge {
    private static final int MOST_VIOLATIONS = 100;

    private final List<Published> publishers = new ArrayList<>();
    private final Map<String, List<Received>> subscribers = new LinkedHashMap<>();

    /** Those of the subscribers that are a group with a shared subscription. */
    private final Set<String> groups = new HashSet<>();

    private final List<String> violations = new ArrayList<>();
    private Counts total = Counts.ZERO;

    /** What happened since the last time somebody asked. */
    record Counts(long published, long acknowledged, long resent, long received, long duplicates) {
        static final Counts ZERO = new Counts(0, 0, 0, 0, 0);

        Counts minus(Counts earlier) {
            return new Counts(
                    published - earlier.published,
                    acknowledged - earlier.acknowledged,
                    resent - earlier.resent,
                    received - earlier.received,
                    duplicates - earlier.duplicates);
        }
    }

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

    /** What one subscriber got of one publisher. */
    private static final class Received {
        private final BitSet numbers = new BitSet();
        private final Map<Integer, Integer> connections = new LinkedHashMap<>();
        private int last = -1;
    }

    /** Makes a publisher known, whose number it gives. */
    synchronized int addPublisher(QoS qos) {
        publishers.add(new Published(qos));
        subscribers.values().forEach(received -> received.add(new Received()));
        return publishers.size() - 1;
    }

    /** Makes a subscriber known. */
    synchronized void addSubscriber(String name) {
        List<Received> received = new ArrayList<>();
        publishers.forEach(publisher -> received.add(new Received()));
        subscribers.put(name, received);
    }

    /** Makes a group known: together its members get everything, in no order, and at QoS 1 one after the other gets it. */
    synchronized void addGroup(String name) {
        addSubscriber(name);
        groups.add(name);
    }

    /** The names of all subscribers and groups. */
    synchronized List<String> receivers() {
        return List.copyOf(subscribers.keySet());
    }

    /** Gives a publisher its next message, which it is about to publish. */
    synchronized Payload publish(int publisher) {
        total = new Counts(total.published + 1, total.acknowledged, total.resent, total.received, total.duplicates);
        return new Payload(publisher, publishers.get(publisher).count++);
    }

    /** The publisher is about to send the message again. */
    synchronized void resent(Payload payload) {
        publishers.get(payload.publisher()).resent.set(payload.number());
        total = new Counts(total.published, total.acknowledged, total.resent + 1, total.received, total.duplicates);
    }

    /** The broker answered that the message is safe: PUBACK, or PUBREC. */
    synchronized void acknowledged(Payload payload) {
        publishers.get(payload.publisher()).acknowledged.set(payload.number());
        total = new Counts(total.published, total.acknowledged + 1, total.resent, total.received, total.duplicates);
    }

    /**
     * A subscriber got a message, other than a QoS 2 message again that it has not released yet.
     *
     * @param connection the how manieth connection of the subscriber it came on
     */
    synchronized void received(String subscriber, Payload payload, QoS qos, boolean dup, int connection) {
        Published publisher = publishers.get(payload.publisher());
        Received received = subscribersOf(subscriber).get(payload.publisher());
        int number = payload.number();
        if (qos != publisher.qos) {
            violation(subscriber + " got " + payload + " at " + qos + " instead of " + publisher.qos);
        }
        if (number >= publisher.count) {
            violation(subscriber + " got " + payload + ", which nobody has published");
        } else if (received.numbers.get(number)) {
            duplicate(subscriber, payload, dup, connection);
        } else {
            first(subscriber, payload, connection);
        }
    }

    /** Something else went wrong. */
    synchronized void violation(String words) {
        if (violations.size() < MOST_VIOLATIONS) {
            violations.add(words);
        }
    }

    synchronized List<String> violations() {
        return List.copyOf(violations);
    }

    synchronized Counts counts() {
        return total;
    }

    /** How many messages, published by anybody, the subscriber has not got yet. */
    synchronized long missing(String subscriber) {
        long missing = 0;
        for (int i = 0; i < publishers.size(); i++) {
            missing += publishers.get(i).count
                    - subscribersOf(subscriber).get(i).numbers.cardinality();
        }
        return missing;
    }

    /** At the end: what was acknowledged must have arrived everywhere. */
    synchronized void checkNothingLost() {
        for (String subscriber : subscribers.keySet()) {
            for (int i = 0; i < publishers.size(); i++) {
                BitSet lost = (BitSet) publishers.get(i).acknowledged.clone();
                lost.andNot(subscribersOf(subscriber).get(i).numbers);
                if (!lost.isEmpty()) {
                    violation(subscriber + " lost " + lost.cardinality() + " acknowledged messages of publisher " + i
                            + " (" + publishers.get(i).qos + "), the first is number " + lost.nextSetBit(0));
                }
            }
        }
    }

    private void first(String subscriber, Payload payload, int connection) {
        Received received = subscribersOf(subscriber).get(payload.publisher());
        if (payload.number() < received.last && !groups.contains(subscriber)) {
            violation(subscriber + " got the first copy of " + payload + " after number " + received.last);
        }
        received.last = Math.max(received.last, payload.number());
        received.numbers.set(payload.number());
        received.connections.put(payload.number(), connection);
        total = new Counts(total.published, total.acknowledged, total.resent, total.received + 1, total.duplicates);
    }

    private void duplicate(String subscriber, Payload payload, boolean dup, int connection) {
        Published publisher = publishers.get(payload.publisher());
        if (publisher.qos == QoS.EXACTLY_ONCE) {
            violation(subscriber + " got " + payload + " twice at QoS 2");
            return;
        }
        total = new Counts(total.published, total.acknowledged, total.resent, total.received, total.duplicates + 1);
        int firstConnection =
                subscribersOf(subscriber).get(payload.publisher()).connections.getOrDefault(payload.number(), 0);
        boolean redelivered = dup && connection > firstConnection;
        if (!redelivered && !groups.contains(subscriber) && !publisher.resent.get(payload.number())) {
            violation(subscriber + " got " + payload + " twice at QoS 1, dup " + dup + ", on connections "
                    + firstConnection + " and " + connection + ", although it was published once");
        }
    }

    private List<Received> subscribersOf(String subscriber) {
        List<Received> received = subscribers.get(subscriber);
        if (received == null) {
            throw new IllegalArgumentException("unknown subscriber " + subscriber);
        }
        return received;
    }
}
