package io.tributary.broker.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WritePaceTest {
    private static final int MEGABYTE = 1 << 20;
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 3 * SECOND); // which overflows soon
    private final WritePace pace = new WritePace(nanos::get);

    @Test
    void waitsForWhatIsMoreThanMayBeWrittenAtOnce() {
        for (int i = 0; i < 8; i++) {
            pace.wrote("a", MEGABYTE);
            assertThat(pace.waitNanos("a")).isZero();
        }
        pace.wrote("a", 2 * MEGABYTE);
        assertThat(pace.waitNanos("a")).isEqualTo(2 * SECOND);
        assertThat(pace.waitNanos("b")).isZero();

        nanos.addAndGet(SECOND);
        assertThat(pace.waitNanos("a")).isEqualTo(SECOND);
        nanos.addAndGet(SECOND);
        assertThat(pace.waitNanos("a")).isZero();
        pace.wrote("a", MEGABYTE);
        assertThat(pace.waitNanos("a")).isEqualTo(SECOND);
    }

    @Test
    void noMoreIsSavedUpThanMayBeWrittenAtOnce() {
        pace.wrote("a", MEGABYTE);
        nanos.addAndGet(100 * SECOND);
        pace.wrote("a", 9 * MEGABYTE);
        assertThat(pace.waitNanos("a")).isEqualTo(SECOND);
    }

    @Test
    void remembersClientsOnlyAsLongAsThatMatters() {
        pace.wrote("a", MEGABYTE);
        pace.wrote("b", 2 * MEGABYTE);
        nanos.addAndGet(SECOND);
        pace.tidy();
        assertThat(pace.size()).isEqualTo(1);
        nanos.addAndGet(SECOND);
        pace.tidy();
        assertThat(pace.size()).isZero();
    }
}
