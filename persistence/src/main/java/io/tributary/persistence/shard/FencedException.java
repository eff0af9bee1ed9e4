package io.tributary.persistence.shard;

/** A shard's store refused its caller: a newer owner has claimed the shard, or its state is at another offset. */
public final class FencedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates one that says what was expected and what was found. */
    public FencedException(String message) {
        super(message);
    }
}
