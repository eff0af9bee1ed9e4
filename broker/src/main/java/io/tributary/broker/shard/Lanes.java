package io.tributary.broker.shard;

import io.tributary.common.event.SentUpTo;
import io.tributary.common.mqtt.Message;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * How far a connection has come with a queue, for each priority of its messages. All messages of a queue are in one
 * line of sequence numbers; a lane is a way along it that looks at those of one priority and of higher ones only, and
 * so gets ahead of the lane of a lower priority:
 *
 * <pre>
 *   sequence numbers   1 2 3 4 5 6 7 8 9       priority 3: 7, priority 0: all others
 *   lane 3             - - - - - - x|          next is 8
 *   lane 0             x x|                    next is 3; 7 is passed over when it comes there
 * </pre>
 *
 * <p>A queue without priorities has one lane, and so has one whose last message of a priority was passed by lane 0.
 * Confined to the thread of the driver.
 */
final class Lanes {
    private static final int LOWEST = 0;

    /** The lowest sequence number that was not looked at. */
    private long next;

    /** The same of the lanes from 1 on, none less than that of a lower lane; null where all messages are in lane 0. */
    private long @Nullable [] ahead;

    /** @param priorityUpTo the last message of the queue with a priority */
    Lanes(long next, long priorityUpTo) {
        this.next = next;
        if (priorityUpTo >= next) {
            begin(next);
        }
    }

    private long[] begin(long from) {
        long[] begun = new long[Message.HIGHEST_PRIORITY];
        Arrays.fill(begun, from);
        ahead = begun;
        return begun;
    }

    /** The lowest sequence number that was not looked at. */
    long next() {
        return next;
    }

    /** The lowest sequence number in a lane, the one of this priority, that was not looked at there. */
    long next(int priority) {
        return ahead == null || priority == LOWEST ? next : ahead[priority - 1];
    }

    /** Whether there is more than one lane. */
    boolean areSeveral() {
        return ahead != null;
    }

    /** A message is in the queue, at its end. */
    void arrived(long sequence, int priority) {
        long[] known = ahead;
        if (known == null) {
            if (priority > LOWEST) {
                begin(sequence); // none before it has a priority
            }
            return;
        }
        for (int i = priority; i < known.length; i++) { // lane i + 1
            if (known[i] == sequence) {
                known[i]++; // it is none of these
            }
        }
    }

    /**
     * All messages of a priority, and of higher ones, are handed, or gone, up to a sequence number.
     *
     * @param priorityUpTo the last message of the queue with a priority
     */
    void passed(int priority, long sequence, long priorityUpTo) {
        long[] known = ahead;
        if (priority == LOWEST || known == null) {
            next = Math.max(next, sequence + 1);
        }
        for (int i = Math.max(priority - 1, 0); known != null && i < known.length; i++) {
            known[i] = Math.max(known[i], sequence + 1);
        }
        endIfPassed(priorityUpTo);
    }

    /**
     * The message with a sequence number, at which its lane was, is handed: no other lane that is there looks at it.
     *
     * @param priorityUpTo the last message of the queue with a priority
     */
    void took(long sequence, long priorityUpTo) {
        if (next == sequence) {
            next++;
        }
        long[] known = ahead;
        for (int i = 0; known != null && i < known.length; i++) {
            if (known[i] == sequence) {
                known[i]++;
            }
        }
        endIfPassed(priorityUpTo);
    }

    private void endIfPassed(long priorityUpTo) {
        // A lane may be further for entries of which only the PUBREL is owed, which it does not look at again.
        if (ahead != null && next > priorityUpTo && next >= ahead[ahead.length - 1]) {
            ahead = null;
        }
    }

    /**
     * Whether there may be messages to be looked at in a lane.
     *
     * @param lastSequence the last message of the queue
     * @param priorityUpTo the last one with a priority
     */
    boolean mayHaveMore(int priority, long lastSequence, long priorityUpTo) {
        return priority == LOWEST ? next <= lastSequence : ahead != null && next(priority) <= priorityUpTo;
    }

    /** Whether a message of this priority was handed ahead of others, or is gone since. */
    boolean hasPassed(long sequence, int priority) {
        return sequence < next(priority);
    }

    /** What was handed. */
    SentUpTo handed() {
        long[] known = ahead;
        return known == null ? SentUpTo.all(next - 1) : SentUpTo.of(next - 1, known[0] - 1, known[1] - 1, known[2] - 1);
    }

    @Override
    public String toString() {
        return ahead == null ? Long.toString(next) : next + ", ahead " + Arrays.toString(ahead);
    }
}
