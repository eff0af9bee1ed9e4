package io.tributary.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AfterTakeoverTest {
    private final List<Integer> done = new ArrayList<>();

    @Test
    void stepsAreDoneInTheirOrderFewATick() {
        AfterTakeover left = new AfterTakeover(List.of(steps(0, 40_000), steps(40_000, 80_000)), 40_000);
        left = left.tick();
        assertThat(done).hasSizeBetween(400, 600);
        for (int tick = 1; tick < 200; tick++) {
            left = left.tick();
        }
        assertThat(done)
                .containsExactlyElementsOf(IntStream.range(0, 80_000).boxed().toList());
        assertThat(left.tick()).isSameAs(AfterTakeover.DONE);
    }

    @Test
    void fewStepsAreDoneInOneTick() {
        AfterTakeover left = new AfterTakeover(List.of(steps(0, 250), Collections.emptyIterator(), steps(0, 249)), 250);
        assertThat(left.tick()).isSameAs(AfterTakeover.DONE);
        assertThat(done).hasSize(499);
        assertThat(AfterTakeover.DONE.tick()).isSameAs(AfterTakeover.DONE);
    }

    private Iterator<Runnable> steps(int from, int to) {
        return IntStream.range(from, to)
                .<Runnable>mapToObj(i -> () -> done.add(i))
                .iterator();
    }
}
