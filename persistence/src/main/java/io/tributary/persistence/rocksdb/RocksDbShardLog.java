package io.tributary.persistence.rocksdb;

import io.tributary.persistence.shard.AppendCallback;
import io.tributary.persistence.shard.ShardLog;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The shards' logs in the embedded database; this one node owns all shards. Offsets are dense and begin at 0. Callbacks
 * and the reader are called on the database's writer thread.
 */
public final class RocksDbShardLog implements ShardLog {
    private static final Duration TRUNCATE_INTERVAL = Duration.ofSeconds(10);
    private static final int RECORD_OVERHEAD_BYTES = 96;

    private final RocksDbDatabase database;
    private final SequenceAppends appends;
    private final ShardFeed[] feeds;
    private volatile boolean closed;

    /**
     * Creates it on an open database.
     *
     * @param clock the time of the records; in the log of a shard it does not go back
     */
    public RocksDbShardLog(RocksDbDatabase database, InstantSource clock) {
        this.database = database;
        this.appends = new SequenceAppends(database, clock, RECORD_OVERHEAD_BYTES);
        this.feeds = new ShardFeed[database.options().shards()];
        for (int shard = 0; shard < feeds.length; shard++) {
            RecordSequence sequence =
                    new RecordSequence(database.columns(), Column.LOG, Keys.withShort(new byte[0], shard));
            feeds[shard] = new ShardFeed(database, shard, sequence);
        }
        database.committer().join(appends);
        database.every(TRUNCATE_INTERVAL, this::truncateAll);
    }

    /** The time of the latest record of all shards; before the first append only. */
    public long latestMillis() {
        return Arrays.stream(feeds)
                .mapToLong(feed -> feed.sequence().lastMillis())
                .max()
                .orElse(0);
    }

    @Override
    public int shardCount() {
        return feeds.length;
    }

    @Override
    public boolean append(int shard, byte[] value, AppendCallback callback) {
        if (closed) {
            callback.onAppended(-1, new StorageException("the log is closed"));
            return true;
        }
        return appends.append(() -> feeds[shard], value, callback);
    }

    @Override
    public void onRoom(Runnable action) {
        appends.onRoom(action);
    }

    @Override
    public void start(Reader reader) {
        database.committer().submit(new Task(() -> {
            for (ShardFeed feed : feeds) {
                feed.assign(reader);
            }
        }));
    }

    @Override
    public void readFrom(int shard, long offset) {
        if (!closed) {
            feeds[shard].readFrom(offset);
        }
    }

    @Override
    public void pause(int shard) {
        feeds[shard].pause();
    }

    @Override
    public void truncate(int shard, long offset) {
        RecordSequence sequence = feeds[shard].sequence();
        if (sequence.noteUnwanted(offset)) {
            database.committer().submit(new Truncation(List.of(sequence), done -> {}));
        }
    }

    @Override
    public void close() {
        closed = true;
        truncateAll();
        for (ShardFeed feed : feeds) {
            feed.pause();
        }
        database.committer().drain();
    }

    private void truncateAll() {
        List<RecordSequence> sequences = new ArrayList<>();
        for (ShardFeed feed : feeds) {
            if (feed.sequence().hasUnwanted()) {
                sequences.add(feed.sequence());
            }
        }
        if (!sequences.isEmpty()) {
            database.committer().submit(new Truncation(sequences, done -> {}));
        }
    }
}
