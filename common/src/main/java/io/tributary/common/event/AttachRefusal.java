package io.tributary.common.event;

/** Why a connection does not get the session of its client identifier. */
public enum AttachRefusal {
    /** The session is a device's, and the connection an application's. */
    IS_DEVICE(0),
    /** The session is an application's, and the connection a device's. */
    IS_APPLICATION(1),
    /** The same; the application is one with little traffic. */
    IS_SMALL_APPLICATION(2),
    /** The session is another principal's. */
    IS_SOMEBODY_ELSES(3),
    /** It would be one more connection of a tenant that has as many as it may. */
    TENANT_CONNECTIONS(4),
    /** It would begin one more persistent session of a tenant that has as many as it may. */
    TENANT_SESSIONS(5),
    /** The node that has the session has no memory for its will. */
    NO_ROOM_FOR_WILL(6);

    private final int code;

    AttachRefusal(int code) {
        this.code = code;
    }

    /** The reason why a session of that kind is not to be had. */
    public static AttachRefusal ofKind(ClientKind existing) {
        return switch (existing) {
            case DEVICE -> IS_DEVICE;
            case APPLICATION -> IS_APPLICATION;
            case SMALL_APPLICATION -> IS_SMALL_APPLICATION;
        };
    }

    /** The number that stands for it in messages between nodes: never changed, never used again. */
    public int code() {
        return code;
    }

    /**
     * The reason with that number.
     *
     * @throws UnreadableRecordException when there is none
     */
    public static AttachRefusal of(int code) {
        return switch (code) {
            case 0 -> IS_DEVICE;
            case 1 -> IS_APPLICATION;
            case 2 -> IS_SMALL_APPLICATION;
            case 3 -> IS_SOMEBODY_ELSES;
            case 4 -> TENANT_CONNECTIONS;
            case 5 -> TENANT_SESSIONS;
            case 6 -> NO_ROOM_FOR_WILL;
            default -> throw new UnreadableRecordException("reason " + code + " to refuse a connection");
        };
    }
}
