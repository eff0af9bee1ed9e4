package io.tributary.cluster.reshard;

import io.tributary.common.event.EventCodec;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.ShardEvent;
import io.tributary.persistence.shard.ShardLog;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The logs of the new generation while they get their first records. For one thread, which waits for room. */
final class NewLog {
    private final ShardLog log;
    private final long[] last; // guarded by this, as all that follows
    private long underWay;
    private @Nullable Throwable failed;

    NewLog(ShardLog log) {
        this.log = log;
        last = new long[log.shardCount()];
    }

    void append(int shard, ShardEvent event) {
        byte[] value = EventCodec.encode(event, RecordFormat.NEWEST);
        synchronized (this) {
            check();
            underWay++;
        }
        while (!log.append(shard, value, (offset, failure) -> appended(shard, offset, failure))) {
            awaitRoom();
        }
    }

    private synchronized void appended(int shard, long offset, @Nullable Throwable failure) {
        if (failure == null) {
            last[shard] = offset;
        } else {
            failed = failure;
        }
        underWay--;
        notifyAll();
    }

    private void awaitRoom() {
        CountDownLatch room = new CountDownLatch(1);
        log.onRoom(room::countDown);
        try {
            if (!room.await(Answers.LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw Answers.late(null);
            }
        } catch (InterruptedException e) {
            throw Answers.interrupted(e);
        }
    }

    /** Waits until Kafka has all of it; for as long as Kafka takes some. */
    synchronized void await() {
        try {
            while (underWay > 0) {
                long before = underWay;
                long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Answers.LIMIT_SECONDS);
                while (underWay == before) {
                    long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                    if (left <= 0) {
                        throw Answers.late(null);
                    }
                    wait(left);
                }
            }
        } catch (InterruptedException e) {
            throw Answers.interrupted(e);
        }
        check();
    }

    private synchronized void check() {
        if (failed != null) {
            throw new ReshardException("a log of the new shards takes no record: " + failed, failed);
        }
    }

    /** The offset of the last record of a shard, of all that {@link #await} has waited for. */
    synchronized long last(int shard) {
        return last[shard];
    }
}
