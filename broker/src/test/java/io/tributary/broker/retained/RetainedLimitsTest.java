package io.tributary.broker.retained;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class RetainedLimitsTest {

    @Test
    void hasDefaults() {
        assertThat(RetainedLimits.defaults()).isEqualTo(new RetainedLimits(1_000_000, 268_435_456));
    }

    @Test
    void namesTheValueAndWhatIsAllowed() {
        assertThatThrownBy(() -> new RetainedLimits(-1, 0)).hasMessage("maxMessages -1: must be 0 (keep none) or more");
        assertThatThrownBy(() -> new RetainedLimits(0, -5)).hasMessage("maxBytes -5: must be 0 (keep none) or more");
    }
}
