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

    @Test
    void onlyTheWaitIsInterruptedWhenTheStartIsGivenUp() {
        CompletableFuture<Void> givenUp = new CompletableFuture<>();
        StartPatience begun = StartPatience.begin(HOUR, givenUp);
        assertThat(begun.interruptibly(() -> Thread.currentThread().isInterrupted()))
                .isFalse();
        givenUp.completeExceptionally(new IllegalStateException("the node is stopped"));
        assertThat(Thread.currentThread().isInterrupted())
                .as("a wait that is over")
                .isFalse();
        assertThat(begun.interruptibly(() -> Thread.currentThread().isInterrupted()))
                .isTrue();
        assertThat(Thread.currentThread().isInterrupted()).as("behind the wait").isFalse();
    }

    /** The same, as much earlier. */
    private static StartPatience ended(StartPatience begun, Duration earlier) {
        return new StartPatience(begun.endNanos() - earlier.toNanos(), begun.least(), begun.givenUp());
    }
}
