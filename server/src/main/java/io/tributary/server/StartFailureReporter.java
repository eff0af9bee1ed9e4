package io.tributary.server;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootExceptionReporter;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Prints why the broker did not start, in words; with {@code --debug}, the stack trace too. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class StartFailureReporter implements SpringBootExceptionReporter {
    private static final Logger LOG = LoggerFactory.getLogger(StartFailureReporter.class);

    @Override
    @SuppressWarnings({"SystemOut", "CatchAndPrintStackTrace"})
    public boolean reportException(Throwable failure) {
        StartFailure.words(failure).lines().forEach(line -> System.err.println("tributary: could not start: " + line));
        if (LOG.isDebugEnabled()
                || LoggerFactory.getLogger(SpringApplication.class).isDebugEnabled()) {
            failure.printStackTrace();
        } else if (failure instanceof Error) {
            LOG.error("a defect of the broker or of its installation", failure);
        }
        return true;
    }
}
