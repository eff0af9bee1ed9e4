package io.tributary.persistence.rocksdb;

import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.Semaphore;

/**
 * A program that appends numbers to all shards and prints each that was acknowledged, until it is killed. Arguments:
 * the folder, the way to sync, the number to begin with.
 */
final class AppendingProcess {
    static final int SHARDS = 4;

    private AppendingProcess() {}

    public static void main(String[] args) throws InterruptedException {
        RocksDbOptions options = TestDatabase.options(SHARDS).toBuilder()
                .sync(StorageSync.valueOf(args[1]))
                .build();
        RocksDbDatabase database = RocksDbDatabase.open(Path.of(args[0]), options, StorageRecorder.NONE);
        RocksDbShardLog log = new RocksDbShardLog(database, InstantSource.system());
        RocksDbReplicatedMap map = new RocksDbReplicatedMap(database, "numbers");
        Semaphore window = new Semaphore(500);
        PrintStream out = System.out;
        for (long number = Long.parseLong(args[2]); ; number++) {
            window.acquire();
            long each = number;
            byte[] value = ByteBuffer.allocate(Long.BYTES).putLong(each).array();
            log.append((int) (each % SHARDS), value, (offset, failure) -> {
                window.release();
                out.println(each + " " + offset);
            });
            if (number % 100 == 0) {
                map.put(Long.toString(number), value).thenRun(() -> out.println(each + " map"));
            }
        }
    }
}
