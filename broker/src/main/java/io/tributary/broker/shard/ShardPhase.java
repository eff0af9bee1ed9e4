package io.tributary.broker.shard;

/**
 * How far the owner of a shard is.
 *
 * <pre>
 * IDLE       --assigned-------------------------------> CLAIMING   an Owner record is appended
 * CLAIMING   --the record is durable, its offset known-> LOADING   the store is claimed, sessions and wills are read
 * LOADING    --all pages read-------------------------> REPLAYING  the log is folded on from the applied offset
 * REPLAYING  --records that it needs are deleted------> RESTORING  the log is searched for what owners repeated in it
 * RESTORING  --found and copied into the store--------> LOADING
 * RESTORING  --there is nothing-----------------------> REPLAYING  what was deleted is lost, the rest is folded
 * REPLAYING  --the own Owner record is folded---------> LIVE       connections are served, timers run
 * any        --refused by the store, or it failed,
 *              or a newer Owner is folded-------------> CLAIMING   after a pause, with nothing left in memory
 * any        --the log has lost its end---------------> CLAIMING   once empty records fill the gap
 * any        --revoked--------------------------------> IDLE
 * </pre>
 */
enum ShardPhase {
    IDLE,
    CLAIMING,
    LOADING,
    RESTORING,
    REPLAYING,
    LIVE;

    /**
     * Gives the next phase.
     *
     * @throws IllegalStateException when it does not follow this one
     */
    ShardPhase to(ShardPhase next) {
        boolean follows = switch (next) {
            case IDLE, CLAIMING -> true;
            case LOADING -> this == CLAIMING || this == RESTORING;
            case REPLAYING -> this == LOADING || this == RESTORING;
            case RESTORING, LIVE -> this == REPLAYING;
        };
        if (!follows) {
            throw new IllegalStateException("from " + this + " to " + next);
        }
        return next;
    }
}
