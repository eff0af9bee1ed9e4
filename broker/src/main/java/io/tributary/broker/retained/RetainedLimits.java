package io.tributary.broker.retained;

/**
 * How many retained messages the broker keeps. At a limit, messages on topics that have none yet are refused, and those
 * that are larger than the one that they replace; to remove what is there is always possible.
 *
 * @param maxMessages the most retained messages
 * @param maxBytes the most bytes that they take together
 */
public record RetainedLimits(long maxMessages, long maxBytes) {

    /** Checks the limits. */
    public RetainedLimits {
        if (maxMessages < 0) {
            throw new IllegalArgumentException("maxMessages " + maxMessages + ": must be 0 (keep none) or more");
        }
        if (maxBytes < 0) {
            throw new IllegalArgumentException("maxBytes " + maxBytes + ": must be 0 (keep none) or more");
        }
    }

    /** A million messages and 256 MiB. */
    public static RetainedLimits defaults() {
        return new RetainedLimits(1_000_000, 256L << 20);
    }
}
