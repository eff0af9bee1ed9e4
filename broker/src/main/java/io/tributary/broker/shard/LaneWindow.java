package io.tributary.broker.shard;

/**
 * How much of a queue is with a connection, of all its messages or of those of one priority. Confined to the thread of
 * the driver.
 */
final class LaneWindow {
    /** So that a client with a very short queue is not sent its messages one by one. */
    private static final int LEAST_MESSAGES = 16;

    private static final int HALF = 2;
    private static final int EIGHTH = 8;

    private final int mostMessages;
    private final int mostBytes;
    private final DeliveryMemory.Part memory;
    private int messages;
    private long bytes;

    /** Whether the window was full, and a quarter of it is not free yet. */
    private boolean filled;

    private LaneWindow(int mostMessages, int mostBytes, DeliveryMemory.Part memory) {
        this.mostMessages = mostMessages;
        this.mostBytes = mostBytes;
        this.memory = memory;
    }

    /** Of an application's topic, which has no limit. */
    static LaneWindow ofTopic(ShardConfig config, DeliveryMemory.Part memory) {
        return new LaneWindow(config.windowMessages(), config.windowBytes(), memory);
    }

    /**
     * Of the messages of the lowest priority, or of all: at most half of what the queue may hold, yet 16 messages in
     * any case. What was handed to a connection cannot make room any more, so a queue whose whole content was handed
     * would drop what comes, whatever is configured.
     */
    static LaneWindow ofQueue(ShardConfig config, DeliveryMemory.Part memory) {
        return ofQueue(config, HALF, LEAST_MESSAGES, memory);
    }

    /** Of the messages of a higher priority: an eighth, so that with three of them an eighth of the queue is left. */
    static LaneWindow ofHigher(ShardConfig config, DeliveryMemory.Part memory) {
        return ofQueue(config, EIGHTH, LEAST_MESSAGES / (EIGHTH / HALF), memory);
    }

    private static LaneWindow ofQueue(ShardConfig config, int part, int least, DeliveryMemory.Part memory) {
        int messages = Math.max(least, config.queue().maxMessages() / part);
        long bytes = config.queue().maxBytes() / part;
        return new LaneWindow(
                Math.min(config.windowMessages(), messages), (int) Math.min(config.windowBytes(), bytes), memory);
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
