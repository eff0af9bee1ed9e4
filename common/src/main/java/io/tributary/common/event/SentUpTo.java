package io.tributary.common.event;

import io.tributary.common.mqtt.Message;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Up to which sequence number of its queue a client may have been sent messages, for each priority: a message that
 * overtook others leaves those of lower priority behind it. Never less for a higher priority than for a lower one. Most
 * queues have no message of a priority, and one number. Immutable.
 *
 * <p>Example: of a queue with the messages 1 to 9, of which 7 has priority 3, the client was sent 1, 2 and 7. That is 2
 * for the priorities 0 to 2, and 7 for priority 3.
 */
public final class SentUpTo {
    /** Nothing was sent. */
    public static final SentUpTo NOTHING = new SentUpTo(0);

    /** By priority; those that are missing are as the last one. */
    private final long[] upTo;

    private SentUpTo(long... upTo) {
        this.upTo = upTo;
    }

    /** The same sequence number for all priorities. */
    public static SentUpTo all(long sequence) {
        return sequence == 0 ? NOTHING : new SentUpTo(sequence);
    }

    /**
     * A sequence number for each priority from 0 on; those that are missing are as the last one, and one that is less
     * than that of a lower priority is as that.
     */
    public static SentUpTo of(long... byPriority) {
        long[] ascending = Arrays.copyOf(byPriority, Math.min(byPriority.length, Message.HIGHEST_PRIORITY + 1));
        int distinct = 1;
        for (int i = 1; i < ascending.length; i++) {
            ascending[i] = Math.max(ascending[i], ascending[i - 1]);
            distinct = ascending[i] > ascending[i - 1] ? i + 1 : distinct;
        }
        return distinct == 1 ? all(ascending[0]) : new SentUpTo(Arrays.copyOf(ascending, distinct));
    }

    /** That of a priority. */
    public long of(int priority) {
        return upTo[Math.min(priority, upTo.length - 1)];
    }

    /** That of the lowest priority: all messages up to it may have been sent. */
    public long lowest() {
        return upTo[0];
    }

    /** That of the highest priority: no message above it was sent. */
    public long highest() {
        return upTo[upTo.length - 1];
    }

    /** Whether a message may have been sent. */
    public boolean has(long sequence, int priority) {
        return sequence <= of(priority);
    }

    /** Whether it is one number for all priorities. */
    public boolean isOfAll() {
        return upTo.length == 1;
    }

    /** What may have been sent here or there. */
    public SentUpTo or(SentUpTo other) {
        return isOfAll() && other.isOfAll() ? (lowest() >= other.lowest() ? this : other) : combined(other, true);
    }

    /** What may have been sent here and there. */
    public SentUpTo and(SentUpTo other) {
        return isOfAll() && other.isOfAll() ? (lowest() <= other.lowest() ? this : other) : combined(other, false);
    }

    private SentUpTo combined(SentUpTo other, boolean isMost) {
        long[] combined = new long[Message.HIGHEST_PRIORITY + 1];
        for (int i = 0; i < combined.length; i++) {
            combined[i] = isMost ? Math.max(of(i), other.of(i)) : Math.min(of(i), other.of(i));
        }
        return of(combined);
    }

    /** Writes those of the priorities above 0 that differ from the one before, with those between; none for most. */
    static void writeHigher(ByteWriter writer, SentUpTo written) {
        writer.writeNumbers(Arrays.copyOfRange(written.upTo, 1, written.upTo.length));
    }

    static SentUpTo readHigher(ByteReader reader, long lowest) {
        long[] higher = reader.readNumbers();
        if (higher.length > Message.HIGHEST_PRIORITY) {
            throw new UnreadableRecordException(higher.length + " priorities above 0");
        }
        long[] all = new long[higher.length + 1];
        all[0] = lowest;
        System.arraycopy(higher, 0, all, 1, higher.length);
        return of(all);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SentUpTo that && Arrays.equals(upTo, that.upTo);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(upTo);
    }

    @Override
    public String toString() {
        return isOfAll() ? Long.toString(lowest()) : Arrays.toString(upTo);
    }
}
