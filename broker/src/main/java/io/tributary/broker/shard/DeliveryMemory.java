package io.tributary.broker.shard;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A budget of memory that the shards of a node share. A node has two. One is that of messages between queues and
 * connections: those that connections were handed and have not settled, and those that are kept because their session
 * is behind ({@link UnseenQueue}), which leave a part of it to what is handed. The other one is that of wills.
 * Thread-safe; each shard takes its memory through a {@link Part}.
 */
final class DeliveryMemory {
    /** What is kept may take three of four parts, and that of one session two. */
    private static final int PARTS = 4;

    /** So that the threads of shards seldom meet at the sum. */
    private static final long MOST_AT_ONCE_BYTES = 16 << 10;

    private static final int PARTS_AT_ONCE = 1024;

    private final long most;
    private final long step;
    private final AtomicLong used = new AtomicLong();

    /** @param most how much there is, in bytes */
    DeliveryMemory(long most) {
        this.most = most;
        step = Math.min(MOST_AT_ONCE_BYTES, most / PARTS_AT_ONCE);
    }

    /** How much is taken, in bytes; shards round it up. Any thread. */
    long used() {
        return used.get();
    }

    /** The budget of a shard. */
    Part part() {
        return new Part();
    }

    /** What one shard has taken. Confined to the thread of its driver. */
    final class Part {
        private long taken;
        private long reserved;
        private boolean isOver;

        private Part() {}

        /** Takes bytes, or gives them back where they are negative. */
        void take(long bytes) {
            if (isOver) {
                return;
            }
            taken += bytes;
            if (taken > reserved || taken < reserved - 2 * step) {
                long wanted = taken + step;
                used.addAndGet(wanted - reserved);
                reserved = wanted;
            }
        }

        /** How much this shard has taken, in bytes. */
        long taken() {
            return taken;
        }

        /** Whether a connection that has something already should be handed no more. */
        boolean isFull() {
            return used.get() >= most;
        }

        /** Whether so many more bytes of one session may be kept that has so many. */
        boolean mayKeep(long bytes, long ofSession) {
            return used.get() + bytes <= most / PARTS * (PARTS - 1) && ofSession + bytes <= most / 2;
        }

        /** Whether so many bytes may be taken to know what messages weigh: less while nobody is connected. */
        boolean mayKnow(long bytes, boolean isConnected) {
            return used.get() + bytes <= (isConnected ? most / PARTS * (PARTS - 1) : most / 2);
        }

        /** Gives everything back: the shard is lost. */
        void end() {
            used.addAndGet(-reserved);
            reserved = 0;
            taken = 0;
            isOver = true;
        }
    }
}
