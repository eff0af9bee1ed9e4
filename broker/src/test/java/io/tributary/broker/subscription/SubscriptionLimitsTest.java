package io.tributary.broker.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SubscriptionLimitsTest {

    @Test
    void hasDefaults() {
        assertThat(SubscriptionLimits.defaults()).isEqualTo(new SubscriptionLimits(1_000, 1024, 16_384));
    }

    @Test
    void namesTheValueAndWhatIsAllowed() {
        assertThatThrownBy(() -> new SubscriptionLimits(0, 1024, 1)).hasMessage("max-per-client: 0 is less than 1");
        assertThatThrownBy(() -> new SubscriptionLimits(1, 1024, -1))
                .hasMessage("cached-topics: -1 is not within 0 to 4194304");
        assertThatThrownBy(() -> new SubscriptionLimits(1, 1024, 1 << 23))
                .hasMessageStartingWith("cached-topics: 8388608");
    }
}
