package io.tributary.broker.subscription;

import io.tributary.common.collection.NameTable;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions whose filters have no wildcards, by the one topic that each of them matches: one look-up, whatever
 * the number of filters and of their levels. Reading takes no lock and sees each subscription that was put before it
 * began; changes take a short one.
 *
 * <p>Decided in docs/decisions/0019-a-million-sessions.md.
 */
final class ExactFilters {
    private static final int PARTS = 64;

    private final Part[] parts =
            IntStream.range(0, PARTS).mapToObj(_ -> new Part()).toArray(Part[]::new);

    /** Who subscribes to one topic. */
    sealed interface Subscribers permits PackedSession, Listed {
        /** Whether one of these subscriptions is to the topic. */
        boolean areOf(String topic);

        /** Those of the topic. */
        Map<Subscriber, Receiver> receivers(String topic);
    }

    /** Some that are listed. */
    private static final class Listed implements Subscribers {
        private final String topic;
        private volatile Map<Subscriber, Receiver> receivers;

        Listed(String topic, Map<Subscriber, Receiver> receivers) {
            this.topic = topic;
            this.receivers = receivers;
        }

        @Override
        public boolean areOf(String other) {
            return topic.equals(other);
        }

        @Override
        public Map<Subscriber, Receiver> receivers(String ofTopic) {
            return receivers;
        }
    }

    /** So small that nobody waits long while it grows. */
    private static final class Part extends NameTable<Subscribers> {
        @Override
        protected boolean isNamed(Subscribers entry, String name) {
            return entry.areOf(name);
        }

        boolean tellsApart(String topic, String other) {
            return hash(topic) != hash(other);
        }
    }

    /**
     * Whether a session with these topics may stand for its subscriptions: what is put under one of them must not be
     * found under another.
     */
    boolean tellsApart(List<String> topics) {
        for (int i = 0; i < topics.size(); i++) {
            Part part = part(topics.get(i));
            for (String other : topics.subList(i + 1, topics.size())) {
                if (part(other) == part && !part.tellsApart(topics.get(i), other)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Has a session stand for its subscription as it is now, where it did before and all is as it was. */
    void renew(String topic, PackedSession packed) {
        Part part = part(topic);
        synchronized (part) {
            if (part.get(topic) instanceof PackedSession before && before.isOf(packed.clientId())) {
                part.put(topic, packed);
            }
        }
    }

    /**
     * Puts a subscription, or replaces that of the same session; tells whether it is new.
     *
     * @param packed the session as it is now, if it is to stand for its subscription; null when it is not
     */
    boolean put(String topic, Receiver receiver, @Nullable PackedSession packed) {
        Part part = part(topic);
        Subscriber subscriber = receiver.subscriber();
        synchronized (part) {
            Subscribers known = part.get(topic);
            Map<Subscriber, Receiver> before = known == null ? Map.of() : known.receivers(topic);
            boolean isNew = !before.containsKey(subscriber);
            if (before.size() <= (isNew ? 0 : 1)) {
                part.put(topic, packed != null ? packed : new Listed(topic, Map.of(subscriber, receiver)));
            } else if (known instanceof Listed listed) {
                listed.receivers = CompactMap.with(before, subscriber, receiver);
            } else {
                part.put(topic, new Listed(topic, CompactMap.with(before, subscriber, receiver)));
            }
            return isNew;
        }
    }

    /** Removes a session's subscription, and tells whether there was one. */
    boolean remove(String topic, Subscriber subscriber) {
        Part part = part(topic);
        synchronized (part) {
            Subscribers known = part.get(topic);
            Map<Subscriber, Receiver> before = known == null ? Map.of() : known.receivers(topic);
            boolean existed = before.containsKey(subscriber);
            if (existed && before.size() == 1) {
                part.remove(topic);
            } else if (existed && known instanceof Listed listed) {
                listed.receivers = CompactMap.without(before, subscriber);
            }
            return existed;
        }
    }

    /** Who subscribes to exactly this topic; may change while it is read. */
    Map<Subscriber, Receiver> match(String topic) {
        Subscribers known = part(topic).get(topic);
        return known == null ? Map.of() : known.receivers(topic);
    }

    private Part part(String topic) {
        return parts[partOf(topic)];
    }

    /** Which of the parts has a topic. */
    static int partOf(String topic) {
        int hash = topic.hashCode() * 0x9E3779B9;
        return (hash >>> 16) % PARTS;
    }
}
