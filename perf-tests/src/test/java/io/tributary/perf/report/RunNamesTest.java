package io.tributary.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RunNamesTest {
    @Test
    void saysWhatTellsThemApart() {
        assertThat(RunNames.shortened(List.of(
                        "latency clients=1 on Tributary standalone", "latency clients=10 on Tributary standalone")))
                .containsExactly("clients=1", "clients=10");
        assertThat(RunNames.shortened(List.of("p2p on Tributary standalone", "p2p on Mosquitto")))
                .containsExactly("Tributary standalone", "Mosquitto");
    }

    @Test
    void keepsAWordOfEach() {
        assertThat(RunNames.shortened(List.of("a b", "a b c", "a b"))).containsExactly("b", "b c", "b");
    }

    @Test
    void keepsNamesThatAreAllTheSame() {
        assertThat(RunNames.shortened(List.of("p2p on X", "p2p on X"))).containsExactly("p2p on X", "p2p on X");
        assertThat(RunNames.shortened(List.of("p2p on X"))).containsExactly("p2p on X");
    }
}
