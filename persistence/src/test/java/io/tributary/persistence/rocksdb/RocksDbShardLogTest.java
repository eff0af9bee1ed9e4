package io.tributary.persistence.rocksdb;

import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.persistence.contract.RecordingReader;
import io.tributary.persistence.contract.ShardLogContract;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksDbShardLogTest extends ShardLogContract {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private RocksDbDatabase database;

    private final AtomicLong nowMillis = new AtomicLong(1_000_000);

    @Override
    protected ShardLog open() {
        closeDatabase();
        RocksDbOptions options = TestDatabase.options(SHARDS).toBuilder()
                .appendQueueSize(BUFFER_BYTES)
                .build();
        database = RocksDbDatabase.open(folder, options, StorageRecorder.NONE);
        InstantSource clock = () -> Instant.ofEpochMilli(nowMillis.get());
        return new RocksDbShardLog(database, clock);
    }

    @AfterEach
    void closeDatabase() {
        if (database != null) {
            database.close();
        }
    }

    @Test
    void offsetsAreDenseFromZeroWhenAppended() {
        List<Long> offsets = appendAll(2, texts("r", 5000));
        assertThat(offsets).isEqualTo(LongStream.range(0, 5000).boxed().toList());
    }

    @Test
    void timeStandsStillWhenTheClockGoesBack() {
        appendAll(0, texts("r", 1));
        nowMillis.set(500);
        appendAll(0, texts("s", 1));
        nowMillis.set(1_000_001);
        appendAll(0, texts("t", 1));
        assertThat(read(3)).extracting(LogRecord::timeMillis).containsExactly(1_000_000L, 1_000_000L, 1_000_001L);
    }

    @Test
    void timeStandsStillWhenTheClockGoesBackWhileTheLogIsClosedAndEmpty() {
        log().truncate(0, appendAll(0, texts("r", 1)).getLast() + 1);
        log().close();
        nowMillis.set(500);
        try (ShardLog reopened = open()) {
            assertThat(((RocksDbShardLog) reopened).latestMillis()).isEqualTo(1_000_000);
            RecordingReader reader = new RecordingReader();
            start(reopened, reader);
            reopened.append(0, new byte[1], (offset, failure) -> {});
            until(() -> reader.count(0) == 1);
            assertThat(reader.records(0).getFirst())
                    .satisfies(entry -> assertThat(entry.offset()).isEqualTo(1))
                    .satisfies(entry -> assertThat(entry.timeMillis()).isEqualTo(1_000_000));
        }
    }

    private List<LogRecord> read(int count) {
        RecordingReader reader = new RecordingReader();
        start(log(), reader);
        until(() -> reader.count(0) == count);
        return reader.records(0);
    }

    private static void start(ShardLog log, RecordingReader reader) {
        log.start(reader);
        until(() -> reader.assigned().size() == SHARDS);
        log.readFrom(0, 0);
    }
}
