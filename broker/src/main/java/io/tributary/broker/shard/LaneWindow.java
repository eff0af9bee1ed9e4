package io.tributary.broker.shard;

/**
 * How much of a queue is with a connection, of all its messages or of those of one priority. Confined to the thread of
 * the driver.
 */
final class LaneWindow {
    private final int mostMessages;
    private final int mostBytes;
    private final DeliveryMemory.Part memory;
    private int messages;
    private long bytes;

    /** Whether the window was full, and a quarter of it is not free yet. */
    private boolean filled;

    LaneWindow(ShardConfig config, DeliveryMemory.Part memory) {
        mostMessages = config.windowMessages();
        mostBytes = config.windowBytes();
        this.memory = memory;
    }

    boolean hasRoom() {
        return messages < mostMessages
                && bytes < mostBytes
                && (bytes == 0 || !memory.isFull()); // one message at a time, whatever else takes memory
    }

    /**
     * Whether there is room, and so much of it since the window was full that it is worth the while to read another
     * page.
     */
    boolean hasRoomForPage() {
        return hasRoom() && !filled;
    }

    /** How many more messages fit, at least one. */
    int roomForMessages() {
        return Math.max(1, mostMessages - messages);
    }

    /** The size of what is in the window. */
    long bytes() {
        return bytes;
    }

    /** An entry of this size is put in. */
    void put(int size) {
        messages++;
        bytes += size;
        filled |= !hasRoom();
    }

    /** An entry of this size is taken out. */
    void take(int size) {
        messages--;
        release(size);
    }

    /** An entry stays, and takes so many bytes less. */
    void release(int size) {
        bytes -= size;
        boolean isAQuarterFree = messages <= mostMessages - (mostMessages + 3) / 4 && bytes <= mostBytes / 4 * 3L;
        filled &= !isAQuarterFree;
    }
}
