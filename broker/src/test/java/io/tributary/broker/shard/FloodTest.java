package io.tributary.broker.shard;

import static io.tributary.broker.shard.Flood.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.shard.QueueLimits.Overflow;
import org.junit.jupiter.api.Test;

/** A session that is flooded stays within its limit, and gets what its client takes, whatever the client does. */
class FloodTest {
    private static final int LIMIT = 3_000;
    private static final int TAKEN_A_STEP = 22;
    /** What comes while a {@code Settled} is on its way into the log, and what is settled before it is written. */
    private static final int BEYOND = 5_000;

    private Flood flood = new Flood(Overflow.DROP_OLDEST, LIMIT);

    @Test
    void queueStaysWithinItsLimitAndIsServedFromMemoryWhenItsClientIsTooSlow() {
        flood.run(3 * SECOND, TAKEN_A_STEP);
        assertServedFromMemoryWhileItGoesOn();
    }

    @Test
    void queueStaysWithinItsLimitWhenItsClientStallsAndGoesOn() {
        flood.run(SECOND, 60);
        assertThat(flood.dropped).isZero();
        flood.run(5 * SECOND, 0);
        assertServedFromMemoryWhileItGoesOn();
    }

    @Test
    void queueStaysWithinItsLimitWhenItsClientIsAway() {
        flood.leave();
        flood.run(5 * SECOND, 0);
        assertThat(flood.longest).as("the longest queue, by the log").isLessThan(LIMIT + BEYOND);
        assertThat(flood.store.queueReads).as("pages read from the store").hasSizeLessThan(5);
        assertThat(flood.published - flood.dropped).isEqualTo(LIMIT);
    }

    @Test
    void newestAreDroppedAndTheQueueStaysWithinItsLimitWhenSoConfigured() {
        flood = new Flood(Overflow.DROP_NEWEST, LIMIT);
        flood.run(2 * SECOND, 0);
        flood.client.taken = 0;
        flood.run(2 * SECOND, TAKEN_A_STEP);
        assertThat(flood.longest).as("the longest queue, by the log").isLessThan(LIMIT + BEYOND);
        assertThat(flood.store.queueReads).as("pages read from the store").isEmpty();
        flood.assertRestComesOnce();
    }

    /** For two more seconds the client gets what it takes, none of it is read, and the rest comes once. */
    private void assertServedFromMemoryWhileItGoesOn() {
        flood.client.taken = 0;
        flood.run(2 * SECOND, TAKEN_A_STEP);
        assertThat(flood.longest).as("the longest queue, by the log").isLessThan(LIMIT + BEYOND);
        assertThat(flood.store.queueReads).as("pages read from the store").isEmpty();
        assertThat(flood.client.taken).isGreaterThan(2L * SECOND * TAKEN_A_STEP * 9 / 10);
        flood.assertRestComesOnce();
    }
}
