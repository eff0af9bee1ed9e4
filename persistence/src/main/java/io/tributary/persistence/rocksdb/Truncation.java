package io.tributary.persistence.rocksdb;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/** Deletes records that are not needed any more in some sequences. */
final class Truncation implements Write {
    private final List<RecordSequence> sequences;
    private final Consumer<RecordSequence> afterwards;
    private final List<RecordSequence> shortened = new ArrayList<>(1);

    /**
     * Creates one.
     *
     * @param afterwards told of each sequence in which something was deleted, when it is done
     */
    Truncation(List<RecordSequence> sequences, Consumer<RecordSequence> afterwards) {
        this.sequences = sequences;
        this.afterwards = afterwards;
    }

    @Override
    public int bytes() {
        return 0;
    }

    @Override
    public void stage(WriteBatch batch) throws RocksDBException {
        for (RecordSequence sequence : sequences) {
            if (sequence.truncate(batch)) {
                shortened.add(sequence);
            }
        }
    }

    @Override
    public void committed() {
        shortened.forEach(afterwards);
    }
}
