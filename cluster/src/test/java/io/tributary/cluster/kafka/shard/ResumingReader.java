package io.tributary.cluster.kafka.shard;

import io.tributary.persistence.contract.RecordingReader;
import io.tributary.persistence.shard.ShardLog;

/** Reads all shards from their beginnings, and goes on behind what it has when one is assigned again. */
public final class ResumingReader extends RecordingReader {
    private final ShardLog log;

    /** Creates one for the log, which is not started. */
    public ResumingReader(ShardLog log) {
        this.log = log;
    }

    @Override
    public void onAssigned(int shard) {
        super.onAssigned(shard);
        log.readFrom(shard, count(shard) == 0 ? 0 : records(shard).getLast().offset() + 1);
    }
}
