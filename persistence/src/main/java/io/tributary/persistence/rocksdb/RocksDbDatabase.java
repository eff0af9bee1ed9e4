package io.tributary.persistence.rocksdb;

import io.tributary.common.thread.Turn;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one RocksDB database of a data folder, which all embedded adapters share. It has one thread that writes, in group
 * commits, and a few that read. Once an adapter has been created, nothing is read on a caller's thread, and nothing is
 * written there but a little at the end of its {@link Turn}, without waiting for the disk.
 *
 * <p>While the disk is full or fails, writes wait and are repeated; {@link #problem} says so. RocksDB recovers from a
 * full disk by itself within some seconds of there being room again. After an error that it holds to be fatal only
 * opening the database anew helps.
 */
public final class RocksDbDatabase implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RocksDbDatabase.class);

    private static final int READERS = 2;
    private static final int MAX_WAITING_READS = 100_000;

    private final RocksDbOptions options;
    private final StorageRecorder recorder;
    private final ColumnStore columns;
    private final GroupCommitter committer;
    private final ExecutorService readers;
    private final ScheduledExecutorService timer;
    private final AtomicBoolean unsynced = new AtomicBoolean();
    private volatile @Nullable String syncProblem;
    private volatile boolean isSyncing;

    private RocksDbDatabase(
            Path folder, RocksDbOptions options, StorageRecorder recorder, UnaryOperator<BatchTarget> wrapper) {
        this.options = options;
        this.recorder = recorder;
        DataFolder dataFolder = new DataFolder(folder);
        boolean isToBeTaken = dataFolder.prepare(options.shards());
        columns = ColumnStore.open(dataFolder.database(), options);
        if (isToBeTaken) {
            take(dataFolder, options.shards());
        }
        committer = new GroupCommitter(wrapper.apply(this::write), recorder, this::commitsAtOnce);
        readers = new ThreadPoolExecutor(
                READERS, READERS, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MAX_WAITING_READS), named("reader"));
        timer = Executors.newSingleThreadScheduledExecutor(named("timer"));
    }

    /**
     * Opens the database of a folder, and creates both when they do not exist.
     *
     * @throws StorageException when the folder is in use, of a newer format or of another shard count, or unreadable
     */
    public static RocksDbDatabase open(Path folder, RocksDbOptions options, StorageRecorder recorder) {
        return open(folder, options, recorder, UnaryOperator.identity());
    }

    /**
     * Opens the database of a folder with something in front of its commits.
     *
     * @param wrapper gets what commits, and gives what is to be called instead
     */
    static RocksDbDatabase open(
            Path folder, RocksDbOptions options, StorageRecorder recorder, UnaryOperator<BatchTarget> wrapper) {
        RocksDbDatabase database = new RocksDbDatabase(folder, options, recorder, wrapper);
        database.start();
        return database;
    }

    /** Why writes cannot be committed or brought to the disk at the moment, in words, or null when all is well. */
    public @Nullable String problem() {
        String commitProblem = committer.problem();
        return commitProblem != null ? commitProblem : syncProblem;
    }

    /** What waits for its commit now, in bytes; what is being repeated because the disk is full waits too. */
    public long queuedBytes() {
        return committer.queuedBytes();
    }

    /**
     * What the database has in memory outside the Java heap, in bytes: write buffers, cached blocks and what it keeps
     * of open files. Any thread, also while it closes; 0 once it is closed.
     */
    public long memoryBytes() {
        return columns.memoryBytes();
    }

    /** Completes what was accepted and closes the database; the adapters are closed before. Blocks until done. */
    @Override
    public void close() {
        timer.shutdownNow();
        timer.close();
        committer.close();
        readers.close();
        if (options.sync() == StorageSync.INTERVAL) {
            syncIfNeeded();
        }
        columns.close();
    }

    RocksDbOptions options() {
        return options;
    }

    StorageRecorder recorder() {
        return recorder;
    }

    ColumnStore columns() {
        return columns;
    }

    GroupCommitter committer() {
        return committer;
    }

    /** Reads on a thread of the database. */
    <T extends @Nullable Object> CompletableFuture<T> read(Callable<T> reading) {
        CompletableFuture<T> result = new CompletableFuture<>();
        try {
            readers.execute(() -> complete(result, reading));
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(new StorageException("the store is closed, or too much is being read", e));
        }
        return result;
    }

    /** Does something on a thread that reads; false when the database is closed or too much is being read. */
    boolean execute(Runnable action) {
        try {
            readers.execute(action);
            return true;
        } catch (RejectedExecutionException e) {
            LOG.debug("closed, or too much is being read: not done", e);
            return false;
        }
    }

    /** Runs an action again and again, on a thread that others wait for: it must be short. */
    void every(Duration interval, Runnable action) {
        long nanos = interval.toNanos();
        Future<?> _ = timer.scheduleWithFixedDelay(() -> guarded(action), nanos, nanos, TimeUnit.NANOSECONDS);
    }

    private static void guarded(Runnable action) {
        try {
            action.run();
        } catch (Throwable e) { // the timer would stop without a word
            LOG.error("what the database does again and again has failed", e);
        }
    }

    /** Runs an action once after a delay, unless the database is closed before. */
    void after(Duration delay, Runnable action) {
        try {
            Future<?> _ = timer.schedule(action, delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("closed: what was to be done later is not done", e);
        }
    }

    private void take(DataFolder folder, int shards) {
        try {
            folder.take(shards);
        } catch (StorageException e) {
            columns.close();
            throw e;
        }
    }

    private void start() {
        committer.start();
        if (options.sync() == StorageSync.INTERVAL) {
            every(options.syncInterval(), this::syncIfNeeded);
        }
    }

    private void write(WriteBatch batch, boolean mayWait) throws RocksDBException {
        columns.write(batch, mayWait);
        if (options.sync() == StorageSync.INTERVAL && !unsynced.get()) {
            unsynced.set(true);
        }
    }

    private void syncIfNeeded() {
        if (!unsynced.getAndSet(false)) {
            return;
        }
        try {
            sync();
            syncProblem = null;
        } catch (RocksDBException | RuntimeException e) {
            unsynced.set(true);
            syncProblem = "what was written cannot be brought to the disk: " + e.getMessage();
            recorder.onError();
            LOG.error("the write-ahead log cannot be synced: {}", e.getMessage());
        }
    }

    /** Brings all that was written to the disk, where it is not there by now. Timer thread. */
    void sync() throws RocksDBException {
        if (options.sync() == StorageSync.ALWAYS) {
            return;
        }
        isSyncing = true;
        try {
            long begin = System.nanoTime();
            columns.sync();
            recorder.onSync(System.nanoTime() - begin);
        } finally {
            isSyncing = false;
        }
    }

    /** Whether a commit does not wait for the disk. */
    boolean commitsAtOnce() {
        return options.sync() != StorageSync.ALWAYS && !isSyncing;
    }

    private <T extends @Nullable Object> void complete(CompletableFuture<T> result, Callable<T> reading) {
        try {
            result.complete(reading.call());
        } catch (Exception e) {
            recorder.onError();
            result.completeExceptionally(e);
        }
    }

    private static ThreadFactory named(String role) {
        return Thread.ofPlatform()
                .daemon()
                .name("tributary-store-" + role + "-", 0)
                .factory();
    }
}
