package io.tributary.broker.shard;

/** A shard is so far behind that a record appended now may be deleted before it is applied: nothing was appended. */
final class LaggingShardException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LaggingShardException() {
        super("a shard is behind by half of the retention of its log", null, false, false);
    }
}
