package io.tributary.cluster.kafka.app;

import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.persistence.app.AppTopics.AppRecord;
import io.tributary.persistence.app.AppTopics.Page;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** The feed of a client's own topic: one reader, whose position the window follows. */
final class OwnFeed extends AppFeed {
    private static final int WINDOW_RECORDS = 500;
    private static final long WINDOW_BYTES = 256 * 1024;

    private final String owner;

    // Guarded by this.
    private @Nullable AppRead waiting;
    private boolean full;

    /** @param attention told of the feed when the consumer has to look at it; any thread */
    OwnFeed(
            TopicPartition partition,
            String owner,
            LostEnds lostEnds,
            ReadAhead readAhead,
            KafkaRecorder recorder,
            Consumer<AppFeed> attention) {
        super(partition, lostEnds, readAhead, recorder, attention);
        this.owner = owner;
    }

    @Override
    boolean read(AppRead read) {
        AppRead before;
        Page page;
        boolean attend;
        synchronized (this) {
            if (!use()) {
                return false;
            }
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
            attend();
        }
        return true;
    }

    @Override
    void take(List<ConsumerRecord<byte[], byte[]>> polled, long nextPosition) {
        List<AppRecord> records = decode(polled, owner);
        AppRead read;
        Page page;
        synchronized (this) {
            if (isPast()) {
                return;
            }
            records.forEach(this::add);
            next = nextPosition;
            read = waiting;
            page = takePage();
            updateFull();
        }
        if (read != null) {
            answer(read, page);
        }
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
            if (hasEnded() || read == null) {
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
            attend();
        }
    }

    @Override
    void outOfRange(long first, long end) {
        boolean isBehindEnd;
        synchronized (this) {
            if (isPast()) {
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
            seek(next);
        }
        if (isBehindEnd) {
            endsBefore(end);
        }
        attend();
    }

    @Override
    List<AppRead> takeWaiting() {
        List<AppRead> left = waiting == null ? List.of() : List.of(waiting);
        waiting = null;
        return left;
    }

    @Override
    boolean isAwaited() {
        return waiting != null;
    }

    /** Makes the window begin at the position; whether the consumer has to go elsewhere for that. */
    private boolean moveTo(long position) {
        if (begin != NO_SEEK && position >= begin && position <= next) {
            while (!window.isEmpty() && window.peek().position() < position) {
                removeOldest();
            }
            begin = position;
            return false;
        }
        clear();
        begin = position;
        seek(position);
        return true;
    }

    /** What there is for the read that waits, which waits no more then; or null. */
    private @Nullable Page takePage() {
        if (waiting == null || id() == null || begin == next) {
            return null;
        }
        AppRead.Filling filling = waiting.filling();
        while (!window.isEmpty() && !filling.isFull()) {
            filling.add(removeOldest());
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
            full = window.size() > WINDOW_RECORDS / 2 || windowBytes() > WINDOW_BYTES / 2 || tooMuch;
        } else {
            full = window.size() >= WINDOW_RECORDS || windowBytes() >= WINDOW_BYTES || tooMuch;
        }
        return before && !full;
    }

    @Override
    void clear() {
        super.clear();
        full = false;
    }

    private synchronized void forget(AppRead read) {
        if (read.equals(waiting)) {
            waiting = null;
        }
    }

    private static void answer(AppRead read, @Nullable Page page) {
        if (page != null) {
            read.complete(page);
        }
    }
}
