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
        assertThatThrownBy(() -> new RetainedLimits(-1, 0)).hasMessage("max-messages: -1 is less than 0");
        assertThatThrownBy(() -> new RetainedLimits(0, -5)).hasMessage("max-size: -5 is less than 0");
    }
}
