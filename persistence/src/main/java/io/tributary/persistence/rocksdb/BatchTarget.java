package io.tributary.persistence.rocksdb;

import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/** Where a group is committed to: the database, or what a test puts in front of it. */
@FunctionalInterface
interface BatchTarget {
    /** Commits all of the batch or nothing of it. */
    void write(WriteBatch batch) throws RocksDBException;
}
