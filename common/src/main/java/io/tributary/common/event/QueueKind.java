package io.tributary.common.event;

/** Where the messages of a persistent session wait until the client acknowledges them; fixed when the session begins. */
public enum QueueKind {
    /** In the log of the session's shard and in the shard's state: a device client. */
    SHARD(0),
    /** In a topic of the client's own: an application client. */
    TOPIC(1),
    /** In a topic that the client shares with others: an application client with little traffic. */
    SHARED_TOPIC(2);

    private final int code;

    QueueKind(int code) {
        this.code = code;
    }

    /** The number that stands for it in records: never changed, never used again. */
    public int code() {
        return code;
    }

    /**
     * The kind with that number.
     *
     * @throws UnreadableRecordException when there is none
     */
    public static QueueKind of(int code) {
        return switch (code) {
            case 0 -> SHARD;
            case 1 -> TOPIC;
            case 2 -> SHARED_TOPIC;
            default -> throw new UnreadableRecordException("queue kind " + code);
        };
    }

    /** Whether the client is an application. */
    public boolean isApplication() {
        return this != SHARD;
    }
}
