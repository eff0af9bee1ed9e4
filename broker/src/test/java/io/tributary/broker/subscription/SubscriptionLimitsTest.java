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
        assertThatThrownBy(() -> new SubscriptionLimits(0, 1024, 1)).hasMessage("perClient 0: must be at least 1");
        assertThatThrownBy(() -> new SubscriptionLimits(1, 1024, -1))
                .hasMessage("cachedTopics -1: must be 0 (no cache) to 4194304");
        assertThatThrownBy(() -> new SubscriptionLimits(1, 1024, 1 << 23))
                .hasMessageStartingWith("cachedTopics 8388608");
    }
}
