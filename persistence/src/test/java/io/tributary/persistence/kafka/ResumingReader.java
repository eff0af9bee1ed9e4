package io.tributary.persistence.kafka;

import io.tributary.persistence.contract.RecordingReader;
import io.tributary.persistence.shard.ShardLog;

/** Reads all shards from their beginnings, and goes on behind what it has when one is assigned again. */
final class ResumingReader extends RecordingReader {
    private final ShardLog log;

    ResumingReader(ShardLog log) {
        this.log = log;
    }

    @Override
    public void onAssigned(int shard) {
        super.onAssigned(shard);
        log.readFrom(shard, count(shard) == 0 ? 0 : records(shard).getLast().offset() + 1);
    }
}
