package io.tributary.persistence.rocksdb;

import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/** One request to the {@link GroupCommitter}. Its methods are called on the writer thread, except {@link #failed}. */
interface Write {

    /** About how much memory it holds; bounds the size of a group. */
    int bytes();

    /**
     * Adds its changes to the group that is committed next, or nothing. Sees in the database what all earlier groups
     * wrote. What it throws fails this write alone; what it has added until then is taken back, unless it
     * {@link #isLittle}.
     */
    void stage(WriteBatch batch) throws RocksDBException;

    /** Whether it can be staged on any thread: it is short, and reads nothing from the database. */
    default boolean isLittle() {
        return false;
    }

    /** Its group is durable. */
    default void committed() {}

    /** The write did not happen, and never will. */
    default void failed(RuntimeException reason) {}
}
