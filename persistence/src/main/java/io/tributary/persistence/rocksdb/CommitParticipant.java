package io.tributary.persistence.rocksdb;

import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/** An adapter that gathers what the writes of a group have in common. Called on the writer thread. */
interface CommitParticipant {

    /** All writes of the group are staged. */
    void beforeCommit(WriteBatch batch) throws RocksDBException;

    /** The group is durable; its writes are told next. */
    void afterCommit();
}
