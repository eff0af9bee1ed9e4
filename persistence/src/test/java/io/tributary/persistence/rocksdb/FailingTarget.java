package io.tributary.persistence.rocksdb;

import java.util.concurrent.atomic.AtomicInteger;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/** Stands in front of the database's commits and lets them fail, as a full disk does. */
final class FailingTarget {
    private final AtomicInteger failures = new AtomicInteger();
    private volatile boolean failing;

    BatchTarget before(BatchTarget real) {
        return (batch, mayWait) -> write(batch, mayWait, real);
    }

    void fail(boolean nowFailing) {
        failing = nowFailing;
    }

    int failures() {
        return failures.get();
    }

    private void write(WriteBatch batch, boolean mayWait, BatchTarget real) throws RocksDBException {
        if (failing) {
            failures.incrementAndGet();
            throw new RocksDBException("No space left on device");
        }
        real.write(batch, mayWait);
    }
}
