package io.tributary.cluster.node;

/**
 * Whether this node's follower of a map is behind those of others. Looked at a few times a second: the follower is
 * behind when it has not reached within the limit what the others had reached, and has caught up when at three looks in
 * a row it had reached what they had at the look before. The later looks are for the nodes that have left this one out:
 * they have heard by then that it has caught up. Not safe for use by several threads.
 */
final class Lag {
    private static final int LOOKS = 3;

    private final long limitNanos;
    private boolean behind;
    private long goal;
    private long goalNanos;
    private int good;

    Lag(long limitNanos) {
        this.limitNanos = limitNanos;
    }

    /**
     * Looks.
     *
     * @param reached how far the follower is
     * @param others how far the others are at most
     * @return whether the follower is behind
     */
    boolean look(long reached, long others, long nowNanos) {
        goal = Math.min(goal, others); // what nobody has any more may be lost
        boolean there = reached >= goal;
        if (!behind) {
            behind = !there && nowNanos - goalNanos > limitNanos;
            good = 0;
        } else {
            good = there ? good + 1 : 0;
            behind = good < LOOKS;
        }
        if (there || behind) {
            goal = others;
            goalNanos = nowNanos;
        }
        return behind;
    }
}
