package io.tributary.cluster.kafka.app;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a timer does again and again, also after a failure, with which it would end for good and without a word. */
final class Repeated {
    private static final Logger LOG = LoggerFactory.getLogger(Repeated.class);

    private Repeated() {}

    /** Does it each time that the timer has done nothing of it for so long. */
    static void every(ScheduledExecutorService timer, long millis, Runnable action) {
        Future<?> _ = timer.scheduleWithFixedDelay(() -> guarded(action), millis, millis, TimeUnit.MILLISECONDS);
    }

    /** Does it; a failure is logged, so that what comes behind it is done, too. */
    static void guarded(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            LOG.error("looking after the topics of applications failed", e);
        }
    }
}
