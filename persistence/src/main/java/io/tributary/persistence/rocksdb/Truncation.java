package io.tributary.persistence.rocksdb;

import java.util.List;
import java.util.function.Consumer;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/**
 * Deletes records that are not needed any more in some lanes.
 *
 * @param afterwards told of each lane when it is done
 */
record Truncation(List<RecordSequence> lanes, Consumer<RecordSequence> afterwards) implements Write {

    @Override
    public int bytes() {
        return 0;
    }

    @Override
    public void stage(WriteBatch batch) throws RocksDBException {
        for (RecordSequence lane : lanes) {
            lane.truncate(batch);
        }
    }

    @Override
    public void committed() {
        lanes.forEach(afterwards);
    }
}
