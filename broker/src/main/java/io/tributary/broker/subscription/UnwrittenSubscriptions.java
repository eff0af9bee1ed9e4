package io.tributary.broker.subscription;

import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.thread.StageFailure;
import io.tributary.common.time.LineAMinute;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes of subscriptions that could not be written: the log names one of them a minute, for clients ask again and
 * again while Kafka, or the disk, takes nothing. Any thread.
 */
final class UnwrittenSubscriptions {
    private static final Logger LOG = LoggerFactory.getLogger(UnwrittenSubscriptions.class);

    private final LineAMinute lines;

    UnwrittenSubscriptions(LongSupplier nanoTime) {
        lines = new LineAMinute(nanoTime);
    }

    void failed(String clientId, Throwable failure) {
        String others = lines.happened();
        if (others != null) {
            LOG.warn(
                    "subscriptions of {} could not be written{}: {}",
                    GroupIdentifier.display(clientId),
                    others,
                    StageFailure.cause(failure).toString());
        }
        LOG.debug("subscriptions of {} could not be written", GroupIdentifier.display(clientId), failure);
    }
}
