package io.tributary.perf.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.perf.judge.MessageStream.Verdict;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageStreamTest {

    @Test
    void callsFirstCopiesInOrderWhenNothingIsMissing() {
        MessageStream stream = new MessageStream();
        for (long sequence = 1; sequence <= 1_000; sequence++) {
            assertThat(stream.onMessage(sequence)).isEqualTo(Verdict.IN_ORDER);
        }
        assertThat(stream.first()).isEqualTo(1_000);
    }

    @Test
    void callsMessageOutOfOrderWhenLaterOneCameBefore() {
        MessageStream stream = new MessageStream();
        assertThat(stream.onMessage(2)).isEqualTo(Verdict.IN_ORDER);
        assertThat(stream.onMessage(1)).isEqualTo(Verdict.OUT_OF_ORDER);
        assertThat(stream.onMessage(1)).isEqualTo(Verdict.DUPLICATE);
        assertThat(stream.first()).isEqualTo(2);
    }

    /** Against a judge with a memory without bounds. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void agreesWithUnboundedMemoryWhenMessagesComeAtRandom(long seed) {
        Random random = new Random(seed);
        MessageStream stream = new MessageStream();
        Set<Long> seen = new HashSet<>();
        long highest = 0;
        for (int i = 0; i < 2_000; i++) {
            long sequence = Math.max(1, highest + 1 + random.nextInt(40) - 30);
            Verdict expected = seen.contains(sequence)
                    ? Verdict.DUPLICATE
                    : sequence > highest ? Verdict.IN_ORDER : Verdict.OUT_OF_ORDER;
            assertThat(stream.onMessage(sequence)).as("message %d", sequence).isEqualTo(expected);
            seen.add(sequence);
            highest = Math.max(highest, sequence);
        }
        assertThat(stream.first()).isEqualTo(seen.size());
    }

    @Test
    void saysThatItDoesNotKnowWhenTooMuchIsMissing() {
        MessageStream stream = new MessageStream();
        int gaps = Gaps.MAX_RANGES + 10;
        for (long sequence = 2; sequence <= 2L * gaps; sequence += 2) {
            assertThat(stream.onMessage(sequence)).isEqualTo(Verdict.IN_ORDER);
        }
        assertThat(stream.onMessage(1)).isEqualTo(Verdict.UNDECIDED);
        assertThat(stream.onMessage(2L * gaps - 1)).isEqualTo(Verdict.OUT_OF_ORDER);
        assertThat(stream.onMessage(2L * gaps - 1)).isEqualTo(Verdict.DUPLICATE);
        assertThat(stream.first()).isEqualTo(gaps + 1);
    }

    @Test
    void forgetsLowestWhenRangeIsSplitAtLimit() {
        MessageStream stream = new MessageStream();
        long last = 4L * Gaps.MAX_RANGES;
        for (long sequence = 4; sequence <= last; sequence += 4) {
            assertThat(stream.onMessage(sequence)).isEqualTo(Verdict.IN_ORDER); // three are missing before each
        }
        assertThat(stream.onMessage(2)).isEqualTo(Verdict.OUT_OF_ORDER);
        assertThat(stream.onMessage(1)).isEqualTo(Verdict.UNDECIDED);
        assertThat(stream.onMessage(3)).isEqualTo(Verdict.OUT_OF_ORDER);
        assertThat(stream.onMessage(last - 1)).isEqualTo(Verdict.OUT_OF_ORDER);
    }
}
