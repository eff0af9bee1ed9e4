package io.tributary.persistence.rocksdb;

import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/** Where a group is committed to: the database, or what a test puts in front of it. */
@FunctionalInterface
interface BatchTarget {
    /**
     * Commits all of the batch or nothing of it.
     *
     * @param mayWait whether to wait when the database wants writes to be slower; else that is an error
     */
    void write(WriteBatch batch, boolean mayWait) throws RocksDBException;
}
