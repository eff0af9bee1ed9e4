package io.tributary.broker.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SubscriptionLimitsTest {

    @Test
    void hasDefaults() {
        long quarter = Runtime.getRuntime().maxMemory() / 4;
        assertThat(SubscriptionLimits.defaults())
                .isEqualTo(new SubscriptionLimits(1_000, 100, 262_144, 1024, quarter, 16_384));
        assertThat(SubscriptionLimits.builder().maxSize(0).build()).isEqualTo(SubscriptionLimits.defaults());
    }

    @Test
    void hasTheSizeThatIsGiven() {
        assertThat(SubscriptionLimits.builder().maxSize(2048).build().totalBytes())
                .isEqualTo(2048);
    }

    @Test
    void namesTheValueAndWhatIsAllowed() {
        assertThatThrownBy(() -> limits(0, 1, 1024, 1024, 1)).hasMessage("max-per-client: 0 is less than 1");
        assertThatThrownBy(() -> limits(1, -1, 1024, 1024, 1)).hasMessage("max-shared-per-client: -1 is less than 0");
        assertThatThrownBy(() -> limits(1, 1, 1023, 1024, 1))
                .hasMessage("max-size-per-client: 1023 is not within 1024 to 67108864");
        assertThatThrownBy(() -> new SubscriptionLimits(1, 1, 1024, 1024, 1023, 1))
                .hasMessage("max-size: 1023 is less than 1024");
        assertThatThrownBy(() -> limits(1, 1, 1024, 1024, -1))
                .hasMessage("cached-topics: -1 is not within 0 to 4194304");
        assertThatThrownBy(() -> limits(1, 1, 1024, 1024, 1 << 23)).hasMessageStartingWith("cached-topics: 8388608");
    }

    private static SubscriptionLimits limits(int perClient, int shared, int size, int filterBytes, int cachedTopics) {
        return new SubscriptionLimits(perClient, shared, size, filterBytes, 1 << 30, cachedTopics);
    }
}
