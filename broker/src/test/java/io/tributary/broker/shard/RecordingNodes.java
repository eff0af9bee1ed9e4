package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.Samples;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The way to the one node that there is, and which others were asked for. */
final class RecordingNodes implements OwnerTarget.Directory {
    final RecordingTarget target = new RecordingTarget();
    final RecordingTarget elsewhere = new RecordingTarget();
    /** The way that whoever asks gets now. */
    RecordingTarget current = target;

    final List<String> asked = new ArrayList<>();
    /** How often this node still says that it knows what the others do. */
    int currentFor = Integer.MAX_VALUE;

    @Override
    public OwnerTarget of(String node, int shard, long ownerEpoch) {
        asked.add(node);
        return node.equals(Samples.NODE) ? current : elsewhere;
    }

    @Override
    public boolean isCurrent() {
        return currentFor-- > 0;
    }

    @Override
    public Collection<String> alive() {
        return List.of(Samples.NODE);
    }
}
