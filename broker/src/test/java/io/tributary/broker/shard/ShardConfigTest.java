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
        assertRefused("threads", ShardConfig.builder().threads(-1));
        assertRefused("save-point-interval", ShardConfig.builder().savePointInterval(Duration.ofMillis(9)));
        assertRefused("save-point-messages", ShardConfig.builder().savePointMessages(0));
        assertRefused("save-point-size", ShardConfig.builder().savePointSize(1023));
        assertRefused("unsaved-size", ShardConfig.builder().unsavedSize(1023));
        assertRefused("delivery-size", ShardConfig.builder().deliverySize(1023));
        assertRefused("will-size", ShardConfig.builder().willSize(1023));
        assertRefused("window-messages", ShardConfig.builder().windowMessages(0));
        assertRefused("window-messages", ShardConfig.builder().windowMessages(32_768));
        assertRefused("window-size", ShardConfig.builder().windowSize(1023));
        assertRefused("retention", ShardConfig.builder().retention(Duration.ofSeconds(9)));
    }

    @Test
    void zeroThreadsAndZeroUnsavedSizeAreThoseThatTheMachineHasRoomFor() {
        ShardConfig config = ShardConfig.builder()
                .threads(0)
                .unsavedSize(0)
                .deliverySize(0)
                .willSize(0)
                .build();
        assertThat(config).isEqualTo(ShardConfig.defaults());
    }

    @Test
    void limitsAreRefusedWhenTooSmallOrTooLarge() {
        assertRefused("max-messages", () -> new QueueLimits(0, 1024, Overflow.DROP_NEWEST));
        assertRefused("max-messages", () -> new QueueLimits(65_536, 1024, Overflow.DROP_NEWEST));
        assertRefused("max-size", () -> new QueueLimits(1, 1023, Overflow.DROP_NEWEST));
    }

    private static void assertRefused(String name, ShardConfig.Builder wrong) {
        assertRefused(name, wrong::build);
    }

    private static void assertRefused(String name, Runnable creation) {
        assertThatIllegalArgumentException().isThrownBy(creation::run).withMessageStartingWith(name + ": ");
    }
}
