package io.tributary.cluster.kafka.shard;

import static io.tributary.persistence.contract.Waiting.LIMIT;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.persistence.contract.RecordingReader;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Appends numbers to one shard on a thread of its own, and checks that the log has exactly those, in their order. */
public final class NumberedAppends {
    private static final int WINDOW = 500;

    private final ShardLog log;
    private final int shard;
    private final List<Long> offsets = Collections.synchronizedList(new ArrayList<>());
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final Semaphore window = new Semaphore(WINDOW);
    private final AtomicInteger accepted = new AtomicInteger();
    private volatile boolean stopping;
    private final Thread thread;

    /** Begins to append. */
    public NumberedAppends(ShardLog log, int shard) {
        this.log = log;
        this.shard = shard;
        this.thread = Thread.ofPlatform().start(this::run);
    }

    /** How many appends have been accepted. */
    public int accepted() {
        return accepted.get();
    }

    /** How many appends are durable. */
    public int appended() {
        return offsets.size();
    }

    /** Ends appending and waits until all that was accepted is durable. */
    public void finish() throws InterruptedException {
        stopping = true;
        thread.join();
        until(() -> offsets.size() + failures.size() == accepted());
        assertThat(failures).isEmpty();
    }

    /** What was accepted is in the log, once and in order, and nothing else. */
    public void checkRead(RecordingReader reader) {
        until(() -> reader.count(shard) >= accepted());
        List<String> expected =
                IntStream.range(0, accepted()).mapToObj(Integer::toString).toList();
        assertThat(reader.texts(shard)).isEqualTo(expected);
        assertThat(reader.records(shard)).extracting(LogRecord::offset).isEqualTo(new ArrayList<>(offsets));
    }

    private void run() {
        try {
            while (!stopping) {
                if (window.tryAcquire(100, TimeUnit.MILLISECONDS)) {
                    append(Integer.toString(accepted.get()));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void append(String text) throws InterruptedException {
        while (!log.append(shard, text.getBytes(StandardCharsets.UTF_8), this::appended)) {
            CountDownLatch room = new CountDownLatch(1);
            log.onRoom(room::countDown);
            assertThat(room.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
        accepted.incrementAndGet();
    }

    private void appended(long offset, @Nullable Throwable failure) {
        if (failure == null) {
            offsets.add(offset);
        } else {
            failures.add(failure);
        }
        window.release();
    }
}
