package io.tributary.persistence.rocksdb;

import io.tributary.common.event.ByteReader;
import io.tributary.common.event.ByteWriter;
import io.tributary.common.event.StateCodec;
import io.tributary.persistence.rocksdb.RocksDbGroupTopics.DeadLetter;
import io.tributary.persistence.shard.LogRecord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/** The messages of groups that were given up, the latest of them: the oldest are dropped for the bound's sake. */
final class DeadLetters {
    private static final int FORMAT = 1;
    private static final byte[] PREFIX = {'d', 'e', 'a', 'd'};

    private final Lane lane;
    private final RocksDbGroupOptions options;

    // Confined to the writer thread, once it is open.
    private final ArrayDeque<Integer> sizes = new ArrayDeque<>();
    private long totalBytes;

    private volatile long first;

    /** Opens them; reads all that are kept. */
    DeadLetters(ColumnStore columns, RocksDbGroupOptions options) {
        this.lane = new Lane(columns, Column.APPS, PREFIX);
        this.options = options;
        this.first = lane.low();
        lane.read(first, entry -> {
            note(entry.value().length);
            return true;
        });
    }

    /** Adds one to the next commit. Writer thread. */
    void add(String group, int deliveries, LogRecord entry) {
        ByteWriter writer = new ByteWriter(entry.value().length + 64);
        writer.writeByte(FORMAT);
        writer.writeString(group);
        writer.writeNumber(deliveries);
        writer.writeNumber(entry.timeMillis());
        writer.writeBytes(entry.value());
        byte[] value = writer.toBytes();
        lane.add(value, System.currentTimeMillis());
        note(value.length);
    }

    /** Writes what was added, and drops the oldest where there are too many. Writer thread. */
    void stage(WriteBatch batch) throws RocksDBException {
        if (lane.isClean()) {
            return;
        }
        lane.putStaged(batch);
        if (lane.noteUnwanted(first) || lane.hasUnwanted()) {
            lane.truncate(batch);
        }
    }

    /** What was added is durable. Writer thread. */
    void committed() {
        if (!lane.isClean()) {
            lane.takeCommitted();
        }
    }

    /** The latest ones, the oldest of them first. A thread of the database. */
    List<DeadLetter> latest(int most) {
        List<DeadLetter> found = new ArrayList<>();
        lane.read(Math.max(first, lane.committed() - most), entry -> {
            found.add(decode(entry));
            return found.size() < most;
        });
        return found;
    }

    private void note(int bytes) {
        sizes.add(bytes);
        totalBytes += bytes;
        long newFirst = first;
        while (sizes.size() > 1 && (sizes.size() > options.maxDeadLetters() || totalBytes > options.deadLetterBytes())) {
            totalBytes -= sizes.remove();
            newFirst++;
        }
        first = newFirst;
    }

    private static DeadLetter decode(LogRecord entry) {
        ByteReader reader = new ByteReader(entry.value());
        reader.expectFormat(FORMAT);
        String group = reader.readString();
        int deliveries = reader.readInt();
        long timeMillis = reader.readNumber();
        byte[] message = reader.readBytes();
        reader.expectEnd();
        return new DeadLetter(
                group, deliveries, timeMillis, StateCodec.decodeMessage(message).message());
    }
}
