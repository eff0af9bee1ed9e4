package io.tributary.cluster.kafka.app;

import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.persistence.app.AppTopics.AppRecord;
import io.tributary.persistence.app.AppTopics.Page;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a page for one client after the other from partitions that they share, at positions that their feeds have
 * passed. One consumer and one thread, which begins with the first read. As many reads wait as clients are behind. A
 * partition that cannot be read is left alone for a while, longer each time, and holds up no reads of others meanwhile.
 */
final class BacklogReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BacklogReader.class);

    /** A client that has no message among so many records is told how far it is. */
    private static final long MOST_SCANNED = 5000;

    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration ASK = Duration.ofSeconds(5);
    /** Of a partition that could not be read the last time: a server that is there answers sooner. */
    private static final Duration ASK_AGAIN = Duration.ofSeconds(1);

    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration LAST_RETRY = Duration.ofSeconds(10);

    private final Supplier<Consumer<byte[], byte[]>> consumers;
    private final KafkaRecorder recorder;
    private final java.util.function.Consumer<Throwable> onBroken;
    private final BlockingQueue<Wanted> queue = new DelayQueue<>();
    /** The partitions that could not be read; confined to the thread. */
    private final Map<TopicPartition, Failing> failing = new HashMap<>();

    private final Thread thread;
    private volatile boolean closing;

    /**
     * Starts it.
     *
     * @param consumers creates the consumer, and is asked again when that fails
     */
    BacklogReader(
            Supplier<Consumer<byte[], byte[]>> consumers,
            String name,
            KafkaRecorder recorder,
            java.util.function.Consumer<Throwable> onBroken) {
        this.consumers = consumers;
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
            thread.join(RETRY);
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
        Wanted wanted = queue.take();
        Consumer<byte[], byte[]> created;
        try {
            created = consumers.get();
        } catch (RuntimeException e) {
            tryAgain(wanted, RETRY, e);
            TimeUnit.NANOSECONDS.sleep(RETRY.toNanos());
            return;
        }
        try (Consumer<byte[], byte[]> consumer = created) {
            for (; !closing; wanted = queue.take()) {
                answer(consumer, wanted);
            }
        }
    }

    private void answer(Consumer<byte[], byte[]> consumer, Wanted wanted) {
        if (wanted.read.answer().isDone()) {
            return;
        }
        TopicPartition partition = wanted.feed.partition();
        Failing before = failing.get(partition);
        if (before != null && before.untilNanos - System.nanoTime() > 0) {
            queue.add(new Wanted(wanted.feed, wanted.read, before.untilNanos));
            return;
        }
        try {
            Page page = page(consumer, wanted, before == null ? ASK : ASK_AGAIN);
            failing.remove(partition);
            if (page.next() > wanted.read.from()) {
                wanted.read.complete(page);
            } else {
                read(wanted.feed, wanted.read); // Kafka does not give what it said is there
            }
        } catch (InterruptException e) {
            throw e;
        } catch (RuntimeException e) {
            Failing now = Failing.after(before);
            failing.put(partition, now);
            tryAgain(wanted, now.pause, e);
        }
    }

    private void tryAgain(Wanted wanted, Duration pause, RuntimeException failure) {
        LOG.warn("{} cannot be read; trying again in {} s", wanted.feed.partition(), pause.toSeconds(), failure);
        recorder.onError();
        queue.add(new Wanted(wanted.feed, wanted.read, System.nanoTime() + pause.toNanos()));
    }

    private static Page page(Consumer<byte[], byte[]> consumer, Wanted wanted, Duration ask) {
        TopicPartition partition = wanted.feed.partition();
        List<TopicPartition> alone = List.of(partition);
        AppRead read = wanted.read;
        consumer.assign(alone);
        long end = consumer.endOffsets(alone, ask).getOrDefault(partition, 0L);
        long begin = Math.max(read.from(), consumer.beginningOffsets(alone, ask).getOrDefault(partition, 0L));
        long next = begin;
        consumer.seek(partition, begin);
        AppRead.Filling filling = read.filling();
        while (next < end && next - begin < MOST_SCANNED) {
            try {
                var polled = consumer.poll(POLL);
                for (AppRecord record : wanted.feed.decode(polled.records(partition), null)) {
                    if (record.recipient().clientId().equals(read.clientId())) {
                        if (filling.isFull()) {
                            return filling.page(begin, filling.end());
                        }
                        filling.add(record);
                    }
                }
                if (consumer.position(partition) == next) {
                    break; // nothing came in time
                }
                next = consumer.position(partition);
            } catch (OffsetOutOfRangeException e) {
                LOG.debug("deleted meanwhile", e);
                break;
            }
        }
        return filling.page(begin, next);
    }

    /** A read of a feed, from a time on. */
    private record Wanted(AppFeed feed, AppRead read, long fromNanos) implements Delayed {
        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(fromNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(fromNanos - ((Wanted) other).fromNanos, 0);
        }
    }

    /** That a partition could not be read, and until when it is left alone. */
    private record Failing(Duration pause, long untilNanos) {
        static Failing after(@Nullable Failing before) {
            Duration pause = before == null ? RETRY : before.pause.multipliedBy(2);
            Duration bounded = pause.compareTo(LAST_RETRY) > 0 ? LAST_RETRY : pause;
            return new Failing(bounded, System.nanoTime() + bounded.toNanos());
        }
    }
}
