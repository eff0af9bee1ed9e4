package io.tributary.broker.shard;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Hundreds of faulty histories of a group of applications and its hosts, each drawn from a seed and judged by what is
 * promised to such a group. {@code -Dsimulation.groups=N} runs N of them, {@code -Dsimulation.group.seed=N} repeats
 * one.
 */
class GroupSimulationTest {
    private static final long FIRST_SEED = 1;

    @Test
    @Timeout(3600)
    void promisesAreKeptWhenAnythingFails() {
        Long only = Long.getLong("simulation.group.seed");
        if (only != null) {
            run(only);
            return;
        }
        long histories = Long.getLong("simulation.groups", 150);
        for (long seed = FIRST_SEED; seed < FIRST_SEED + histories; seed++) {
            run(seed);
        }
    }

    private static void run(long seed) {
        SimGroups world = new SimGroups(
                seed,
                List.of(
                        new GroupLosesNothing(),
                        new OneMemberAtATime(),
                        new DeadLettersAreTheLastResort(),
                        new OneHost(),
                        new GroupEndsWithItsMembers(),
                        new GroupMemoryIsReturned()));
        try {
            world.run();
        } catch (RuntimeException | Error e) {
            throw new AssertionError(
                    "history " + seed + ", step " + world.clock.steps() + ", " + world.faults + ": " + e, e);
        }
    }
}
