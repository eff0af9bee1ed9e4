package io.tributary.broker.shard.fold;

/**
 * The fold's results: effects for the owner of the shard, and changes for the next save point.
 */
final class FoldOutput {
    private Effects effects;
    private ShardChanges changes;

    FoldOutput(Effects effects, ShardChanges changes) {
        this.effects = effects;
        this.changes = changes;
    }

    Effects effects() {
        return effects;
    }

    ShardChanges changes() {
        return changes;
    }

    /** Effects go elsewhere from now on. */
    void tell(Effects later) {
        effects = later;
    }

    /** Takes the changes so far; later changes are collected anew. */
    ShardChanges takeChanges(ShardChanges later) {
        ShardChanges taken = changes;
        changes = later;
        return taken;
    }
}
