package io.tributary.cluster.node;

/**
 * Where a process of a node is in its life. It goes forward only: JOINING, LIVE, LEAVING, GONE; to DEAD from each of
 * the first three. The codes are what is stored.
 */
public enum NodeState {
    /** The process reads the shared maps; it has no clients yet, and no write waits for it. */
    JOINING(1),
    /** The process serves clients, and other nodes' writes wait for it. */
    LIVE(2),
    /** The process sends its clients away. */
    LEAVING(3),
    /** The process has left by itself. */
    GONE(4),
    /** The process was silent for too long, and another node has declared it dead. */
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
