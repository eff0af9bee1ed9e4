package io.tributary.broker.shard.fold;

import io.tributary.common.event.Source;
import io.tributary.persistence.shard.SavePoint.SourcePosition;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What other shards have forwarded to this one: each message is taken once, also when it is forwarded again. */
final class FoldedSources {
    private final FoldOutput output;
    private final Map<Integer, SourcePosition> latest = new HashMap<>();

    /** @param stored as a store has them */
    FoldedSources(FoldOutput output, List<SourcePosition> stored) {
        this.output = output;
        stored.forEach(source -> latest.put(source.shard(), source));
    }

    /** The latest source taken from each shard that forwarded something. */
    Collection<SourcePosition> all() {
        return Collections.unmodifiableCollection(latest.values());
    }

    /** Takes what a source has forwarded, unless it was taken before. */
    boolean take(Source source) {
        SourcePosition before = latest.get(source.shard());
        if (before != null && !source.isAfter(before.offset(), before.part())) {
            return false;
        }
        latest.put(source.shard(), new SourcePosition(source.shard(), source.offset(), source.part()));
        output.changes().source(source);
        return true;
    }
}
