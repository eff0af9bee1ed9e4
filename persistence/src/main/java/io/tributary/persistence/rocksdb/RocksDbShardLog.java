package io.tributary.persistence.rocksdb;

import io.tributary.persistence.limit.ByteBudget;
import io.tributary.persistence.shard.AppendCallback;
import io.tributary.persistence.shard.ShardLog;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/**
 * The shards' logs in the embedded database; this one node owns all shards. Offsets are dense and begin at 0. Callbacks
 * and the reader are called on the database's writer thread.
 */
public final class RocksDbShardLog implements ShardLog {
    private static final Duration TRUNCATE_INTERVAL = Duration.ofSeconds(10);
    private static final int RECORD_OVERHEAD_BYTES = 96;

    private final RocksDbDatabase database;
    private final InstantSource clock;
    private final ByteBudget budget;
    private final ShardFeed[] feeds;
    private volatile boolean closed;

    // Confined to the writer thread.
    private final List<ShardFeed> touched = new ArrayList<>();
    private long stagedBytes;
    private long nowMillis;

    /** Creates it on an open database. */
    public RocksDbShardLog(RocksDbDatabase database) {
        this(database, InstantSource.system());
    }

    /** Creates it with a clock of one's own. */
    RocksDbShardLog(RocksDbDatabase database, InstantSource clock) {
        this.database = database;
        this.clock = clock;
        this.budget = new ByteBudget(database.options().appendQueueBytes());
        this.feeds = new ShardFeed[database.options().shards()];
        for (int shard = 0; shard < feeds.length; shard++) {
            Lane lane = new Lane(database.columns(), Column.LOG, Keys.withShort(new byte[0], shard));
            feeds[shard] = new ShardFeed(database, shard, lane);
        }
        database.committer().join(new Member());
        database.every(TRUNCATE_INTERVAL, this::truncateAll);
    }

    @Override
    public int shardCount() {
        return feeds.length;
    }

    @Override
    public boolean append(int shard, byte[] value, AppendCallback callback) {
        Append append = new Append(feeds[shard], value, callback);
        if (closed) {
            callback.onAppended(-1, new StorageException("the log is closed"));
            return true;
        }
        if (!budget.tryAcquire(append.bytes())) {
            database.recorder().onRefusal();
            return false;
        }
        database.committer().submit(append);
        return true;
    }

    @Override
    public void onRoom(Runnable action) {
        budget.onRoom(action);
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
        Lane lane = feeds[shard].lane();
        if (lane.noteUnwanted(offset)) {
            database.committer().submit(new Truncation(List.of(lane), done -> {}));
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
        List<Lane> lanes = new ArrayList<>();
        for (ShardFeed feed : feeds) {
            if (feed.lane().hasUnwanted()) {
                lanes.add(feed.lane());
            }
        }
        if (!lanes.isEmpty()) {
            database.committer().submit(new Truncation(lanes, done -> {}));
        }
    }

    /** One record on its way into the log. */
    private final class Append implements Write {
        private final ShardFeed feed;
        private final byte[] value;
        private final AppendCallback callback;
        private long offset;

        private Append(ShardFeed feed, byte[] value, AppendCallback callback) {
            this.feed = feed;
            this.value = value;
            this.callback = callback;
        }

        @Override
        public int bytes() {
            return value.length + RECORD_OVERHEAD_BYTES;
        }

        @Override
        public void stage(WriteBatch batch) {
            if (touched.isEmpty()) {
                nowMillis = clock.millis();
            }
            if (feed.lane().isClean()) {
                touched.add(feed);
            }
            offset = feed.lane().add(value, nowMillis);
            stagedBytes += bytes();
        }

        @Override
        public void committed() {
            callback.onAppended(offset, null);
        }

        @Override
        public void failed(RuntimeException reason) {
            budget.release(bytes());
            callback.onAppended(-1, reason);
        }
    }

    /** What the appends of a group have in common: the blocks they become, and the readers that get them. */
    private final class Member implements GroupMember {
        @Override
        public void beforeCommit(WriteBatch batch) throws RocksDBException {
            for (ShardFeed feed : touched) {
                feed.lane().putStaged(batch);
            }
        }

        @Override
        public void afterCommit() {
            for (ShardFeed feed : touched) {
                feed.onCommitted(feed.lane().takeCommitted());
            }
            touched.clear();
            long bytes = stagedBytes;
            stagedBytes = 0;
            budget.release(bytes);
        }
    }
}
