package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OpenFilesTest {
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicLong counted = new AtomicLong();

    private final OpenFiles files = new OpenFiles(
            () -> {
                nanos.addAndGet(1_000);
                return counted.incrementAndGet();
            },
            nanos::get);

    @Test
    void countIsGoodForAHundredTimesAsLongAsItTook() {
        assertThat(files.count()).isEqualTo(1);
        nanos.addAndGet(99_999);
        assertThat(files.count()).isEqualTo(1);
        nanos.addAndGet(1);
        assertThat(files.count()).isEqualTo(2);
    }

    @Test
    void filesOfThisProcessAreCounted() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new OpenFiles().bindTo(registry);
        assertThat(registry.get("process.files.open").gauge().value()).isBetween(3.0, 100_000.0);
        assertThat(registry.get("process.files.max").gauge().value()).isGreaterThanOrEqualTo(1_024.0);
    }
}
