package io.tributary.server;

import io.tributary.server.StopSignals.StoppedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootExceptionReporter;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Prints why the broker did not start, in words; nothing when a signal ended the start. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class StartFailureReporter implements SpringBootExceptionReporter {
    private static final Logger LOG = LoggerFactory.getLogger(StartFailureReporter.class);

    /** Whether stack traces are wanted, as far as the log knows: it does not while the settings are read. */
    static boolean isVerbose() {
        return LOG.isDebugEnabled()
                || LoggerFactory.getLogger(SpringApplication.class).isDebugEnabled();
    }

    @Override
    @SuppressWarnings("SystemOut")
    public boolean reportException(Throwable failure) {
        if (StartFailure.cause(failure, StoppedException.class) != null) {
            return true; // who stopped it knows why
        }
        StartFailure.words(failure).lines().forEach(line -> System.err.println("tributary: could not start: " + line));
        if (failure instanceof Error && !isVerbose()) {
            LOG.error("a defect of the broker or of its installation", failure);
        }
        return true;
    }
}
