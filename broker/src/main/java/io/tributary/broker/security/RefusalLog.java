package io.tributary.broker.security;

import io.tributary.common.mqtt.Printable;
import io.tributary.common.thread.StageFailure;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says why clients are refused, at most so many lines a second: clients must not be able to fill the disk. What clients
 * say of themselves is cut, and without control characters; it never has a password. Any thread.
 */
final class RefusalLog {
    private static final Logger LOG = LoggerFactory.getLogger(AuthenticatorChain.class);
    private static final int LINES_A_SECOND = 10;

    private final LongSupplier nanoTime;

    // Guarded by this.
    private long secondBegan;
    private int lines;
    private long leftOut;

    RefusalLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        secondBegan = nanoTime.getAsLong();
    }

    void refused(ClientInfo client, String authenticator, String why) {
        if (mayWrite()) {
            LOG.info(
                    "client '{}' at {} (listener '{}') is refused by '{}': {}",
                    Printable.startOf(client.clientId()),
                    client.remoteAddress(),
                    client.listener(),
                    authenticator,
                    Printable.startOf(why));
        }
    }

    void failed(String authenticator, Throwable failure) {
        if (mayWrite()) {
            LOG.warn(
                    "authenticator '{}' failed, its client is refused: {}",
                    authenticator,
                    Printable.startOf(StageFailure.cause(failure).toString()));
        }
    }

    private synchronized boolean mayWrite() {
        long now = nanoTime.getAsLong();
        if (now - secondBegan >= TimeUnit.SECONDS.toNanos(1)) {
            if (leftOut > 0) {
                LOG.info("{} more clients were refused", leftOut);
            }
            secondBegan = now;
            lines = 0;
            leftOut = 0;
        }
        if (lines < LINES_A_SECOND) {
            lines++;
            return true;
        }
        leftOut++;
        return false;
    }
}
