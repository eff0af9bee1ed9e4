package io.tributary.persistence.rocksdb;

import io.tributary.common.thread.Turn;
import io.tributary.common.thread.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one that writes: it merges all that was submitted since the last commit into one batch, commits it, and tells the
 * writes, in the order of their submission. A commit that fails is repeated until it succeeds or the committer is
 * closed; meanwhile nothing is acknowledged, and nothing overtakes.
 *
 * <p>It has a thread, the writer thread. While that is idle, a thread that submitted little commits it at the end of
 * its {@link Turn}, if that needs no waiting; it is the writer thread meanwhile, as others call it.
 */
final class GroupCommitter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GroupCommitter.class);

    private static final long GROUP_BYTES = 1024 * 1024;
    private static final long FIRST_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LAST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int DRAIN_SECONDS_WHILE_FAILING = 5;
    /** The writes that another thread commits before it goes on with its own work. */
    private static final long LITTLE_BYTES = 16 * 1024;

    private static final int LITTLE_WRITES = 64;

    // Shared by all threads.
    private final Queue<Write> queue = new ConcurrentLinkedQueue<>();
    private final List<CommitParticipant> members = new CopyOnWriteArrayList<>();
    private final AtomicLong queuedBytes = new AtomicLong();
    /** How many of the queued writes are not little. */
    private final AtomicInteger queuedMuch = new AtomicInteger();

    private final Thread thread = new Thread(this::run, "tributary-store-writer");
    private final Worker worker = new Worker(thread, new Group());
    private final BooleanSupplier mayBeHelped;
    private volatile boolean closing;
    private volatile boolean ended;
    private volatile @Nullable String problem;
    /** The writes that another thread staged and did not commit, or the failure that kept it from staging. */
    private volatile boolean isStaged;

    private volatile @Nullable Throwable broken;

    // Confined to the writer thread.
    private final BatchTarget target;
    private final StorageRecorder recorder;
    private final WriteBatch batch = new WriteBatch();
    private final List<Write> group = new ArrayList<>();
    private long groupBytes;

    /**
     * Creates one.
     *
     * @param mayBeHelped whether other threads may commit now; asked by any thread
     */
    GroupCommitter(BatchTarget target, StorageRecorder recorder, BooleanSupplier mayBeHelped) {
        this.target = target;
        this.recorder = recorder;
        this.mayBeHelped = mayBeHelped;
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Lets an adapter take part in every group from now on; it joins before its first write. */
    void join(CommitParticipant member) {
        members.add(member);
    }

    /** Queues a write, from any thread. Its methods are called later, or {@link Write#failed} at once after the end. */
    void submit(Write write) {
        queuedBytes.addAndGet(write.bytes());
        if (!write.isLittle()) {
            queuedMuch.incrementAndGet();
        }
        queue.add(write);
        worker.queued();
        if (ended) {
            failQueued();
        }
    }

    /** Whether the caller is the writer thread, to which the state of the adapters is confined. */
    boolean isWriterThread() {
        return worker.isCaller();
    }

    /** Why the latest commit failed, or null when it did not. */
    @Nullable
    String problem() {
        return problem;
    }

    /** How many bytes are submitted and not committed yet; any thread. */
    long queuedBytes() {
        return queuedBytes.get();
    }

    /** Blocks until all that was submitted before is done; while commits fail, only for some seconds. */
    void drain() {
        CompletableFuture<@Nullable Void> reached = new CompletableFuture<>();
        submit(new Task(() -> {}, reached));
        int secondsFailing = 0;
        while (secondsFailing < DRAIN_SECONDS_WHILE_FAILING && !isReached(reached)) {
            secondsFailing = problem == null ? 0 : secondsFailing + 1;
        }
    }

    /** Commits what was submitted, gives up what cannot be committed, and ends the thread. Blocks until done. */
    @Override
    public void close() {
        closing = true;
        worker.wake();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        Turn turn = Turn.begin(() -> true);
        try (batch) {
            while (awaitWrites(turn)) {
                if (!isStaged) {
                    stageGroup();
                }
                if (!commit(this::writeInTheEnd)) {
                    break;
                }
                completeGroup();
                turn.end();
            }
        } catch (Throwable e) {
            LOG.error("the store's writer died: nothing is written any more", e);
            problem = "the writer died: " + e;
        } finally {
            ended = true;
            group.forEach(write -> fail(write, closed()));
            failQueued();
        }
    }

    /** Waits for something to write; false when there is nothing and nothing will come. */
    private boolean awaitWrites(Turn turn) throws Throwable {
        while (queue.isEmpty() && !isStaged) {
            if (turn.isDue()) {
                turn.end();
            } else if (closing) {
                return false;
            } else {
                worker.rest(Long.MAX_VALUE);
            }
            if (broken != null) {
                throw broken;
            }
        }
        return true;
    }

    private void stageGroup() throws RocksDBException {
        while (groupBytes < GROUP_BYTES) {
            Write write = next();
            if (write == null) {
                break;
            }
            stage(write);
        }
        stageMembers();
    }

    /** Stages what another thread may commit; it ends before a write that is more than that. */
    private void stageLittle() throws RocksDBException {
        for (int writes = 0; writes < LITTLE_WRITES; writes++) {
            Write write = queue.peek();
            if (write == null || !write.isLittle() || groupBytes + write.bytes() > LITTLE_BYTES) {
                break;
            }
            queue.remove();
            stage(write);
        }
        stageMembers();
    }

    private void stageMembers() throws RocksDBException {
        for (CommitParticipant member : members) {
            member.beforeCommit(batch);
        }
    }

    private @Nullable Write next() {
        Write write = queue.poll();
        if (write != null && !write.isLittle()) {
            queuedMuch.decrementAndGet();
        }
        return write;
    }

    private void stage(Write write) throws RocksDBException {
        groupBytes += write.bytes();
        boolean mayFailHalfway = !write.isLittle(); // it reads
        if (mayFailHalfway) {
            batch.setSavePoint();
        }
        RuntimeException failure = tryStage(write);
        if (mayFailHalfway && failure == null) {
            batch.popSavePoint();
        } else if (mayFailHalfway) {
            batch.rollbackToSavePoint();
        }
        if (failure == null) {
            group.add(write);
        } else {
            fail(write, failure);
        }
    }

    private @Nullable RuntimeException tryStage(Write write) {
        try {
            write.stage(batch);
            return null;
        } catch (RuntimeException e) {
            return e;
        } catch (RocksDBException e) {
            recorder.onError();
            return new StorageException("the store cannot be read: " + e.getMessage(), e);
        }
    }

    /** Commits what is staged, if that is anything; false when it was not written. */
    private boolean commit(BooleanSupplier writing) {
        if (batch.count() == 0) {
            return true;
        }
        long begin = System.nanoTime();
        boolean isWritten = writing.getAsBoolean();
        if (isWritten) {
            recorder.onCommit(group.size(), batch.getDataSize(), System.nanoTime() - begin);
        }
        return isWritten;
    }

    /** Writes the batch, however often it takes; false when that was given up because of closing. */
    private boolean writeInTheEnd() {
        long retryNanos = FIRST_RETRY_NANOS;
        while (!tryWrite()) {
            if (closing) {
                return false;
            }
            LockSupport.parkNanos(this, retryNanos);
            retryNanos = Math.min(retryNanos * 2, LAST_RETRY_NANOS);
        }
        return true;
    }

    private boolean tryWrite() {
        try {
            target.write(batch, true);
            if (problem != null) {
                LOG.info("the store can be written again");
                problem = null;
            }
            return true;
        } catch (RocksDBException e) {
            recorder.onError();
            if (problem == null) {
                LOG.error("the store cannot be written, nothing is acknowledged until it can: {}", e.getMessage());
            }
            problem = "the store cannot be written: " + e.getMessage();
            return false;
        }
    }

    /**
     * Writes the batch if that can be done without waiting; else the writer's own thread does it, and says what is
     * wrong.
     */
    private boolean writeAtOnce() {
        try {
            target.write(batch, false);
            return true;
        } catch (RocksDBException e) {
            LOG.debug("left to the writer: {}", e.getMessage());
            return false;
        }
    }

    private void completeGroup() {
        isStaged = false;
        for (CommitParticipant member : members) {
            guarded(member::afterCommit);
        }
        for (Write write : group) {
            guarded(write::committed);
        }
        group.clear();
        batch.clear();
        queuedBytes.addAndGet(-groupBytes);
        groupBytes = 0;
    }

    private void failQueued() {
        for (Write write = next(); write != null; write = next()) {
            fail(write, closed());
        }
    }

    private static boolean isReached(CompletableFuture<@Nullable Void> reached) {
        try {
            reached.get(1, TimeUnit.SECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        } catch (java.util.concurrent.ExecutionException e) {
            return true;
        }
    }

    private static void fail(Write write, RuntimeException reason) {
        guarded(() -> write.failed(reason));
    }

    /** An exception of a callback is logged, no more: it must not keep other callbacks from being called. */
    private static void guarded(Runnable callback) {
        try {
            callback.run();
        } catch (RuntimeException | Error e) {
            LOG.error("a callback of the store failed", e);
        }
    }

    private static StorageException closed() {
        return new StorageException("the store is closed");
    }

    /** What another thread commits at the end of its turn. */
    private final class Group implements Worker.Work {
        @Override
        public boolean isWaiting() {
            return !queue.isEmpty() || isStaged || broken != null;
        }

        @Override
        public boolean isLittle() {
            return queuedMuch.get() == 0
                    && queuedBytes.get() <= LITTLE_BYTES
                    && !isStaged
                    && broken == null
                    && mayBeHelped.getAsBoolean();
        }

        @Override
        public void doLittle() {
            try {
                stageLittle();
                isStaged = true;
                if (commit(GroupCommitter.this::writeAtOnce)) {
                    completeGroup();
                }
            } catch (Throwable e) {
                broken = e;
            }
        }
    }
}
