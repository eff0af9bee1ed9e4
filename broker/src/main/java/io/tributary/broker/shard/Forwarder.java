package io.tributary.broker.shard;

import io.tributary.broker.delivery.MessageRouting;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.shard.AppendCallback;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Forwards messages to other shards and to transient sessions in the name of records of this shard, in the order of the
 * log, and knows which records still wait for the logs of others. Confined to the thread of its driver.
 *
 * <p>Each record that is forwarded names its source, and repeating a forward gives the same sources: a shard that has
 * seen them skips them.
 */
final class Forwarder {
    private final int shard;
    private final LogAppender appender;
    private final MessageRouting routing;
    private final BooleanSupplier isCurrent;
    private final Executor thread;
    private final Consumer<String> onFailure;
    private final TreeMap<Long, Integer> outstanding = new TreeMap<>();
    private final Map<Object, Integer> nextPart = new HashMap<>();
    private long currentOffset = -1;
    /** Transient sessions have got the messages of records below this offset. */
    private long transientsFrom;

    /**
     * Creates one.
     *
     * @param isCurrent whether this node knows all subscriptions, which it has to for a message that is matched now
     * @param onFailure told on the thread why a message could not be forwarded: the record that caused it is to be
     *     folded again
     */
    Forwarder(
            int shard,
            LogAppender appender,
            MessageRouting routing,
            BooleanSupplier isCurrent,
            Executor thread,
            Consumer<String> onFailure) {
        this.shard = shard;
        this.appender = appender;
        this.routing = routing;
        this.isCurrent = isCurrent;
        this.thread = thread;
        this.onFailure = onFailure;
    }

    /** Records are going to be folded again. */
    void restart() {
        transientsFrom = Math.max(transientsFrom, currentOffset + 1);
        currentOffset = -1;
    }

    /**
     * Forwards a message; a record may cause several, unless its destinations are matched now: these may be others when
     * the record is folded again.
     */
    void forward(long offset, Message message, Destinations named) {
        forward(offset, message, named, null);
    }

    /**
     * The same.
     *
     * @param done null when no action waits, or run once on the driver's thread, when it is safe with all persistent
     *     sessions and taken by the nodes of the others
     */
    void forward(long offset, Message message, Destinations named, @Nullable Runnable done) {
        Destinations destinations = named.areMatchedLater() ? match(message) : named;
        if (destinations == null) {
            currentOffset = Math.min(currentOffset, offset - 1); // all of the record is forwarded again
            onFailure.accept("it does not know all subscriptions, and has a message to match");
        } else {
            forwardTo(destinations, named.areMatchedLater(), offset, message, done);
        }
    }

    /** Null when a subscription may have been unknown meanwhile: then nobody has the message, nor gets it twice. */
    private @Nullable Destinations match(Message message) {
        if (!isCurrent.getAsBoolean()) {
            return null;
        }
        Destinations found = routing.matchAgain(message);
        return isCurrent.getAsBoolean() ? found : null;
    }

    private void forwardTo(
            Destinations destinations, boolean wasMatched, long offset, Message message, @Nullable Runnable done) {
        if (offset != currentOffset) {
            currentOffset = offset;
            nextPart.clear();
        }
        Runnable part = done == null ? Forwarder::nobodyWaits : parts(done);
        if (offset >= transientsFrom) {
            routing.deliverTransient(message, destinations, part);
        } else {
            part.run();
        }
        if (destinations.recipients().isEmpty()) {
            part.run();
            return;
        }
        outstanding.merge(offset, 1, Integer::sum);
        AppendCallback callback = (_, failure) -> {
            thread.execute(() -> done(offset, failure));
            if (failure == null) {
                part.run();
            }
        };
        if (wasMatched) {
            RepeatableAppend.of(destinations.recipients(), new Source(shard, offset, 0), appender)
                    .publish(message, callback);
        } else {
            appender.publish(
                    message,
                    destinations.recipients(),
                    destination -> new Source(shard, offset, nextPart.merge(destination, 1, Integer::sum) - 1),
                    callback);
        }
    }

    private static void nobodyWaits() {}

    /** What is to be run for each of the two kinds of destinations, on any thread. */
    private Runnable parts(Runnable done) {
        AtomicInteger left = new AtomicInteger(2);
        return () -> {
            if (left.decrementAndGet() == 0) {
                thread.execute(done);
            }
        };
    }

    /** Whether all that records up to the offset caused is safe. */
    boolean isDoneUpTo(long offset) {
        return outstanding.isEmpty() || outstanding.firstKey() > offset;
    }

    private void done(long offset, @Nullable Throwable failure) {
        if (failure != null) {
            onFailure.accept("a message was not forwarded: " + failure);
        }
        outstanding.computeIfPresent(offset, (_, left) -> left == 1 ? null : left - 1);
    }
}
