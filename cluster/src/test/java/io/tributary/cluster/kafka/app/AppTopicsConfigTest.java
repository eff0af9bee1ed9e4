package io.tributary.cluster.kafka.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AppTopicsConfigTest {
    @Test
    void configurationIsRefusedWhenAValueMakesNoSense() {
        AppTopicsConfig valid = AppTopicsConfig.defaults();
        assertRefused(() -> apps(0, 16, null), "consumers 0: must be 1 to 64");
        assertRefused(() -> apps(2, 0, null), "partitions of the shared topic 0: must be");
        assertRefused(() -> apps(2, 16, Duration.ZERO), "retention PT0S: must be positive");
        assertRefused(() -> valid.withCleaningInterval(Duration.ZERO), "cleaning interval PT0S: must be positive");
        assertThat(apps(2, 16, null)).isEqualTo(valid);
    }

    private static AppTopicsConfig apps(int consumers, int sharedPartitions, @Nullable Duration retention) {
        return new AppTopicsConfig(
                consumers, sharedPartitions, retention, Duration.ofDays(7), false, 1 << 26, Duration.ofSeconds(10));
    }

    private static void assertRefused(ThrowingCallable action, String message) {
        assertThatThrownBy(action).isInstanceOf(IllegalArgumentException.class).hasMessageStartingWith(message);
    }
}
