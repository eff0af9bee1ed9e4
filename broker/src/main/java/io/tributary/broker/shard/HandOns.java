package io.tributary.broker.shard;

import io.tributary.broker.delivery.MessageRouting;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;

/**
 * Hands messages on to other shards and to transient sessions in the name of records of this shard, in the order of the
 * log, and knows which records still wait for the logs of others. Confined to the thread of its driver.
 *
 * <p>Each record that is handed on names its source, and repeating a hand-on gives the same sources: whoever has seen them
 * skips them.
 */
final class HandOns {
    private final int shard;
    private final LogAppender appender;
    private final MessageRouting routing;
    private final Executor thread;
    private final TreeMap<Long, Integer> outstanding = new TreeMap<>();
    private final Map<Object, Integer> nextPart = new HashMap<>();
    private long currentOffset = -1;
    /** Transient sessions have had what records below this offset caused. */
    private long transientsFrom;

    HandOns(int shard, LogAppender appender, MessageRouting routing, Executor thread) {
        this.shard = shard;
        this.appender = appender;
        this.routing = routing;
        this.thread = thread;
    }

    /** Records are going to be folded again. */
    void restart() {
        transientsFrom = Math.max(transientsFrom, currentOffset + 1);
        currentOffset = -1;
    }

    /** Hands a message on; a record may cause several. */
    void handOn(long offset, Message message, Destinations destinations) {
        if (offset != currentOffset) {
            currentOffset = offset;
            nextPart.clear();
        }
        if (offset >= transientsFrom) {
            routing.deliverTransient(message, destinations);
        }
        if (destinations.devices().isEmpty()) {
            return;
        }
        outstanding.merge(offset, 1, Integer::sum);
        appender.publish(
                message,
                destinations.devices(),
                destination -> new Source(shard, offset, nextPart.merge(destination, 1, Integer::sum) - 1),
                (_, failure) -> {
                    if (failure == null) { // else the node is closing, and the next owner hands on again
                        thread.execute(() -> done(offset));
                    }
                });
    }

    /** Whether all that records up to the offset caused is safe. */
    boolean isDoneUpTo(long offset) {
        return outstanding.isEmpty() || outstanding.firstKey() > offset;
    }

    private void done(long offset) {
        outstanding.computeIfPresent(offset, (_, left) -> left == 1 ? null : left - 1);
    }
}
