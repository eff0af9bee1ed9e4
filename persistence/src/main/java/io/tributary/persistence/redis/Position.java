package io.tributary.persistence.redis;

import io.tributary.persistence.shard.SavePoint.SourcePosition;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Claim;
import java.util.ArrayList;
import java.util.List;

/** Where a shard's state stands, as its hash has it: the scripts write {@code epoch} and {@code applied}. */
final class Position {
    private static final String APPLIED = "applied";
    static final String FOLDED_OWNER = "folded-owner";

    private Position() {}

    /** Reads the fields and values that {@code claim.lua} returns. */
    static Claim claim(List<?> fieldsAndValues) {
        long applied = ShardStore.NOTHING_APPLIED;
        long foldedOwner = -1;
        List<SourcePosition> sources = new ArrayList<>();
        for (int i = 0; i < fieldsAndValues.size(); i += 2) {
            String field = StateBytes.text((byte[]) fieldsAndValues.get(i));
            String value = StateBytes.text((byte[]) fieldsAndValues.get(i + 1));
            if (field.equals(APPLIED)) {
                applied = Long.parseLong(value);
            } else if (field.equals(FOLDED_OWNER)) {
                foldedOwner = Long.parseLong(value);
            } else if (StateBytes.isSource(field)) {
                sources.add(StateBytes.source(field, value));
            }
        }
        return new Claim(applied, foldedOwner, sources);
    }
}
