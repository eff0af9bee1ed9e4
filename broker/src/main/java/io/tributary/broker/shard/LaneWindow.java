package io.tributary.broker.shard;

/**
 * How much of a queue is with a connection, of all its messages or of those of one priority. Confined to the thread of
 * the driver.
 */
final class LaneWindow {
    /** A shorter queue counts as one of so many messages: its client is not sent them one by one. */
    private static final int SHORTEST_QUEUE = 32;

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
        return partOfQueue(config, 2, memory);
    }

    /** Of the messages of a higher priority: an eighth, so that with three of them an eighth of the queue is left. */
    static LaneWindow ofHigher(ShardConfig config, DeliveryMemory.Part memory) {
        return partOfQueue(config, 8, memory);
    }

    private static LaneWindow partOfQueue(ShardConfig config, int parts, DeliveryMemory.Part memory) {
        int messages = Math.max(SHORTEST_QUEUE, config.queue().maxMessages()) / parts;
        long bytes = config.queue().maxBytes() / parts;
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

    /** The memory that is taken by what is in the window. */
    long bytes() {
        return bytes;
    }

    /** An entry that takes so much memory is put in. */
    void put(int size) {
        messages++;
        bytes += size;
        filled |= !hasRoom();
    }

    /** An entry that takes so much memory is taken out. */
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
