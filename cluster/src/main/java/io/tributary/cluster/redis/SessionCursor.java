package io.tributary.cluster.redis;

import org.jspecify.annotations.Nullable;

/**
 * Where the reading of a shard's sessions and then its wills goes on.
 *
 * @param wills whether it is among the wills, and done with the sessions
 * @param position where it is, to Redis; 0 at the beginning
 * @param process the Redis process to which the position means something; empty at the very beginning
 */
record SessionCursor(boolean wills, String position, String process) {
    static final SessionCursor FIRST = new SessionCursor(false, "0", "");

    private static final String SESSIONS = "sessions";
    private static final String WILLS = "wills";
    private static final String END = "0";

    static SessionCursor parse(String cursor) {
        String[] parts = cursor.split("/", -1);
        return new SessionCursor(parts[0].equals(WILLS), parts[1], parts[2]);
    }

    /** Where to go on after a page; null when it was the last. */
    @Nullable
    SessionCursor next(String nextPosition, String nextProcess) {
        boolean isEnd = nextPosition.equals(END);
        return wills && isEnd ? null : new SessionCursor(wills || isEnd, nextPosition, nextProcess);
    }

    @Override
    public String toString() {
        return (wills ? WILLS : SESSIONS) + "/" + position + "/" + process;
    }
}
