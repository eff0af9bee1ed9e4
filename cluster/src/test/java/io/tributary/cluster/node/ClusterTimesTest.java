package io.tributary.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The settings of the node table and of visibility: their defaults, and what they refuse. */
class ClusterTimesTest {

    @Test
    void keepsTheTimesOfTheDecisionsWhenNothingIsSet() {
        assertThat(NodeTableConfig.DEFAULT)
                .isEqualTo(new NodeTableConfig(
                        Duration.ofMillis(250),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(30)));
        assertThat(VisibilityConfig.DEFAULT)
                .isEqualTo(new VisibilityConfig(
                        Duration.ofSeconds(1),
                        Duration.ofMillis(400),
                        Duration.ofMillis(5),
                        Duration.ofSeconds(1),
                        10_000));
    }

    @ParameterizedTest
    @CsvSource({
        "PT0.005S, PT2S, PT5S, PT1S, PT3S, PT30S, heartbeat",
        "PT61S, PT1H, PT1H, PT1S, PT1H, PT1H, heartbeat",
        "PT1S, PT2.9S, PT5S, PT1S, PT3S, PT30S, suspicion",
        "PT1S, PT5.1S, PT5S, PT1S, PT3S, PT30S, suspicion",
        "PT1S, PT3S, PT2.9S, PT1S, PT3S, PT30S, silence",
        "PT1S, PT3S, PT2H, PT1S, PT3S, PT30S, silence",
        "PT1S, PT3S, PT5S, PT0S, PT3S, PT30S, late",
        "PT1S, PT3S, PT5S, PT4S, PT3S, PT30S, must be shorter than silence",
        "PT1S, PT3S, PT5S, PT1S, PT1.9S, PT30S, watch",
        "PT1S, PT3S, PT5S, PT1S, PT3S, PT4S, isolation",
    })
    void refusesWhenATimeOfTheNodeTableIsBad(
            Duration heartbeat,
            Duration suspicion,
            Duration silence,
            Duration late,
            Duration watch,
            Duration isolation,
            String why) {
        assertThatThrownBy(() -> new NodeTableConfig(heartbeat, suspicion, silence, late, watch, isolation))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    @ParameterizedTest
    @CsvSource({
        "PT0.05S, PT0.02S, PT0S, PT1S, 1, leaveOut",
        "PT1S, PT0.41S, PT0S, PT1S, 1, behind",
        "PT1S, PT0.001S, PT0S, PT1S, 1, behind",
        "PT1S, PT0.4S, PT0.2S, PT1S, 1, coalesce",
        "PT1S, PT0.4S, PT0S, PT0S, 1, repeat",
        "PT1S, PT0.4S, PT0S, PT1S, 0, maxWaits",
    })
    void refusesWhenATimeOfVisibilityIsBad(
            Duration leaveOut, Duration behind, Duration coalesce, Duration repeat, int maxWaits, String why) {
        assertThatThrownBy(() -> new VisibilityConfig(leaveOut, behind, coalesce, repeat, maxWaits))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }
}
