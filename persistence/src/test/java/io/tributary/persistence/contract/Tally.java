package io.tributary.persistence.contract;

import io.tributary.persistence.app.GroupTopics.GroupMessage;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;

/** Which of many numbered messages were accepted, and which of them came once more afterwards. Safe for all threads. */
public final class Tally {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final int expected;
    private final List<Long> repeated = new CopyOnWriteArrayList<>();

    // Guarded by this.
    private final BitSet seen = new BitSet();

    /** Of the messages 0 to so many. */
    public Tally(int expected) {
        this.expected = expected;
    }

    /** A message is accepted. */
    public void note(GroupMessage message) {
        long number = RecordingConsumer.number(message);
        synchronized (this) {
            if (!seen.get((int) number)) {
                seen.set((int) number);
                return;
            }
        }
        repeated.add(number);
    }

    /** How many different ones were. */
    public synchronized int count() {
        return seen.cardinality();
    }

    /** Waits until all were. */
    public void awaitAll() {
        Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> count() == expected);
    }

    /** Those that were accepted more than once. */
    public List<Long> repeated() {
        return List.copyOf(repeated);
    }
}
