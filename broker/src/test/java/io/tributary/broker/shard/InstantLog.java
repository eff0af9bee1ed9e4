package io.tributary.broker.shard;

import io.tributary.persistence.shard.AppendCallback;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A log in memory in which every append is durable at once and handed out at once. Thread-safe. */
public final class InstantLog implements ShardLog {
    private final List<List<LogRecord>> records = new ArrayList<>();
    private final boolean[] reading;
    private @Nullable Reader reader;
    private int pauses;
    private volatile Set<Integer> lagging = Set.of();

    /** Whether whoever appends is told where it is in the log; Kafka does not always know. */
    volatile boolean tellsOffsets = true;

    public InstantLog(int shards) {
        reading = new boolean[shards];
        for (int shard = 0; shard < shards; shard++) {
            records.add(new ArrayList<>());
        }
    }

    /** Says of shards that they lag. */
    void lag(Set<Integer> newLagging) {
        lagging = newLagging;
    }

    @Override
    public Set<Integer> lagging() {
        return lagging;
    }

    /** How often a shard was paused. */
    synchronized int pauses() {
        return pauses;
    }

    /** Has the reader own a shard, perhaps once more. */
    synchronized void assign(int shard) {
        Objects.requireNonNull(reader).onAssigned(shard);
    }

    /** Hands out so many records at once that change nothing. */
    synchronized void flood(int shard, byte[] value, int count) {
        List<LogRecord> log = records.get(shard);
        long from = log.size();
        for (int i = 0; i < count; i++) {
            log.add(new LogRecord(log.size(), 0, value));
        }
        Objects.requireNonNull(reader).onRecords(shard, from, List.copyOf(log.subList((int) from, log.size())));
    }

    @Override
    public int shardCount() {
        return reading.length;
    }

    @Override
    public synchronized boolean append(int shard, byte[] value, AppendCallback callback) {
        List<LogRecord> log = records.get(shard);
        LogRecord record = new LogRecord(log.size(), System.currentTimeMillis(), value);
        log.add(record);
        callback.onAppended(tellsOffsets ? record.offset() : -1, null);
        if (reading[shard]) {
            Objects.requireNonNull(reader).onRecords(shard, record.offset(), List.of(record));
        }
        return true;
    }

    @Override
    public void onRoom(Runnable action) {
        action.run();
    }

    @Override
    public synchronized void start(Reader newReader) {
        reader = newReader;
        for (int shard = 0; shard < reading.length; shard++) {
            newReader.onAssigned(shard);
        }
    }

    @Override
    public synchronized void readFrom(int shard, long offset) {
        reading[shard] = true;
        List<LogRecord> log = records.get(shard);
        if (offset < log.size()) {
            Objects.requireNonNull(reader).onRecords(shard, offset, List.copyOf(log.subList((int) offset, log.size())));
        }
    }

    @Override
    public synchronized void pause(int shard) {
        reading[shard] = false;
        pauses++;
    }

    @Override
    public void truncate(int shard, long offset) {}

    @Override
    public void close() {}
}
