package io.tributary.broker.shard;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.Delivery;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * What happened in a history, as clients see it: what was published, acknowledged, sent and delivered. Judges as it
 * goes.
 */
final class Ledger {
    private final SimWorld world;
    private final Map<Integer, Published> published = new HashMap<>();
    private final List<Promise> promises;
    private int lastId;

    /** What is known of one message. */
    static final class Published {
        final Message message;
        /** The session in which it was published first. */
        long publisherSession = -1;

        int attempts;
        boolean isAcknowledged;
        /** Whether the log has lost a record that had it. */
        boolean mayBeLost;
        /** The applications in whose topics it was when those were deleted. */
        final Set<String> lostFor = new HashSet<>();
        /** The sessions that any attempt matched. */
        final Set<Recipient> recipients = new LinkedHashSet<>();

        int copies;
        boolean wasHandedToAMember;
        /** How often each client's application got it. */
        final Map<String, Integer> deliveries = new HashMap<>();

        Published(Message message) {
            this.message = message;
        }

        /** How often a client's application got it. */
        int times(String clientId) {
            return deliveries.getOrDefault(clientId, 0);
        }

        int total() {
            return deliveries.values().stream().mapToInt(Integer::intValue).sum();
        }
    }

    /** Something that is promised, and watched while a history goes on. */
    interface Promise {
        default void connected(SimWorld world, SimClient client, Attached answer, boolean mayHaveEnded) {}

        default void attached(SimConnection connection, Attached answer) {}

        default void sent(SimWorld world, SimConnection connection, Delivery delivery, Queued queued) {}

        default void released(SimConnection connection, long sequence) {}

        default void delivered(SimWorld world, SimClient client, Published published, boolean exactlyOnce) {}

        /** Everything has settled. */
        default void settled(SimWorld world) {}
    }

    Ledger(SimWorld world, List<Promise> promises) {
        this.world = world;
        this.promises = promises;
    }

    /** A new message; its identity is in the payload. */
    Message message(String topic, QoS qos, long expiresAtMillis, String publisher) {
        return message(topic, qos, expiresAtMillis, publisher, 0);
    }

    /** The same with a priority. */
    Message message(String topic, QoS qos, long expiresAtMillis, String publisher, int priority) {
        byte[] payload = ByteBuffer.allocate(Integer.BYTES).putInt(++lastId).array();
        Message message =
                new Message(topic, payload, qos, false, PublishProperties.NONE, expiresAtMillis, publisher, priority);
        published.put(lastId, new Published(message));
        return message;
    }

    static int idOf(Message message) {
        return ByteBuffer.wrap(message.payload()).getInt();
    }

    Published of(Message message) {
        return Objects.requireNonNull(published.get(idOf(message)));
    }

    Iterable<Published> all() {
        return published.values();
    }

    void attempted(Message message, long session) {
        Published one = of(message);
        one.attempts++;
        one.publisherSession = one.attempts == 1 ? session : one.publisherSession;
    }

    void matched(Message message, Destinations destinations) {
        Published one = of(message);
        one.copies++;
        one.recipients.addAll(destinations.recipients());
    }

    /** The publisher has PUBACK or PUBREC; a message that nobody looked for recipients of was taken for another one. */
    void told(Message message) {
        if (of(message).copies == 0 && !world.log.hasLostTail()) {
            throw new Violation("message " + idOf(message) + " of " + message.publisher()
                    + " was taken for another one, and acknowledged");
        }
    }

    void acknowledged(Message message) {
        of(message).isAcknowledged = true;
    }

    void connected(SimClient client, Attached answer, boolean mayHaveEnded) {
        promises.forEach(promise -> promise.connected(world, client, answer, mayHaveEnded));
    }

    void attached(SimConnection connection, Attached answer) {
        promises.forEach(promise -> promise.attached(connection, answer));
    }

    void sent(SimConnection connection, Delivery delivery, Queued queued) {
        promises.forEach(promise -> promise.sent(world, connection, delivery, queued));
    }

    /** An owner handed entries of a queue to a connection, whether they reach it or not. */
    void handed(List<Delivery> deliveries) {
        for (Delivery delivery : deliveries) {
            if (delivery.entry() instanceof Queued queued && queued.group() != null) {
                of(queued.message()).wasHandedToAMember = true;
            }
        }
    }

    void released(SimConnection connection, long sequence) {
        promises.forEach(promise -> promise.released(connection, sequence));
    }

    void delivered(SimClient client, Message message, boolean exactlyOnce) {
        Published one = of(message);
        one.deliveries.merge(client.name, 1, Integer::sum);
        promises.forEach(promise -> promise.delivered(world, client, one, exactlyOnce));
    }

    void settled() {
        promises.forEach(promise -> promise.settled(world));
    }

    /** An entry of a session's queue, as it was sent to its client. */
    record Sent(String clientId, long session, long sequence) {}

    /** A set of entries that were sent. */
    static final class SentSet {
        private final Set<Sent> sent = new HashSet<>();

        boolean add(SimConnection connection, long sequence) {
            return sent.add(of(connection, sequence));
        }

        boolean contains(SimConnection connection, long sequence) {
            return sent.contains(of(connection, sequence));
        }

        private static Sent of(SimConnection connection, long sequence) {
            return new Sent(connection.client().name, connection.session(), sequence);
        }
    }
}
