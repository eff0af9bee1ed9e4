package io.tributary.persistence.kafka.app;

import io.tributary.persistence.app.AppTopics.AppRecord;
import io.tributary.persistence.app.AppTopics.Page;
import io.tributary.persistence.kafka.KafkaRecorder;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** The feed of a client's own topic: one reader, whose position the window follows. */
final class OwnFeed extends AppFeed {
    private static final int WINDOW_RECORDS = 500;
    private static final long WINDOW_BYTES = 256 * 1024;
    private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String owner;
    private final ReadAhead readAhead;
    private final Consumer<AppFeed> attention;

    // Guarded by this.
    private final ArrayDeque<AppRecord> window = new ArrayDeque<>();
    private long windowBytes;
    /** What the reader has not got begins here. */
    private long begin = NO_SEEK;
    /** The position that the consumer reads next. */
    private long next;

    private long seek = NO_SEEK;
    private @Nullable AppRead waiting;
    private boolean full;
    private boolean ended;
    private long usedNanos = System.nanoTime();

    /** @param attention told of the feed when the consumer has to look at it; any thread */
    OwnFeed(
            TopicPartition partition,
            String owner,
            ReadAhead readAhead,
            KafkaRecorder recorder,
            Consumer<AppFeed> attention) {
        super(partition, recorder);
        this.owner = owner;
        this.readAhead = readAhead;
        this.attention = attention;
    }

    @Override
    boolean read(AppRead read) {
        AppRead before;
        Page page;
        boolean attend;
        synchronized (this) {
            if (ended) {
                return false;
            }
            usedNanos = System.nanoTime();
            before = waiting;
            waiting = read;
            attend = moveTo(read.from());
            page = takePage();
            attend |= updateFull();
        }
        if (before != null) {
            before.fail("another read of the topic of " + owner + " came");
        }
        answer(read, page);
        if (page == null) {
            CompletableFuture<?> _ = read.answer().whenComplete((value, failure) -> forget(read));
        }
        if (attend) {
            attention.accept(this);
        }
        return true;
    }

    @Override
    void take(List<ConsumerRecord<byte[], byte[]>> polled) {
        List<AppRecord> records = decode(polled, owner);
        AppRead read;
        Page page;
        synchronized (this) {
            if (ended || seek != NO_SEEK) {
                return; // from where it was before
            }
            for (AppRecord record : records) {
                window.add(record);
                count(record, 1);
            }
            next = polled.getLast().offset() + 1;
            read = waiting;
            page = takePage();
            updateFull();
        }
        if (read != null) {
            answer(read, page);
        }
    }

    @Override
    synchronized long takeSeek() {
        long to = seek;
        seek = NO_SEEK;
        return to;
    }

    @Override
    synchronized boolean isFull() {
        return full;
    }

    @Override
    void identify(String newId) {
        AppRead read;
        Page page;
        boolean attend;
        synchronized (this) {
            super.identify(newId);
            read = waiting;
            if (ended || read == null) {
                return;
            }
            if (read.isOfAnother(newId)) {
                waiting = null;
            }
            page = takePage();
            attend = updateFull();
        }
        if (read.isOfAnother(newId)) {
            read.fail(IS_ANOTHER);
        } else {
            answer(read, page);
        }
        if (attend) {
            attention.accept(this);
        }
    }

    @Override
    void outOfRange(long first, long end) {
        boolean isBehindEnd;
        synchronized (this) {
            if (ended || seek != NO_SEEK) {
                return;
            }
            if (next < first) {
                // Nothing is in the window: what was read before it has been deleted, too, or handed out.
                if (window.isEmpty()) {
                    begin = first;
                }
                next = first;
            }
            isBehindEnd = next > end;
            seek = next;
        }
        if (isBehindEnd) {
            end(partition() + " ends before what was read of it");
        }
        attention.accept(this);
    }

    @Override
    boolean endIfIdle(long nowNanos) {
        synchronized (this) {
            if (waiting != null || nowNanos - usedNanos < IDLE_NANOS) {
                return false;
            }
        }
        end("nobody reads");
        return true;
    }

    @Override
    void end(String reason) {
        AppRead read;
        synchronized (this) {
            ended = true;
            clear();
            read = waiting;
            waiting = null;
        }
        if (read != null) {
            read.fail(reason);
        }
    }

    @Override
    synchronized boolean hasEnded() {
        return ended;
    }

    /** Makes the window begin at the position; whether the consumer has to go elsewhere for that. */
    private boolean moveTo(long position) {
        if (begin != NO_SEEK && position >= begin && position <= next) {
            while (!window.isEmpty() && window.peek().position() < position) {
                count(window.remove(), -1);
            }
            begin = position;
            return false;
        }
        clear();
        begin = position;
        next = position;
        seek = position;
        return true;
    }

    /** What there is for the read that waits, which waits no more then; or null. */
    private @Nullable Page takePage() {
        if (waiting == null || id() == null || begin == next) {
            return null;
        }
        AppRead.Filling filling = waiting.filling();
        while (!window.isEmpty() && !filling.isFull()) {
            AppRecord record = window.remove();
            count(record, -1);
            filling.add(record);
        }
        long from = begin;
        begin = window.isEmpty() ? next : filling.end();
        waiting = null;
        return filling.page(from, begin);
    }

    /** Sees whether the consumer is to hold back; whether it may go on now after it did. */
    private boolean updateFull() {
        boolean before = full;
        boolean tooMuch = readAhead.isExceeded() && !window.isEmpty();
        if (full) {
            full = window.size() > WINDOW_RECORDS / 2 || windowBytes > WINDOW_BYTES / 2 || tooMuch;
        } else {
            full = window.size() >= WINDOW_RECORDS || windowBytes >= WINDOW_BYTES || tooMuch;
        }
        return before && !full;
    }

    private void clear() {
        window.clear();
        readAhead.add(-windowBytes);
        windowBytes = 0;
        full = false;
    }

    private void count(AppRecord record, int sign) {
        long bytes = sign * (long) record.message().sizeBytes();
        windowBytes += bytes;
        readAhead.add(bytes);
    }

    private synchronized void forget(AppRead read) {
        if (waiting == read) {
            waiting = null;
        }
    }

    private static void answer(AppRead read, @Nullable Page page) {
        if (page != null) {
            read.complete(page);
        }
    }
}
