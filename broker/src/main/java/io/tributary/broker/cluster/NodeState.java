package io.tributary.broker.cluster;

/**
 * Where a process of a node is in its life. It goes forward only: JOINING, LIVE, LEAVING, GONE; to DEAD from each of
 * the first three. The codes are what is stored.
 */
public enum NodeState {
    /** It reads what the others know; it has no clients yet, and nobody waits for it. */
    JOINING(1),
    /** It serves clients, and others wait for it. */
    LIVE(2),
    /** It sends its clients away. */
    LEAVING(3),
    /** It has left by itself. */
    GONE(4),
    /** It was silent for too long, and another node has said so. */
    DEAD(5);

    private final int code;

    NodeState(int code) {
        this.code = code;
    }

    /** The number that is stored for it. */
    int code() {
        return code;
    }

    /** Whether the process is over, as far as all others are concerned. */
    public boolean isFinal() {
        return this == GONE || this == DEAD;
    }

    /** Whether others wait for it. */
    boolean isServing() {
        return this == LIVE || this == LEAVING;
    }
}
