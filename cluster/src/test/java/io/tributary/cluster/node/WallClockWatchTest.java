package io.tributary.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.deployment.Loss;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WallClockWatchTest {
    private long wallMillis = 1_700_000_000_000L;
    private long upMillis = -5_000; // a monotonic clock may be below 0
    private final WallClockWatch watch =
            new WallClockWatch(() -> wallMillis, () -> TimeUnit.MILLISECONDS.toNanos(upMillis));

    private void pass(long wall, long up) {
        wallMillis += wall;
        upMillis += up;
    }

    @Test
    void clockThatIsSetBackIsALossFromThenOn() {
        pass(100, 100);
        assertThat(watch.look()).isNull();
        pass(-3_300_000, 100);
        assertThat(watch.look())
                .isEqualTo(new Loss(
                        "the wall clock of its machine was set back by 3300 s, and Kafka's clients count time by it",
                        true));
        pass(100, 100);
        assertThat(watch.look()).isNotNull();
    }

    @Test
    void clockThatIsSetForwardIsNone() {
        pass(86_400_000, 100);
        assertThat(watch.look()).isNull();
    }

    @Test
    void clockThatIsSlowedDownIsNone() {
        for (int i = 0; i < 100; i++) {
            pass(0, 100);
            assertThat(watch.look()).isNull();
        }
    }

    @Test
    void processThatWasPausedIsNone() {
        pass(60_000, 60_000);
        assertThat(watch.look()).isNull();
    }
}
