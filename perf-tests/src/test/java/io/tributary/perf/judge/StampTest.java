package io.tributary.perf.judge;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class StampTest {

    @Test
    void givesBackWhatWasPutInWhenRead() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            int run = random.nextInt(1 << 16);
            int source = random.nextInt(Stamp.MAX_SOURCES);
            long sequence = 1 + random.nextLong(0xFFFF_FFFFL);
            long nanos = random.nextLong();
            long age = random.nextLong(1L << 50) - (1L << 49);
            boolean measured = random.nextBoolean();
            long first = Stamp.first(run, source, measured, nanos);
            long second = Stamp.second(sequence, nanos);
            assertThat(Stamp.run(first)).isEqualTo(run);
            assertThat(Stamp.source(first)).isEqualTo(source);
            assertThat(Stamp.sequence(second)).isEqualTo(sequence);
            assertThat(Stamp.isMeasured(first)).isEqualTo(measured);
            assertThat(Stamp.ageNanos(first, second, nanos + age)).isEqualTo(age);
        }
    }
}
