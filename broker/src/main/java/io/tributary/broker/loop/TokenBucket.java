package io.tributary.broker.loop;

import java.util.concurrent.TimeUnit;

/**
 * Lets so many things happen a second, and a burst of them at once. Time is given by the caller, in nanoseconds of any
 * origin. Not thread-safe.
 */
public final class TokenBucket {
    private final double tokensPerNano;
    private final double capacity;
    private double tokens;
    private long filledAt;

    /** Creates a full bucket. */
    public TokenBucket(int perSecond, int burst, long nowNanos) {
        tokensPerNano = perSecond / (double) TimeUnit.SECONDS.toNanos(1);
        capacity = burst;
        tokens = burst;
        filledAt = nowNanos;
    }

    /** Takes a token if there is one. */
    public boolean tryTake(long nowNanos) {
        fill(nowNanos);
        if (tokens < 1) {
            return false;
        }
        tokens--;
        return true;
    }

    /**
     * Takes a token even if there is none.
     *
     * @return how long to wait until the debt is paid back, 0 without debt
     */
    public long take(long nowNanos) {
        fill(nowNanos);
        tokens--;
        return tokens >= 0 ? 0 : (long) Math.ceil(-tokens / tokensPerNano);
    }

    private void fill(long nowNanos) {
        tokens = Math.min(capacity, tokens + (nowNanos - filledAt) * tokensPerNano);
        filledAt = nowNanos;
    }
}
