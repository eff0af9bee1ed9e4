package io.tributary.cluster.kafka.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.persistence.shard.AppendCallback;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RebasedShardLogTest {
    private static final long BASE = 1_000;

    private final List<String> asked = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private final FakeLog behind = new FakeLog();
    private final RebasedShardLog log = new RebasedShardLog(behind, BASE);

    @Test
    void appendsAreAnsweredWithHigherOffsetsAndFailuresAsTheyAre() {
        boolean _ = log.append(0, new byte[] {1}, (offset, failure) -> told.add(offset + " " + failure));
        behind.appended.onAppended(7, null);
        behind.appended.onAppended(-1, new IllegalStateException("full"));
        assertThat(told).containsExactly("1007 null", "-1 java.lang.IllegalStateException: full");
    }

    @Test
    void positionsAreThoseOfTheLogBehindAndNeverBelowItsBeginning() {
        log.readFrom(2, BASE + 5, 3);
        log.readFrom(2, 0, LogRecord.NO_LEADER);
        log.truncate(2, BASE + 9);
        log.truncate(2, 3);
        assertThat(asked).containsExactly("read 2 5 3", "read 2 0 -1", "truncate 2 9", "truncate 2 0");
    }

    @Test
    void recordsComeWithHigherOffsetsAndTheFirstAsIfThoseBelowWereDeleted() {
        log.start(new ToldReader());
        behind.reader.onRecords(1, 0, List.of(record(0), record(1)));
        behind.reader.onRecords(1, 2, List.of(record(2)));
        behind.reader.onWentBack(1, 1);
        assertThat(told).containsExactly("1 from 0: [1000, 1001]", "1 from 1002: [1002]", "1 went back at 1001");
    }

    private static LogRecord record(long offset) {
        return new LogRecord(offset, 4, 99, new byte[0]);
    }

    private final class ToldReader implements ShardLog.Reader {
        @Override
        public void onAssigned(int shard) {}

        @Override
        public void onRevoked(int shard) {}

        @Override
        public void onRecords(int shard, long from, List<LogRecord> records) {
            told.add(shard + " from " + from + ": "
                    + records.stream().map(LogRecord::offset).toList());
        }

        @Override
        public void onWentBack(int shard, long at) {
            told.add(shard + " went back at " + at);
        }
    }

    private final class FakeLog implements ShardLog {
        private AppendCallback appended = (_, _) -> {};
        private Reader reader = new ToldReader();

        @Override
        public int shardCount() {
            return 4;
        }

        @Override
        public boolean append(int shard, byte[] value, AppendCallback callback) {
            appended = callback;
            return true;
        }

        @Override
        public void onRoom(Runnable action) {}

        @Override
        public void start(Reader newReader) {
            reader = newReader;
        }

        @Override
        public void readFrom(int shard, long offset) {
            readFrom(shard, offset, LogRecord.NO_LEADER);
        }

        @Override
        public void readFrom(int shard, long offset, int leaderEpoch) {
            asked.add("read " + shard + " " + offset + " " + leaderEpoch);
        }

        @Override
        public void pause(int shard) {}

        @Override
        public void truncate(int shard, long offset) {
            asked.add("truncate " + shard + " " + offset);
        }

        @Override
        public void close() {}
    }
}
