package io.tributary.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tributary.broker.shard.QueueLimits.Overflow;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ShardConfigTest {
    private static final QueueLimits LIMITS = QueueLimits.defaults();

    @Test
    void defaultsAreThoseOfTheDocs() {
        ShardConfig config = ShardConfig.defaults();
        assertThat(config.savePointInterval()).isEqualTo(Duration.ofSeconds(1));
        assertThat(config.savePointChanges()).isEqualTo(2000);
        assertThat(config.savePointBytes()).isEqualTo(1 << 20);
        assertThat(config.windowMessages()).isEqualTo(1000);
        assertThat(config.windowBytes()).isEqualTo(1 << 20);
        assertThat(LIMITS).isEqualTo(new QueueLimits(10_000, 64 << 20, Overflow.DROP_OLDEST));
    }

    @Test
    void valuesAreRefusedWhenTooSmallOrTooLarge() {
        Duration second = Duration.ofSeconds(1);
        assertRefused("threads", () -> new ShardConfig(0, second, 1, 1024, 1, 1024, LIMITS));
        assertRefused("save-point-interval", () -> new ShardConfig(1, Duration.ofMillis(9), 1, 1024, 1, 1024, LIMITS));
        assertRefused("save-point-changes", () -> new ShardConfig(1, second, 0, 1024, 1, 1024, LIMITS));
        assertRefused("save-point-bytes", () -> new ShardConfig(1, second, 1, 1023, 1, 1024, LIMITS));
        assertRefused("window-messages", () -> new ShardConfig(1, second, 1, 1024, 0, 1024, LIMITS));
        assertRefused("window-messages", () -> new ShardConfig(1, second, 1, 1024, 32_768, 1024, LIMITS));
        assertRefused("window-bytes", () -> new ShardConfig(1, second, 1, 1024, 1, 1023, LIMITS));
    }

    @Test
    void limitsAreRefusedWhenTooSmallOrTooLarge() {
        assertRefused("max-messages", () -> new QueueLimits(0, 1024, Overflow.DROP_NEWEST));
        assertRefused("max-messages", () -> new QueueLimits(65_536, 1024, Overflow.DROP_NEWEST));
        assertRefused("max-bytes", () -> new QueueLimits(1, 1023, Overflow.DROP_NEWEST));
    }

    private static void assertRefused(String name, Runnable creation) {
        assertThatIllegalArgumentException().isThrownBy(creation::run).withMessageContaining(name);
    }
}
