package io.tributary.cluster.redis;

import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.SavePoint.SourcePosition;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Claim;
import io.tributary.persistence.shard.ShardStore.Reused;
import java.util.ArrayList;
import java.util.List;

/** Where a shard's state stands, as its hash has it: the scripts write {@code epoch} and {@code applied}. */
final class Position {
    /**
     * The number of the layout: what keys there are, and what is in them. Another one is refused, not converted.
     * docs/redis-layout.md is about this one.
     */
    static final int FORMAT = 2;

    static final String LAYOUT = "layout";
    static final String APPLIED = "applied";
    static final String FOLDED_OWNER = "folded-owner";
    static final String LEADER_EPOCH = "leader-epoch";
    static final String SNAPSHOT_AT = "snapshot-at";
    private static final String REUSED_FROM = "reused-from";
    private static final String REUSED_TO = "reused-to";

    private Position() {}

    /** Reads the fields and values that {@code claim.lua} returns. */
    static Claim claim(List<?> fieldsAndValues) {
        long applied = ShardStore.NOTHING_APPLIED;
        long foldedOwner = -1;
        int leaderEpoch = LogRecord.NO_LEADER;
        long snapshotMillis = ShardStore.NO_SNAPSHOT;
        long reusedFrom = -1;
        long reusedTo = -1;
        List<SourcePosition> sources = new ArrayList<>();
        for (int i = 0; i < fieldsAndValues.size(); i += 2) {
            String field = StateBytes.text((byte[]) fieldsAndValues.get(i));
            String value = StateBytes.text((byte[]) fieldsAndValues.get(i + 1));
            switch (field) {
                case APPLIED -> applied = Long.parseLong(value);
                case FOLDED_OWNER -> foldedOwner = Long.parseLong(value);
                case LEADER_EPOCH -> leaderEpoch = Integer.parseInt(value);
                case SNAPSHOT_AT -> snapshotMillis = Long.parseLong(value);
                case REUSED_FROM -> reusedFrom = Long.parseLong(value);
                case REUSED_TO -> reusedTo = Long.parseLong(value);
                default -> {
                    if (StateBytes.isSource(field)) {
                        sources.add(StateBytes.source(field, value));
                    }
                }
            }
        }
        Reused reused = reusedTo < 0 ? null : new Reused(reusedFrom, reusedTo);
        return new Claim(applied, leaderEpoch, foldedOwner, snapshotMillis, sources, reused);
    }
}
