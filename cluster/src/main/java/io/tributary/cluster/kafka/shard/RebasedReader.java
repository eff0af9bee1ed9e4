package io.tributary.cluster.kafka.shard;

import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog.Reader;
import java.util.List;

/** Hands on what is read from a topic, with offsets that begin at a base. */
record RebasedReader(Reader reader, long base) implements Reader {
    @Override
    public void onExpected(int shard, Runnable ready) {
        reader.onExpected(shard, ready);
    }

    @Override
    public void onLeaving(int shard) {
        reader.onLeaving(shard);
    }

    @Override
    public void onAssigned(int shard) {
        reader.onAssigned(shard);
    }

    @Override
    public void onRevoked(int shard, Runnable released) {
        reader.onRevoked(shard, released);
    }

    /** What is read from the topic's beginning was perhaps asked for from an offset below the base. */
    @Override
    public void onRecords(int shard, long from, List<LogRecord> records) {
        reader.onRecords(
                shard,
                from == 0 ? 0 : from + base,
                records.stream().map(this::rebased).toList());
    }

    private LogRecord rebased(LogRecord record) {
        return new LogRecord(record.offset() + base, record.leaderEpoch(), record.timeMillis(), record.value());
    }

    @Override
    public void onWentBack(int shard, long at) {
        reader.onWentBack(shard, at + base);
    }
}
