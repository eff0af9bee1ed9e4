package io.tributary.persistence.rocksdb;

import io.tributary.common.event.EventCodec;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.ShardEvent.Publish;
import io.tributary.perf.jmh.Messages;
import io.tributary.perf.jmh.Microbenchmark;
import io.tributary.perf.jmh.Scratch;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Appends to the logs of {@value #SHARDS} shards of the embedded store, from the call to its callback. As many are
 * under way at once as wait for the same commit.
 */
public class GroupCommitBenchmark extends Microbenchmark {
    private static final int SHARDS = 16;
    private static final int APPENDS = 1024;

    /** How many appends wait at once. */
    @Param({"1", "32", "1024"})
    public int together;

    /** The payload's size of the message in a record. */
    @Param({"62", "1024"})
    public int payloadBytes;

    /** When writes are brought to the disk; {@code ALWAYS} measures the disk. */
    @Param("INTERVAL")
    public String sync = "";

    private Scratch scratch;
    private RocksDbDatabase database;
    private RocksDbShardLog log;
    private byte[] value;

    /** Opens a new store. */
    @Setup
    public void open() {
        scratch = new Scratch();
        RocksDbOptions options = RocksDbOptions.defaults(SHARDS).toBuilder()
                .sync(StorageSync.valueOf(sync))
                .build();
        database = RocksDbDatabase.open(scratch.directory(), options, StorageRecorder.NONE);
        log = new RocksDbShardLog(database, InstantSource.system());
        value = EventCodec.encode(
                new Publish(Messages.message(payloadBytes), Messages.recipients(1, 1), null), RecordFormat.NEWEST);
    }

    /** Deletes the store. */
    @TearDown
    public void close() {
        log.close();
        database.close();
        scratch.close();
    }

    /** An append; what is in the log is given up at once, as behind a save point. */
    @Benchmark
    @OperationsPerInvocation(APPENDS)
    public void append() throws InterruptedException {
        for (int done = 0; done < APPENDS; done += together) {
            CountDownLatch committed = new CountDownLatch(together);
            for (int i = 0; i < together; i++) {
                int shard = i % SHARDS;
                boolean taken = log.append(shard, value, (offset, failure) -> {
                    if (failure == null) {
                        log.truncate(shard, offset);
                        committed.countDown();
                    }
                });
                if (!taken) {
                    throw new IllegalStateException("the log has no room");
                }
            }
            committed.await();
        }
    }
}
