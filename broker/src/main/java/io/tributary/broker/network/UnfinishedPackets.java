package io.tributary.broker.network;

import io.netty.util.internal.PlatformDependent;
import io.tributary.common.thread.RoomQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The memory that all connections together may use for packets of which only a part has come, and for those that have
 * come and wait for their turn. A connection that would begin a packet beyond the limit is not read until other
 * connections have finished their packets, or ended. Any thread; never blocks.
 */
final class UnfinishedPackets {
    /** How many bytes a packet may have here without being counted: ordinary clients never wait. */
    static final int FREE_BYTES = 16 * 1024;

    private static final int PART_OF_DIRECT_MEMORY = 8;

    private final long limitBytes;
    private final AtomicLong held = new AtomicLong();
    private final RoomQueue waiting = new RoomQueue(this::onRoom);
    private final AtomicReference<@Nullable Runnable> onRoom = new AtomicReference<>();

    UnfinishedPackets(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /**
     * An eighth of the memory that buffers can have for packets that begin, and another eighth to finish packets that
     * have begun.
     */
    static UnfinishedPackets ofThisProcess() {
        return new UnfinishedPackets(PlatformDependent.maxDirectMemory() / PART_OF_DIRECT_MEMORY);
    }

    /**
     * Counts bytes, or takes them off.
     *
     * @param hasBegun whether the packet had bytes here before: it may be finished from as much memory again
     * @return whether the packet may go on
     */
    boolean change(long bytes, boolean hasBegun) {
        long now = held.addAndGet(bytes);
        if (bytes < 0 && now <= limitBytes) {
            wake();
        }
        return now <= (hasBegun ? 2 * limitBytes : limitBytes);
    }

    /** Whether there is no memory for packets that begin. */
    boolean isTaken() {
        return held() > limitBytes;
    }

    /** Whether more is here than there is memory for, since some connections could not be stopped in time. */
    boolean isFull() {
        return held() > 2 * limitBytes;
    }

    /** How many bytes are counted. */
    long held() {
        return held.get();
    }

    /** Whether a connection waits. */
    boolean isShort() {
        return waiting.size() > 0;
    }

    /**
     * Runs the action once when there is room again, perhaps on another thread.
     *
     * @return gives up waiting
     */
    Runnable await(Runnable action) {
        return waiting.await(action);
    }

    private void onRoom(Runnable action) {
        onRoom.set(action);
        if (held.get() <= limitBytes) {
            wake();
        }
    }

    private void wake() {
        Runnable action = onRoom.getAndSet(null);
        if (action != null) {
            action.run();
        }
    }
}
