package io.tributary.cluster.kafka.app;

import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.app.AppAdmin.Bounds;
import io.tributary.persistence.app.AppTopics.AppRecord;
import io.tributary.persistence.app.AppTopics.Page;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a page for one client after the other from partitions that they share, at positions that their feeds have
 * passed. One consumer and one thread, which begins with the first read. As many reads wait as clients are behind.
 * Where partitions begin and end is asked for all of them at once, however long that takes; the thread reads from those
 * of which it is known. A partition that cannot be read is left alone for a while, longer each time.
 */
final class BacklogReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BacklogReader.class);

    /** A client that has no message among so many records is told how far it is. */
    private static final long MOST_SCANNED = 5000;

    private static final Duration POLL = Duration.ofMillis(100);
    /** From a partition that has given nothing in time, records may need longer. */
    private static final Duration LAST_POLL = Duration.ofSeconds(1);

    private static final Duration CREATE_AGAIN = Duration.ofSeconds(1);
    private static final Duration RETRY = Duration.ofMillis(200);
    private static final Duration LAST_RETRY = Duration.ofSeconds(10);

    private final Supplier<Consumer<byte[], byte[]>> consumers;
    private final Function<TopicPartition, CompletableFuture<Bounds>> bounds;
    private final KafkaRecorder recorder;
    private final java.util.function.Consumer<Throwable> onBroken;
    private final BlockingQueue<Step> queue = new DelayQueue<>();

    // Confined to the thread.
    private final Map<TopicPartition, Patience> patience = new HashMap<>();
    /** What waits to be told where its partition begins and ends. */
    private final Map<TopicPartition, List<Wanted>> asking = new HashMap<>();

    private final Thread thread;
    private volatile boolean closing;

    /**
     * Starts it.
     *
     * @param consumers creates the consumer, and is asked again when that fails
     * @param bounds where a partition begins and ends; must not block
     */
    BacklogReader(
            Supplier<Consumer<byte[], byte[]>> consumers,
            Function<TopicPartition, CompletableFuture<Bounds>> bounds,
            String name,
            KafkaRecorder recorder,
            java.util.function.Consumer<Throwable> onBroken) {
        this.consumers = consumers;
        this.bounds = bounds;
        this.recorder = recorder;
        this.onBroken = onBroken;
        this.thread = Thread.ofPlatform().name(name).daemon().start(this::run);
    }

    /** Answers the read of the feed; any thread. */
    void read(AppFeed feed, AppRead read) {
        queue.add(new Wanted(feed, read, System.nanoTime()));
    }

    @Override
    public void close() {
        closing = true;
        thread.interrupt();
        try {
            thread.join(CREATE_AGAIN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (!closing) {
                serve();
            }
        } catch (InterruptedException | InterruptException e) {
            LOG.debug("closed", e);
        } catch (RuntimeException | Error e) {
            if (!closing) {
                LOG.error("clients that share a topic cannot catch up any more", e);
                onBroken.accept(e);
            }
        }
    }

    private void serve() throws InterruptedException {
        Step step = queue.take();
        Consumer<byte[], byte[]> created;
        try {
            created = consumers.get();
        } catch (RuntimeException e) {
            queue.add(step);
            LOG.warn("clients that share a topic cannot catch up; trying again", e);
            recorder.onError();
            TimeUnit.NANOSECONDS.sleep(CREATE_AGAIN.toNanos());
            return;
        }
        try (Consumer<byte[], byte[]> consumer = created) {
            for (; !closing; step = queue.take()) {
                switch (step) {
                    case Wanted wanted -> ask(wanted);
                    case Told told -> answer(consumer, told);
                }
            }
        }
    }

    private void ask(Wanted wanted) {
        TopicPartition partition = wanted.feed.partition();
        long untilNanos = patienceWith(partition).untilNanos;
        if (wanted.read.answer().isDone()) {
            return;
        }
        if (untilNanos - System.nanoTime() > 0) {
            queue.add(new Wanted(wanted.feed, wanted.read, untilNanos));
            return;
        }
        List<Wanted> others = asking.get(partition);
        if (others != null) {
            others.add(wanted);
            return;
        }
        asking.put(partition, new ArrayList<>(List.of(wanted)));
        CompletableFuture<?> _ = bounds.apply(partition)
                .whenComplete((found, failure) -> queue.add(new Told(partition, found, failure, System.nanoTime())));
    }

    private void answer(Consumer<byte[], byte[]> consumer, Told told) {
        List<Wanted> all = Objects.requireNonNull(asking.remove(told.partition));
        Bounds found = told.bounds;
        if (found == null) {
            failed(told.partition, all, told.failure);
            return;
        }
        for (int i = 0; i < all.size(); i++) {
            Wanted wanted = all.get(i);
            try {
                if (!isAnswered(consumer, wanted, found)) {
                    failed(told.partition, all.subList(i, all.size()), null);
                    return;
                }
            } catch (InterruptException e) {
                throw e;
            } catch (RuntimeException e) {
                failed(told.partition, all.subList(i, all.size()), e);
                return;
            }
        }
    }

    private boolean isAnswered(Consumer<byte[], byte[]> consumer, Wanted wanted, Bounds found) {
        if (wanted.read.answer().isDone()) {
            return true;
        }
        TopicPartition partition = wanted.feed.partition();
        Patience before = patienceWith(partition);
        Page page = page(consumer, wanted, found, before.poll);
        if (page.next() <= wanted.read.from()) {
            return false; // Kafka does not give what it said is there
        }
        patience.put(partition, before.over());
        wanted.read.complete(page);
        return true;
    }

    private Patience patienceWith(TopicPartition partition) {
        return patience.getOrDefault(partition, Patience.FIRST);
    }

    private void failed(TopicPartition partition, List<Wanted> all, @Nullable Throwable failure) {
        Patience now = patienceWith(partition).failed();
        patience.put(partition, now);
        if (failure != null) {
            LOG.warn("{} cannot be read; trying again in {} ms", partition, now.pause.toMillis(), failure);
            recorder.onError();
        }
        for (int i = 0; i < all.size(); i++) { // the others before the one that was not answered
            Wanted wanted = all.get(i);
            queue.add(new Wanted(wanted.feed, wanted.read, now.untilNanos + all.size() - i));
        }
    }

    private static Page page(Consumer<byte[], byte[]> consumer, Wanted wanted, Bounds found, Duration poll) {
        TopicPartition partition = wanted.feed.partition();
        AppRead read = wanted.read;
        long begin = Math.max(read.from(), found.begin());
        long next = begin;
        consumer.assign(List.of(partition));
        consumer.seek(partition, begin);
        AppRead.Filling filling = read.filling();
        while (next < found.end() && next - begin < MOST_SCANNED) {
            try {
                var polled = consumer.poll(poll);
                for (AppRecord record : wanted.feed.decode(polled.records(partition), null)) {
                    if (record.recipient().clientId().equals(read.clientId())) {
                        if (filling.isFull()) {
                            return filling.page(begin, filling.end());
                        }
                        filling.add(record);
                    }
                }
                OffsetAndMetadata reached = polled.nextOffsets().get(partition);
                if (reached == null) {
                    break; // nothing came in time
                }
                next = reached.offset();
            } catch (OffsetOutOfRangeException e) {
                LOG.debug("deleted meanwhile", e);
                break;
            }
        }
        return filling.page(begin, next);
    }

    /** What the thread does next, from a time on. */
    private sealed interface Step extends Delayed {
        long fromNanos();

        @Override
        default long getDelay(TimeUnit unit) {
            return unit.convert(fromNanos() - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        default int compareTo(Delayed other) {
            return Long.compare(fromNanos() - ((Step) other).fromNanos(), 0);
        }
    }

    /** A read of a feed. */
    private record Wanted(AppFeed feed, AppRead read, long fromNanos) implements Step {}

    /**
     * Kafka has answered.
     *
     * @param bounds null when it does not tell
     */
    private record Told(
            TopicPartition partition,
            @Nullable Bounds bounds,
            @Nullable Throwable failure,
            long fromNanos) implements Step {}

    /**
     * How long a partition is waited for.
     *
     * @param pause how long it is left alone since the last failure
     * @param poll how long records are waited for: as long as it took the last time
     * @param untilNanos until when it is left alone
     */
    private record Patience(Duration pause, Duration poll, long untilNanos) {
        private static final Patience FIRST = new Patience(Duration.ZERO, POLL, System.nanoTime());

        Patience failed() {
            Duration longer = pause.isZero() ? RETRY : atMost(LAST_RETRY, pause.multipliedBy(2));
            return new Patience(longer, atMost(LAST_POLL, poll.multipliedBy(2)), System.nanoTime() + longer.toNanos());
        }

        Patience over() {
            return new Patience(Duration.ZERO, poll, untilNanos);
        }

        private static Duration atMost(Duration most, Duration wanted) {
            return wanted.compareTo(most) > 0 ? most : wanted;
        }
    }
}
