package io.tributary.cluster.reshard;

import io.tributary.cluster.kafka.layout.ShardsTopic;
import io.tributary.common.event.EventCodec;
import io.tributary.common.event.ShardEvent.SnapshotComplete;
import io.tributary.common.event.ShardEvent.SnapshotQueue;
import io.tributary.common.event.ShardEvent.SnapshotSession;
import io.tributary.common.event.StoredSession;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What the log snapshots hold with which the new shards' logs begin: read as an owner would that has lost its store.
 */
final class LoggedSnapshot implements ShardsTopic.RecordReader {
    private final Inventory inventory = new Inventory();
    private final Set<Integer> complete = new HashSet<>();
    /** Of each shard: one with a queue may come a second time, behind the queue, without what has left it. */
    private final Map<Integer, StoredSession> latest = new HashMap<>();

    @Override
    public void read(int shard, byte[] value) {
        switch (EventCodec.decode(value)) {
            case SnapshotSession session -> add(shard, session);
            case SnapshotQueue queue ->
                queue.entries().forEach(one -> inventory.add(queue.clientId(), one.sequence(), one.entry()));
            case SnapshotComplete _ -> complete.add(shard);
            default -> {}
        }
    }

    private void add(int shard, SnapshotSession snapshot) {
        StoredSession session = snapshot.session();
        StoredSession before = latest.put(shard, session);
        if (before != null && before.clientId().equals(session.clientId())) {
            inventory.replace(before, session);
            return;
        }
        inventory.add(session);
        if (snapshot.will() != null) {
            inventory.add(session.clientId(), session.epoch(), snapshot.will());
        }
    }

    /** What they hold. */
    Inventory.Sum sum() {
        return inventory.sum();
    }

    /** In how many shards the snapshot is whole. */
    int completeShards() {
        return complete.size();
    }
}
