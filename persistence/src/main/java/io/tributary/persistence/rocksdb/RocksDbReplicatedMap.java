package io.tributary.persistence.rocksdb;

import io.tributary.persistence.limit.ByteBudget;
import io.tributary.persistence.replicated.ReplicatedMap;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/**
 * A named map in the embedded database, whose only follower is this node's. The follower is called on the database's
 * writer thread: first with the entries in the order of their keys, a page a group, and meanwhile already with each
 * change of a key that the hand-out has passed.
 */
public final class RocksDbReplicatedMap implements ReplicatedMap {
    private static final int PAGE_ENTRIES = 1000;

    /** What may wait to be written; more is refused. */
    private static final long MOST_WAITING_BYTES = 64 << 20;

    /** About how many bytes a waiting write takes besides its key, twice, and its value. */
    private static final int CHANGE_BYTES = 300;

    private final RocksDbDatabase database;
    private final byte[] prefix;
    private final ByteBudget waiting = new ByteBudget(MOST_WAITING_BYTES);
    private final CompletableFuture<@Nullable Void> handedOut = new CompletableFuture<>();
    private volatile boolean closed;

    // Confined to the writer thread.
    private @Nullable Follower follower;
    private byte[] handedOutBelow;

    /** Creates it on an open database; maps with different names share nothing. */
    public RocksDbReplicatedMap(RocksDbDatabase database, String name) {
        this.database = database;
        this.prefix = Keys.prefix(0, name);
        this.handedOutBelow = prefix;
    }

    @Override
    public CompletionStage<@Nullable Void> follow(Follower newFollower) {
        database.committer().submit(new HandOut(newFollower));
        return handedOut;
    }

    @Override
    public CompletionStage<@Nullable Void> caughtUp() {
        if (closed) {
            return CompletableFuture.failedStage(new StorageException("the map is closed"));
        }
        CompletableFuture<@Nullable Void> behindAll = new CompletableFuture<>();
        database.committer().submit(new Task(() -> {}, behindAll));
        return behindAll.thenCombine(handedOut, (written, read) -> null);
    }

    @Override
    public CompletionStage<@Nullable Void> put(String key, byte[] value) {
        return submit(new Change(key, value));
    }

    @Override
    public CompletionStage<@Nullable Void> remove(String key) {
        return submit(new Change(key, null));
    }

    @Override
    public void close() {
        closed = true;
        database.committer().drain();
    }

    private CompletionStage<@Nullable Void> submit(Change change) {
        if (closed) {
            return CompletableFuture.failedStage(new StorageException("the map is closed"));
        }
        if (!waiting.tryAcquire(change.memoryBytes())) {
            return CompletableFuture.failedStage(new StorageException("too much waits to be written to the map"));
        }
        database.committer().submit(change);
        return change.done;
    }

    private byte[] storedKey(String key) {
        return Keys.withBytes(prefix, key.getBytes(StandardCharsets.UTF_8));
    }

    private void tellFollower(String key, byte @Nullable [] value) {
        if (follower != null) {
            follower.onChange(key, value);
        }
    }

    /** A put or a removal on its way into the database. */
    private final class Change implements Write {
        private final String key;
        private final byte @Nullable [] value;
        private final byte[] storedKey;
        private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();

        private Change(String key, byte @Nullable [] value) {
            this.key = key;
            this.value = value;
            this.storedKey = storedKey(key);
        }

        @Override
        public int bytes() {
            return storedKey.length + (value == null ? 0 : value.length);
        }

        long memoryBytes() {
            return (long) CHANGE_BYTES + key.length() + bytes();
        }

        @Override
        public void stage(WriteBatch batch) throws RocksDBException {
            ColumnFamilyHandle column = database.columns().handle(Column.MAPS);
            if (value == null) {
                batch.delete(column, storedKey);
            } else {
                batch.put(column, storedKey, value);
            }
        }

        @Override
        public void committed() {
            waiting.release(memoryBytes());
            try {
                if (Arrays.compareUnsigned(storedKey, handedOutBelow) < 0) {
                    tellFollower(key, value);
                }
            } finally {
                done.complete(null);
            }
        }

        @Override
        public void failed(RuntimeException reason) {
            waiting.release(memoryBytes());
            done.completeExceptionally(reason);
        }
    }

    /**
     * Hands out the next entries and comes again until there are no more. It reads before its group is committed, so
     * what it reads is older than the changes of the group, which the follower sees afterwards.
     */
    private final class HandOut implements Write {
        private final Follower to;
        private boolean complete;

        private HandOut(Follower to) {
            this.to = to;
        }

        @Override
        public int bytes() {
            return 0;
        }

        @Override
        public void stage(WriteBatch batch) {
            follower = to;
            byte[] end = Keys.endOf(prefix);
            try (Scan scan = database.columns().scan(Column.MAPS, handedOutBelow, end)) {
                boolean valid = scan.first();
                for (int left = PAGE_ENTRIES; valid && left > 0; left--) {
                    handOut(scan.key(), scan.value());
                    valid = scan.next();
                }
                complete = !valid;
                handedOutBelow = valid ? scan.key() : end;
            }
        }

        @Override
        public void committed() {
            if (complete) {
                handedOut.complete(null);
            } else {
                database.committer().submit(this);
            }
        }

        @Override
        public void failed(RuntimeException reason) {
            handedOut.completeExceptionally(reason);
        }

        private void handOut(byte[] storedKey, byte[] value) {
            int length = storedKey.length - prefix.length;
            tellFollower(new String(storedKey, prefix.length, length, StandardCharsets.UTF_8), value);
        }
    }
}
