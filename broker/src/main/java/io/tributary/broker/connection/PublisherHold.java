package io.tributary.broker.connection;

import io.tributary.common.thread.RoomQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has publishers wait for one client of this node that cannot keep up; those at other nodes a moment later:
 *
 * <pre>
 * half of the limits wait for the client  -&gt; whoever publishes for it is read later, from its next message on
 * a quarter                               -&gt; all of them are read again
 * the client has taken less than a hundredth of the limits in ten seconds
 *                                         -&gt; they are read again; none waits for it before a quarter is left
 * </pre>
 *
 * <p>What waits is counted where it waits: in the inbox of the connection, and in its queues. Any thread, unless a
 * method says otherwise.
 */
final class PublisherHold {
    private static final Logger LOG = LoggerFactory.getLogger(PublisherHold.class);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int PARTS_FULL = 2;
    private static final int PARTS_ROOMY = 4;
    private static final int PARTS_TAKEN = 100;

    private final ConnectionContext context;
    private final Supplier<String> name;
    private final int mostMessages;
    private final long mostBytes;
    private final AtomicInteger messages = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final RoomQueue publishers = new RoomQueue(this::onRoom);
    /** Set while publishers wait. */
    private final AtomicReference<@Nullable Runnable> release = new AtomicReference<>();

    /** Whether it is looked every ten seconds whether the client takes messages, publishers or not. */
    private final AtomicBoolean isWatched = new AtomicBoolean();

    /** Whether nobody waits for the client: it takes next to nothing, or is gone. */
    private volatile boolean isGivenUp;

    // Confined to the event loop.
    private boolean isClosed;
    private long takenMessages;
    private long takenBytes;

    private PublisherHold(ConnectionContext context, Supplier<String> name) {
        this.context = context;
        this.name = name;
        OutboundLimits limits = context.limits().outbound();
        mostMessages = limits.queueMessages();
        mostBytes = limits.queueBytes();
    }

    /**
     * The hold of a client whose listener has publishers wait; null for another.
     *
     * @param name of the client, for people
     */
    static @Nullable PublisherHold of(ConnectionContext context, Supplier<String> name) {
        return context.limits().outbound().overflow() == OutboundLimits.Overflow.HOLD_PUBLISHERS
                ? new PublisherHold(context, name)
                : null;
    }

    /** Counts a message of so many bytes; gives what its publisher is to wait for, null when it need not. */
    @Nullable
    RoomQueue add(long size) {
        long nowBytes = bytes.addAndGet(size);
        int nowMessages = messages.incrementAndGet();
        boolean isFull = nowMessages > mostMessages / PARTS_FULL || nowBytes > mostBytes / PARTS_FULL;
        return isFull ? room() : null;
    }

    /** What publishers wait for when the client has no room; null when nobody waits for it any more. */
    @Nullable
    RoomQueue room() {
        if (isGivenUp) {
            return null;
        }
        beginToWatch();
        return publishers;
    }

    private void beginToWatch() {
        if (!isWatched.get() && isWatched.compareAndSet(false, true)) {
            context.run(this::watch);
        }
    }

    /** A message is about to be counted elsewhere. */
    void remove(long size) {
        bytes.addAndGet(-size);
        messages.decrementAndGet();
    }

    /** The client was sent a message, or it was dropped when its turn came; event loop. */
    void taken(long size) {
        takenMessages++;
        takenBytes += size;
        dropped(size);
    }

    /** A message is dropped before its turn came; event loop. */
    void dropped(long size) {
        remove(size);
        if ((isGivenUp || release.get() != null) && isRoomy()) {
            isGivenUp = isClosed;
            release();
        }
    }

    /** The connection is over; event loop. */
    void close() {
        isClosed = true;
        isGivenUp = true;
        release();
    }

    private boolean isRoomy() {
        return messages.get() <= mostMessages / PARTS_ROOMY && bytes.get() <= mostBytes / PARTS_ROOMY;
    }

    /** Publishers begin to wait. */
    private void onRoom(Runnable released) {
        release.set(released);
        if (isGivenUp || isRoomy()) { // since the message was counted
            release();
        } else {
            beginToWatch();
        }
    }

    private void release() {
        Runnable waiting = release.getAndSet(null);
        if (waiting != null) {
            waiting.run();
        }
    }

    private void watch() {
        long messagesThen = takenMessages;
        long bytesThen = takenBytes;
        var _ = context.schedule(PATIENCE_NANOS, () -> look(takenMessages - messagesThen, takenBytes - bytesThen));
    }

    private void look(long messagesSince, long bytesSince) {
        if (isClosed || isGivenUp || isRoomy()) {
            isWatched.set(false);
            release(); // what held a publisher may have been dropped
        } else if (messagesSince < Math.ceilDiv(mostMessages, PARTS_TAKEN)
                && bytesSince < Math.ceilDiv(mostBytes, PARTS_TAKEN)) {
            LOG.debug("a client takes next to nothing, and no publisher waits for it any more: {}", name.get());
            isWatched.set(false);
            isGivenUp = true;
            release();
        } else {
            watch();
        }
    }
}
