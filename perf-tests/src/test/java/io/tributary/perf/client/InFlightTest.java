package io.tributary.perf.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class InFlightTest {

    @Test
    void givesFreeIdentifiersWhenAcknowledgementsComeInAnyOrder() {
        InFlight inFlight = new InFlight(3);
        int one = inFlight.add(0, 1, 10, 1, false);
        int two = inFlight.add(0, 2, 20, 1, false);
        int three = inFlight.add(0, 3, 30, 1, false);
        assertThat(inFlight.isFull()).isTrue();
        inFlight.remove(two);
        int four = inFlight.add(0, 4, 40, 1, false);
        assertThat(four).isEqualTo(two);
        assertThat(inFlight.dueNanos(four)).isEqualTo(40);
        inFlight.remove(one);
        inFlight.remove(three);
        assertThat(inFlight.size()).isEqualTo(1);
        assertThat(inFlight.has(one)).isFalse();
        assertThat(inFlight.has(70)).isFalse();
    }

    @Test
    void keepsOrderOfSendingWhenIdentifiersGoRound() {
        InFlight inFlight = new InFlight(4);
        for (long sequence = 1; sequence <= 4; sequence++) {
            inFlight.add(0, sequence, 0, 1, false);
        }
        inFlight.remove(1);
        inFlight.remove(2);
        inFlight.add(0, 5, 0, 1, false);
        assertThat(Arrays.stream(inFlight.inOrder()).mapToObj(inFlight::sequence))
                .containsExactly(3L, 4L, 5L);
    }
}
