package io.tributary.cluster.kafka.app;

import static io.tributary.persistence.contract.Waiting.until;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RepeatedTest {
    @Test
    void itIsDoneAgainAfterAnError() {
        AtomicInteger times = new AtomicInteger();
        try (ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1)) {
            Repeated.every(timer, 1, () -> {
                times.incrementAndGet();
                throw new StackOverflowError("as the test wants");
            });
            until(() -> times.get() > 1);
            timer.shutdownNow();
        }
    }
}
