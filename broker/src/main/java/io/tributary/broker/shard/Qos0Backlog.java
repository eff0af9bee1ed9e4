package io.tributary.broker.shard;

import io.tributary.common.mqtt.Message;
import io.tributary.persistence.limit.ByteBudget;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * How much of QoS 0 waits for other threads: a number of deliveries, and the bytes of their messages. A message that
 * comes to one receiver after the other takes its bytes once, for as long as it waits for one of them. Any thread.
 */
public final class Qos0Backlog {
    private static final int MOST_DELIVERIES = 10_000;
    private static final long MOST_BYTES = 16 << 20;
    private static final int PLACES = 64;

    private final AtomicInteger deliveries = new AtomicInteger();
    private final ByteBudget bytes = new ByteBudget(MOST_BYTES);
    /** Those that came last, each in the place that its identity has. */
    private final AtomicReferenceArray<@Nullable Shared> latest = new AtomicReferenceArray<>(PLACES);

    /**
     * A message begins to wait for a receiver.
     *
     * @return to be run once, when it does so no longer; null when there is no room, and it may not wait
     */
    @SuppressWarnings("ReferenceEquality") // another message that is equal takes bytes of its own
    public @Nullable Runnable enter(Message message) {
        if (deliveries.incrementAndGet() > MOST_DELIVERIES) {
            deliveries.decrementAndGet();
            return null;
        }
        int place = System.identityHashCode(message) & (PLACES - 1);
        Shared known = latest.get(place);
        Shared mine = known != null && known.message == message && known.enter() ? known : share(message, place);
        if (mine == null) {
            deliveries.decrementAndGet();
            return null;
        }
        return () -> leave(mine, place);
    }

    private @Nullable Shared share(Message message, int place) {
        Shared made = new Shared(message);
        if (!bytes.tryAcquire(made.size)) {
            return null;
        }
        latest.set(place, made);
        return made;
    }

    private void leave(Shared shared, int place) {
        deliveries.decrementAndGet();
        if (shared.leave()) {
            bytes.release(shared.size);
            latest.compareAndSet(place, shared, null);
        }
    }

    /** A message that waits for at least one receiver, until it waits for none. */
    private static final class Shared {
        private final Message message;
        private final long size;
        private final AtomicInteger receivers = new AtomicInteger(1);

        private Shared(Message message) {
            this.message = message;
            this.size = message.memoryBytes();
        }

        boolean enter() {
            return receivers.getAndUpdate(before -> before == 0 ? 0 : before + 1) > 0;
        }

        /** Gives whether it waits for none any more. */
        boolean leave() {
            return receivers.decrementAndGet() == 0;
        }
    }
}
