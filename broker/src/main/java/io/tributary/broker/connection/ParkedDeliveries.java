package io.tributary.broker.connection;

import io.tributary.broker.delivery.Delivery;
import io.tributary.common.collection.SequenceMap;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.SentUpTo;
import io.tributary.common.mqtt.Message;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a persistent session's queue that its shard handed to the connection and that wait for the client's
 * window; tells what was handed before. An object has those of one priority, and the next higher priority is in an
 * object behind it once an entry of that priority, or of one above, has come: a queue without priorities takes no more
 * memory. The methods of the first object, of priority 0, are for all.
 *
 * <p>The shard hands the messages of one priority in ascending order of sequence numbers. An entry of which only the
 * PUBREL is owed may come at any time, does not say which priority its message had, and waits among those of the
 * highest one. A new owner hands again all that waits: each is looked for. Confined to the event loop.
 */
final class ParkedDeliveries {
    /** Nothing is ever added to it. */
    private static final SequenceMap<Delivery> NONE = new SequenceMap<>();

    private SequenceMap<Delivery> waiting = NONE;

    /** The highest sequence number of a message that was taken over from the shard. */
    private long takenUpTo;

    /** The highest sequence number of a message that was written to the client. */
    private long sentUpTo;

    private @Nullable ParkedDeliveries higher;

    /** Adds an entry that was not here before. */
    void add(Delivery delivery) {
        ParkedDeliveries own = delivery.entry() instanceof Queued message
                ? of(message.message().priority())
                : highest();
        if (own.waiting == NONE) {
            own.waiting = new SequenceMap<>();
        }
        own.waiting.put(delivery.sequence(), delivery);
        if (delivery.entry() instanceof Queued) {
            own.takenUpTo = delivery.sequence();
        }
    }

    /**
     * Whether a message, or one behind it of its priority, was added before; of one of which only the PUBREL is owed,
     * whether one of priority 0 behind it was: then all before that one were.
     */
    boolean hasTaken(Delivery delivery) {
        ParkedDeliveries own = find(
                delivery.entry() instanceof Queued message ? message.message().priority() : 0);
        return own != null && delivery.sequence() <= own.takenUpTo;
    }

    /** Whether the entry waits, be it as the message of which only PUBREL is owed now. */
    boolean isWaiting(Delivery delivery) {
        ParkedDeliveries own = delivery.entry() instanceof Queued message
                ? find(message.message().priority())
                : this;
        return own != null && own.has(delivery.sequence());
    }

    private boolean has(long sequence) {
        return waiting.containsKey(sequence) || (higher != null && higher.has(sequence));
    }

    /** Whether no entry waits. */
    boolean isEmpty() {
        return waiting.isEmpty() && (higher == null || higher.isEmpty());
    }

    /** The lowest sequence number that waits, {@link Long#MAX_VALUE} when none does. */
    long lowest() {
        return higher == null ? first() : Math.min(first(), higher.lowest());
    }

    private long first() {
        return waiting.isEmpty() ? Long.MAX_VALUE : waiting.firstSequence();
    }

    /** The entry that is to be sent next, or null when none waits. */
    @Nullable
    Delivery peek() {
        ParkedDeliveries those = next();
        return those == null ? null : those.waiting.get(those.first());
    }

    /** Takes the entry that is to be sent next, or null when none waits. */
    @Nullable
    Delivery poll() {
        ParkedDeliveries those = next();
        return those == null ? null : those.waiting.remove(those.first());
    }

    private @Nullable ParkedDeliveries next() {
        if (higher == null) {
            return waiting.isEmpty() ? null : this;
        }
        return next(lowest());
    }

    /**
     * Those of the highest priority of which any wait, unless the first of them may have the packet identifier of one
     * that is before it in the queue: the client may know that one from an earlier connection.
     */
    private @Nullable ParkedDeliveries next(long lowest) {
        ParkedDeliveries those = higher == null ? null : higher.next(lowest);
        if (those != null) {
            return those;
        }
        return !waiting.isEmpty() && first() - lowest < PacketIds.COUNT ? this : null;
    }

    /** A message was written to the client. */
    void sent(long sequence, int priority) {
        of(priority).sentUpTo = sequence;
    }

    /**
     * What was written to the client. A message that waits counts, too, when one of a lower priority behind it in the
     * queue was written: later it is sent with DUP, though nobody has it. That is rare, for the shard hands the former
     * first.
     */
    SentUpTo sentUpTo() {
        long[] byPriority = new long[Message.HIGHEST_PRIORITY + 1];
        int priority = 0;
        for (ParkedDeliveries each = this; each != null; each = each.higher) {
            byPriority[priority++] = each.sentUpTo;
        }
        return SentUpTo.of(byPriority);
    }

    /** Forgets what waits. */
    void clear() {
        waiting = NONE;
        if (higher != null) {
            higher.clear();
        }
    }

    private ParkedDeliveries of(int priority) {
        ParkedDeliveries those = this;
        for (int i = 0; i < priority; i++) {
            ParkedDeliveries above = those.higher;
            if (above == null) {
                above = new ParkedDeliveries();
                those.higher = above;
            }
            those = above;
        }
        return those;
    }

    private @Nullable ParkedDeliveries find(int priority) {
        ParkedDeliveries those = this;
        for (int i = 0; i < priority && those != null; i++) {
            those = those.higher;
        }
        return those;
    }

    private ParkedDeliveries highest() {
        return higher == null ? this : higher.highest();
    }
}
