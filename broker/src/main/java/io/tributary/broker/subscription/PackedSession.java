package io.tributary.broker.subscription;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tributary.common.event.ClientKind;
import io.tributary.common.topic.TopicFilter;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;

/**
 * A client's identifier, and behind it the subscriptions of its session as they are stored: some 100 bytes of memory
 * for what is a dozen objects in {@link SessionSubscriptions}, on every node, for each persistent session. Immutable.
 *
 * <p>It is also what {@link ExactFilters} finds under the filters of a session that has few.
 */
final class PackedSession implements ExactFilters.Subscribers {
    /** A session with more filters than these does not stand for itself: they are looked through. */
    private static final int MOST_TO_LOOK_THROUGH = 8;

    /** By their clients' identifiers, in the order of code points. */
    static final Comparator<PackedSession> BY_CLIENT =
            (one, other) -> Arrays.compareUnsigned(one.bytes, 0, one.stored, other.bytes, 0, other.stored);

    private final byte[] bytes;
    private final int stored;

    /**
     * Packs them.
     *
     * @param record what {@link SubscriptionsCodec} has encoded, and can decode
     */
    PackedSession(String clientId, byte[] record) {
        byte[] name = clientId.getBytes(UTF_8);
        stored = name.length;
        bytes = Arrays.copyOf(name, stored + record.length);
        System.arraycopy(record, 0, bytes, stored, record.length);
    }

    String clientId() {
        return new String(bytes, 0, stored, UTF_8);
    }

    boolean isOf(String clientId) {
        return PackedText.isEqual(bytes, 0, stored, clientId);
    }

    /** Whether the client's identifier begins with these bytes of UTF-8. */
    boolean beginsWith(byte[] prefix) {
        return stored >= prefix.length && Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length);
    }

    /** Whether the client's identifier comes after these bytes of UTF-8 in the order of {@link #BY_CLIENT}. */
    boolean isAfter(byte[] name) {
        return Arrays.compareUnsigned(bytes, 0, stored, name, 0, name.length) > 0;
    }

    /** The session, as in {@link Subscriber}. */
    long identity() {
        return SubscriptionsCodec.identity(bytes, stored);
    }

    /** Whether the session is over. */
    boolean isOver() {
        return SubscriptionsCodec.epoch(bytes, stored) == SessionSubscriptions.OVER;
    }

    /** Whether it has no subscriptions. */
    boolean isEmpty() {
        return SubscriptionsCodec.count(bytes, stored) == 0;
    }

    /** How many subscriptions it has. */
    int count() {
        return SubscriptionsCodec.count(bytes, stored);
    }

    /** Where the session's messages wait. */
    ClientKind kind() {
        return SubscriptionsCodec.kind(bytes, stored);
    }

    /** Whether it may stand for its subscriptions. */
    boolean isSmall() {
        return SubscriptionsCodec.count(bytes, stored) <= MOST_TO_LOOK_THROUGH;
    }

    /** Unpacks them. */
    SessionSubscriptions subscriptions() {
        return SubscriptionsCodec.decode(clientId(), Arrays.copyOfRange(bytes, stored, bytes.length));
    }

    @Override
    public boolean areOf(String topic) {
        return !TopicFilter.isShared(topic) && SubscriptionsCodec.find(bytes, stored, topic) >= 0;
    }

    /** The session, which does not know its principal here, with its subscription to the topic. */
    @Override
    public Map<Subscriber, Receiver> receivers(String topic) {
        int at = SubscriptionsCodec.find(bytes, stored, topic);
        Subscriber subscriber = new Subscriber(clientId(), true, identity(), null, kind(), null);
        return Map.of(subscriber, SubscriptionsCodec.receiver(bytes, at, subscriber));
    }
}
