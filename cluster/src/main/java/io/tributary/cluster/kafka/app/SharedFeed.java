package io.tributary.cluster.kafka.app;

import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.persistence.app.AppTopics.AppRecord;
import io.tributary.persistence.app.AppTopics.Page;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The feed of a partition that several clients share: its window slides along the end of the partition, for all readers
 * that are there. A read from before the window is a {@link BacklogReader}'s.
 */
final class SharedFeed extends AppFeed {
    private static final int WINDOW_RECORDS = 2000;
    private static final long WINDOW_BYTES = 1024 * 1024;
    /** A reader whose next message is further away is told to move on meanwhile. */
    private static final long FAR = 500;

    private final BacklogReader catchUp;
    private final Map<String, AppRead> waiting = new HashMap<>(); // guarded by this

    /** @param attention told of the feed when the consumer has to look at it; any thread */
    SharedFeed(
            TopicPartition partition,
            LostEnds lostEnds,
            ReadAhead readAhead,
            BacklogReader catchUp,
            KafkaRecorder recorder,
            Consumer<AppFeed> attention) {
        super(partition, lostEnds, readAhead, recorder, attention);
        this.catchUp = catchUp;
    }

    /** The partition ends here: from now on its records are read. */
    void open(long end) {
        outOfRange(end, end);
    }

    @Override
    void identify(String newId) {
        super.identify(newId);
        List<AppRead> others;
        synchronized (this) {
            others = waiting.values().stream()
                    .filter(read -> read.isOfAnother(newId))
                    .toList();
        }
        others.forEach(read -> read.fail(IS_ANOTHER));
    }

    @Override
    boolean read(AppRead read) {
        AppRead before;
        Page page;
        boolean behind;
        synchronized (this) {
            if (!use()) {
                return false;
            }
            before = waiting.put(read.clientId(), read);
            behind = begin != NO_SEEK && read.from() < begin;
            page = behind ? null : pageOf(read, window);
        }
        if (before != null) {
            before.fail("another read of the messages of " + GroupIdentifier.display(read.clientId()) + " came");
        }
        CompletableFuture<?> _ = read.answer().whenComplete((value, failure) -> forget(read));
        if (page != null) {
            read.complete(page);
        } else if (behind) {
            catchUp.read(this, read);
        }
        return true;
    }

    @Override
    void take(List<ConsumerRecord<byte[], byte[]>> polled, long nextPosition) {
        List<AppRecord> records = decode(polled, null);
        Map<String, List<AppRecord>> byClient = records.stream()
                .collect(Collectors.groupingBy(record -> record.recipient().clientId()));
        Map<AppRead, @Nullable Page> pages = new HashMap<>();
        synchronized (this) {
            if (isPast()) {
                return;
            }
            List<AppRead> within = waiting.values().stream()
                    .filter(read -> read.from() >= begin)
                    .toList();
            records.forEach(this::add);
            next = nextPosition;
            // What was in the window before is for none of those that wait.
            within.forEach(read -> pages.put(read, pageOf(read, byClient.getOrDefault(read.clientId(), List.of()))));
            slide();
            pages.replaceAll((read, page) -> page == null && read.from() < begin ? nothing(read) : page);
        }
        pages.forEach((read, page) -> {
            if (page != null) {
                read.complete(page);
            }
        });
    }

    @Override
    boolean isFull() {
        return false;
    }

    @Override
    void outOfRange(long first, long end) {
        List<AppRead> behind = new ArrayList<>();
        boolean isShorter;
        synchronized (this) {
            if (isPast()) {
                return;
            }
            isShorter = begin != NO_SEEK && next > end;
            clear();
            begin = end;
            seek(end);
            for (AppRead read : waiting.values()) {
                if (read.from() < begin) {
                    behind.add(read);
                }
            }
        }
        if (isShorter) {
            endsBefore(end);
        } else {
            behind.forEach(read -> catchUp.read(this, read));
        }
        attend();
    }

    @Override
    List<AppRead> takeWaiting() {
        List<AppRead> left = List.copyOf(waiting.values());
        waiting.clear();
        return left;
    }

    @Override
    boolean isAwaited() {
        return !waiting.isEmpty();
    }

    /** Ends one client's read. */
    void release(String clientId, String reason) {
        AppRead read;
        synchronized (this) {
            read = waiting.remove(clientId);
        }
        if (read != null) {
            read.fail(reason);
        }
    }

    /**
     * What the records have for a read that is not behind the window; null when nothing, and the read is not far from
     * the end.
     */
    private @Nullable Page pageOf(AppRead read, Collection<AppRecord> records) {
        AppRead.Filling filling = read.filling();
        for (AppRecord record : records) {
            if (record.position() >= read.from()
                    && record.recipient().clientId().equals(read.clientId())) {
                if (filling.isFull()) {
                    return filling.page(read.from(), filling.end());
                }
                filling.add(record);
            }
        }
        boolean worthwhile = !filling.isEmpty() || (begin != NO_SEEK && next - read.from() >= FAR);
        return worthwhile ? filling.page(read.from(), Math.max(next, read.from())) : null;
    }

    /** The reader has no message in the window, and is to move on. */
    private Page nothing(AppRead read) {
        return read.filling().page(read.from(), next);
    }

    private void slide() {
        while (window.size() > WINDOW_RECORDS || windowBytes() > WINDOW_BYTES) {
            begin = removeOldest().position() + 1;
        }
    }

    private synchronized void forget(AppRead read) {
        waiting.remove(read.clientId(), read);
    }
}
