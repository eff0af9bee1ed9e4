package io.tributary.broker.shard;

/** A history broke a promise. */
final class Violation extends AssertionError {
    private static final long serialVersionUID = 1L;

    Violation(String what) {
        super(what);
    }
}
