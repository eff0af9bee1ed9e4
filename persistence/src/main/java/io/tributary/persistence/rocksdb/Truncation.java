package io.tributary.persistence.rocksdb;

import java.util.List;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/** Deletes what is not needed any more in some lanes. */
record Truncation(List<Lane> lanes) implements Write {

    @Override
    public int bytes() {
        return 0;
    }

    @Override
    public void stage(WriteBatch batch) throws RocksDBException {
        for (Lane lane : lanes) {
            lane.truncate(batch);
        }
    }
}
