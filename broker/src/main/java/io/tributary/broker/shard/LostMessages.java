package io.tributary.broker.shard;

import io.tributary.broker.shard.ShardRecorder.Drop;
import io.tributary.broker.shard.fold.SessionState;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.persistence.shard.ShardStore.Remnant;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes messages out of queues that have expired or that the store has lost: they are settled as if their clients had
 * acknowledged them, and counted. Confined to the thread of the driver.
 *
 * <p>Decided in docs/decisions/0003-owner-decides-drops.md.
 */
final class LostMessages implements SessionQueues.Losses {
    private static final Logger LOG = LoggerFactory.getLogger(LostMessages.class);

    private final Deliveries deliveries;
    private final LongSupplier timeMillis;
    private boolean hasNamedOne;

    /** @param timeMillis the time by which messages expire */
    LostMessages(Deliveries deliveries, LongSupplier timeMillis) {
        this.deliveries = deliveries;
        this.timeMillis = timeMillis;
    }

    /**
     * Leaves alone what is settled already, what is about to move, and what a connection has: that will be
     * acknowledged, or found again.
     */
    @Override
    public void lost(SessionState client, List<Remnant> remnants) {
        lost(client, remnants, Map.of());
    }

    /**
     * The same.
     *
     * @param topics those of the messages that are known, by their sequence numbers
     */
    void lost(SessionState client, List<Remnant> remnants, Map<Long, String> topics) {
        LongPredicate isKnown = deliveries.view.known(client);
        long nowMillis = timeMillis.getAsLong();
        for (Remnant remnant : remnants) {
            if (!isKnown.test(remnant.sequence())) {
                Drop reason = remnant.expiresAtMillis() <= nowMillis ? Drop.EXPIRED : Drop.LOST_IN_STORE;
                name(client, remnant.sequence(), reason);
                deliveries.drop(client, remnant.sequence(), remnant.sizeBytes(), reason);
                String topic = topics.get(remnant.sequence());
                if (topic != null) {
                    deliveries.missed(client, topic);
                }
            }
        }
    }

    private void name(SessionState client, long sequence, Drop reason) {
        if (reason == Drop.LOST_IN_STORE && !hasNamedOne) {
            hasNamedOne = true;
            LOG.error(
                    "The store has lost message {} of the queue of {}, which had not expired: it was evicted, somebody"
                            + " deleted it, or the clock of its server is wrong. The rest of the queue is delivered. Further"
                            + " losses of this shard are counted (tributary_messages_dropped_total, reason lost_in_store) and not named",
                    sequence,
                    GroupIdentifier.display(client.clientId()));
        }
    }
}
