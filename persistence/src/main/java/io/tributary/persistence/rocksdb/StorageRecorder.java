package io.tributary.persistence.rocksdb;

/**
 * Counts what the embedded store does. Called on the store's threads and on those of its callers, on hot paths: it must
 * be quick, never block and never throw.
 */
public interface StorageRecorder {

    /** Counts nothing. */
    StorageRecorder NONE = new StorageRecorder() {};

    /**
     * A group of writes was committed.
     *
     * @param writes how many were merged into it
     * @param bytes their size
     * @param nanos how long the commit took, retries included
     */
    default void onCommit(int writes, long bytes, long nanos) {}

    /** An append was refused because too much waits for its commit. */
    default void onRefusal() {}

    /** The write-ahead log was brought to the disk, not by a commit, which took so long. */
    default void onSync(long nanos) {}

    /** A commit, a sync or a read failed. */
    default void onError() {}
}
