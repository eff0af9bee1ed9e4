package io.tributary.broker.shard;

import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntFunction;

/** Passes records of the log to the thread of each shard, and pauses a shard that cannot keep up. */
final class ShardReader implements ShardLog.Reader {
    /** How many records may wait for one shard's driver before the log is asked to pause. */
    private static final int MOST_WAITING_RECORDS = 10_000;

    private final ShardLog log;
    private final List<ShardDriver> drivers;
    private final IntFunction<ShardThread> threads;
    private final AtomicIntegerArray waiting;
    private final AtomicIntegerArray paused;

    /** @param threads the thread of each shard */
    ShardReader(ShardLog log, List<ShardDriver> drivers, IntFunction<ShardThread> threads) {
        this.log = log;
        this.drivers = drivers;
        this.threads = threads;
        waiting = new AtomicIntegerArray(drivers.size());
        paused = new AtomicIntegerArray(drivers.size());
    }

    @Override
    public void onAssigned(int shard) {
        threads.apply(shard).execute(drivers.get(shard)::assigned);
    }

    @Override
    public void onRevoked(int shard) {
        threads.apply(shard).execute(drivers.get(shard)::revoked);
    }

    @Override
    public void onWentBack(int shard, long at) {
        ShardDriver driver = drivers.get(shard);
        threads.apply(shard).execute(() -> driver.wentBack(at));
    }

    @Override
    public void onRecords(int shard, long from, List<LogRecord> records) {
        ShardDriver driver = drivers.get(shard);
        if (waiting.addAndGet(shard, records.size()) > MOST_WAITING_RECORDS) {
            paused.set(shard, 1);
            log.pause(shard);
        }
        int much = driver.isLive() ? records.size() : ShardThread.MUCH; // going live takes as long as there are clients
        threads.apply(shard).execute(much, () -> {
            try {
                driver.records(from, records);
            } finally {
                if (waiting.addAndGet(shard, -records.size()) == 0 && paused.compareAndSet(shard, 1, 0)) {
                    driver.readOn();
                }
            }
        });
    }
}
