package io.tributary.persistence.rocksdb;

import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;

/**
 * A walk over a range of keys, as the database was when the walk began. Being bounded it never crosses what was deleted
 * outside of the range.
 */
final class Scan implements AutoCloseable {
    private final Slice from;
    private final Slice to;
    private final ReadOptions options;
    private final RocksIterator iterator;

    Scan(RocksDB db, ColumnFamilyHandle column, byte[] from, byte[] to) {
        this.from = new Slice(from);
        this.to = new Slice(to);
        this.options = new ReadOptions().setIterateLowerBound(this.from).setIterateUpperBound(this.to);
        this.iterator = db.newIterator(column, options);
    }

    /** Goes to the first key of the range; false when there is none. */
    boolean first() {
        iterator.seekToFirst();
        return valid();
    }

    /** Goes to the first key that is not before the given one; false when there is none. */
    boolean ceiling(byte[] key) {
        iterator.seek(key);
        return valid();
    }

    /** Goes to the last key of the range; false when there is none. */
    boolean last() {
        iterator.seekToLast();
        return valid();
    }

    /** Goes to the last key that is not behind the given one; false when there is none. */
    boolean floor(byte[] key) {
        iterator.seekForPrev(key);
        return valid();
    }

    /** Goes to the next key; false when there is none. */
    boolean next() {
        iterator.next();
        return valid();
    }

    byte[] key() {
        return iterator.key();
    }

    byte[] value() {
        return iterator.value();
    }

    @Override
    public void close() {
        iterator.close();
        options.close();
        to.close();
        from.close();
    }

    static StorageException unreadable(RocksDBException e) {
        return new StorageException("the store cannot be read: " + e.getMessage(), e);
    }

    private boolean valid() {
        if (iterator.isValid()) {
            return true;
        }
        try {
            iterator.status();
            return false;
        } catch (RocksDBException e) {
            throw unreadable(e);
        }
    }
}
