package io.tributary.persistence.shard;

import io.tributary.common.thread.StageFailure;
import org.jspecify.annotations.Nullable;

/**
 * A shard's store refused its caller: a newer owner has claimed the shard, its state is at another offset, or its state
 * is that of another log.
 */
public final class FencedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final long used;
    private final boolean otherLog;

    /** Creates one that says what was expected and what was found. */
    public FencedException(String message) {
        this(message, -1, false);
    }

    /**
     * Creates one for a claim.
     *
     * @param used the highest offset that the store knows to have been used
     * @param otherLog whether the state is that of another log
     */
    public FencedException(String message, long used, boolean otherLog) {
        super(message);
        this.used = used;
        this.otherLog = otherLog;
    }

    /** The refusal that a failure is, as the stage of an answer has it; null for any other failure. */
    public static @Nullable FencedException of(Throwable failure) {
        return StageFailure.cause(failure) instanceof FencedException fenced ? fenced : null;
    }

    /** The highest offset that the store knows to have been used, or -1. */
    public long used() {
        return used;
    }

    /** Whether the state is that of another log than the caller's. */
    public boolean isOtherLog() {
        return otherLog;
    }
}
