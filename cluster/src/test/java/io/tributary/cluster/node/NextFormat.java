package io.tributary.cluster.node;

import io.tributary.common.event.RecordFormat;
import io.tributary.persistence.shard.AppendCallback;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a version would add that reads one more format, of which only the first byte differs from the newest. It stands
 * between the bytes and the codecs of this version, which refuse it.
 */
final class NextFormat {
    static final int NUMBER = RecordFormat.NEWEST + 1;

    private NextFormat() {}

    static byte[] read(byte[] bytes) {
        if (bytes.length == 0 || bytes[0] != NUMBER) {
            return bytes;
        }
        byte[] known = bytes.clone();
        known[0] = RecordFormat.NEWEST;
        return known;
    }

    /** A log as such a version reads it. */
    static final class Log implements ShardLog {
        /** The formats of what was read. */
        final Set<Integer> read = ConcurrentHashMap.newKeySet();

        private final ShardLog log;

        Log(ShardLog log) {
            this.log = log;
        }

        @Override
        public int shardCount() {
            return log.shardCount();
        }

        @Override
        public boolean append(int shard, byte[] value, AppendCallback callback) {
            return log.append(shard, value, callback);
        }

        @Override
        public void onRoom(Runnable action) {
            log.onRoom(action);
        }

        @Override
        public void start(Reader reader) {
            log.start(new Reader() {
                @Override
                public void onExpected(int shard, Runnable ready) {
                    reader.onExpected(shard, ready);
                }

                @Override
                public void onLeaving(int shard) {
                    reader.onLeaving(shard);
                }

                @Override
                public void onAssigned(int shard) {
                    reader.onAssigned(shard);
                }

                @Override
                public void onRevoked(int shard, Runnable released) {
                    reader.onRevoked(shard, released);
                }

                @Override
                public void onRecords(int shard, long from, List<LogRecord> records) {
                    records.forEach(record -> read.add((int) record.value()[0]));
                    reader.onRecords(
                            shard,
                            from,
                            records.stream()
                                    .map(record -> new LogRecord(
                                            record.offset(), record.timeMillis(), NextFormat.read(record.value())))
                                    .toList());
                }

                @Override
                public void onWentBack(int shard, long at) {
                    reader.onWentBack(shard, at);
                }
            });
        }

        @Override
        public void takePart(boolean wanted) {
            log.takePart(wanted);
        }

        @Override
        public void readFrom(int shard, long offset) {
            log.readFrom(shard, offset);
        }

        @Override
        public void pause(int shard) {
            log.pause(shard);
        }

        @Override
        public void truncate(int shard, long offset) {
            log.truncate(shard, offset);
        }

        @Override
        public void close() {
            log.close();
        }
    }
}
