package io.tributary.common.event;

/**
 * What a client is: where the messages of its persistent session wait until they are acknowledged; fixed when the
 * session begins.
 */
public enum ClientKind {
    /** In the log of the session's shard and in the shard's state: a device client. */
    DEVICE(0),
    /** In a topic of the client's own: an application client. */
    APPLICATION(1),
    /** In a topic that the client shares with others: an application client with little traffic. */
    SMALL_APPLICATION(2);

    private final int code;

    ClientKind(int code) {
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
    public static ClientKind of(int code) {
        return switch (code) {
            case 0 -> DEVICE;
            case 1 -> APPLICATION;
            case 2 -> SMALL_APPLICATION;
            default -> throw new UnreadableRecordException("client kind " + code);
        };
    }

    /** Whether the client is an application. */
    public boolean isApplication() {
        return this != DEVICE;
    }
}
