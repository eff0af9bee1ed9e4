package io.tributary.persistence.redis;

import org.jspecify.annotations.Nullable;

/**
 * Where the reading of a shard's heads and then its wills goes on.
 *
 * @param wills whether it is among the wills, and done with the heads
 * @param position where it is, to Redis; 0 at the beginning
 * @param process the Redis process to which the position means something; empty at the very beginning
 */
record HeadCursor(boolean wills, String position, String process) {
    static final HeadCursor FIRST = new HeadCursor(false, "0", "");

    private static final String HEADS = "heads";
    private static final String WILLS = "wills";
    private static final String END = "0";

    static HeadCursor parse(String cursor) {
        String[] parts = cursor.split("/", -1);
        return new HeadCursor(parts[0].equals(WILLS), parts[1], parts[2]);
    }

    /** Where to go on after a page; null when it was the last. */
    @Nullable
    HeadCursor next(String nextPosition, String nextProcess) {
        boolean isEnd = nextPosition.equals(END);
        return wills && isEnd ? null : new HeadCursor(wills || isEnd, nextPosition, nextProcess);
    }

    @Override
    public String toString() {
        return (wills ? WILLS : HEADS) + "/" + position + "/" + process;
    }
}
