package io.tributary.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class StartPatienceTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void redisHasWhatKafkaHasLeft() {
        StartPatience begun = StartPatience.begin(HOUR, new CompletableFuture<>());
        assertThat(begun.left()).isBetween(begun.least(), HOUR);
        assertThat(ended(begun, HOUR.dividedBy(2)).left()).isBetween(begun.least(), HOUR.dividedBy(2));
    }

    @Test
    void redisHasATenthThoughKafkaHasTakenAll() {
        StartPatience begun = StartPatience.begin(HOUR, new CompletableFuture<>());
        assertThat(ended(begun, HOUR).left()).isEqualTo(HOUR.dividedBy(10));
    }

    /** The same, as much earlier. */
    private static StartPatience ended(StartPatience begun, Duration earlier) {
        return new StartPatience(begun.endNanos() - earlier.toNanos(), begun.least(), begun.givenUp());
    }
}
