package io.tributary.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.security.OnRevocation;
import io.tributary.broker.security.Revocations;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConfiguredRulesTest {
    private final Revocations revocations = new Revocations(OnRevocation.REMOVE, (_, _) -> {});
    private List<String> others = List.of("n2", "n3");
    private long nanos;
    private final ConfiguredRules rules = new ConfiguredRules(() -> others, revocations, () -> nanos);

    @Test
    void nothingIsTakenWhileANodeHasOthers() {
        rules.tick();
        assertThat(revocations.areHeld()).isTrue();
        assertThat(revocations.released()).isZero();
        others = List.of("n3");
        rules.tick();
        assertThat(revocations.areHeld()).isTrue();
        others = List.of();
        rules.tick();
        rules.tick();
        assertThat(revocations.areHeld()).isFalse();
        assertThat(revocations.released()).isEqualTo(1);
    }

    @Test
    void warnsWhenTheyHaveDifferedForAMinute() {
        rules.tick();
        nanos += ConfiguredRules.PATIENCE.toNanos() - 1;
        rules.tick();
        assertThat(rules.warnings()).isEmpty();
        nanos++;
        rules.tick();
        assertThat(rules.warnings()).singleElement().asString().contains("tributary.security.rules", "at n2, n3, or");
        others = List.of();
        rules.tick();
        assertThat(rules.warnings()).isEmpty();
    }

    @Test
    void minuteBeginsAnewWhenTheyHaveBeenTheSame() {
        rules.tick();
        others = List.of();
        nanos += ConfiguredRules.PATIENCE.toNanos();
        rules.tick();
        others = List.of("n2");
        rules.tick();
        assertThat(rules.warnings()).isEmpty();
    }
}
