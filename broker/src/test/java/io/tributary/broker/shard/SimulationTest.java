package io.tributary.broker.shard;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Thousands of faulty histories of shards and their clients, each drawn from a seed and judged by the promises of the
 * design. {@code -Dsimulation.histories=N} runs N of them, {@code -Dsimulation.first=N} begins with another than the
 * first, {@code -Dsimulation.seed=N} repeats one.
 */
class SimulationTest {
    @Test
    @Timeout(10_800)
    void promisesAreKeptWhenAnythingFails() {
        Long only = Long.getLong("simulation.seed");
        if (only != null) {
            run(only);
            return;
        }
        long first = Long.getLong("simulation.first", 1);
        long histories = Long.getLong("simulation.histories", 1_500);
        for (long seed = first; seed < first + histories; seed++) {
            run(seed);
        }
    }

    private static void run(long seed) {
        SimWorld world = new SimWorld(
                seed,
                List.of(
                        new NothingAcknowledgedIsLost(),
                        new OrderIsKept(),
                        new ExactlyOnce(),
                        new OneSession(),
                        new WillsArePublishedOnce(),
                        new NothingIsEarly(),
                        new FoldIsDeterministic(),
                        new MemoryIsReturned()));
        try {
            world.run();
        } catch (RuntimeException | Error e) {
            throw new AssertionError(
                    "history " + seed + ", step " + world.clock.steps() + ", " + world.faults + ": " + e, e);
        }
    }
}
