package io.tributary.cluster.kafka.app;

import io.tributary.cluster.kafka.KafkaClients;
import io.tributary.cluster.kafka.KafkaRecorder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of Kafka's consumers, which reads the partitions of many feeds on one thread. A partition is held back only while
 * its feed is full, not while nobody waits for it: one that begins to be fetched would first wait for what is being
 * fetched of the others. Other threads leave the feeds that are to be looked at, and wake it up. Kafka's consumer
 * forgets no topic that it has read, so after many there is a new one.
 */
final class AppConsumer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AppConsumer.class);

    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final Supplier<org.apache.kafka.clients.consumer.Consumer<byte[], byte[]>> consumers;
    private final KafkaRecorder recorder;
    private final Consumer<AppFeed> onOutOfRange;
    private final Consumer<Throwable> onBroken;
    private final Duration closeTimeout;
    private final BlockingQueue<AppFeed> requested = new LinkedBlockingQueue<>();
    private final Thread thread;
    private volatile boolean closing;

    /** Replaced by the thread alone. */
    private volatile org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer;

    // Confined to the thread.
    private final Map<TopicPartition, AppFeed> feeds = new HashMap<>();
    /** What the consumer has read. */
    private final Set<String> topics = new HashSet<>();

    private boolean failing;

    /**
     * Starts it.
     *
     * @param consumers creates the first consumer, and each that replaces another: that is tried again when it fails
     * @param onOutOfRange told of a feed whose position is not in its partition; must not block
     */
    AppConsumer(
            Supplier<org.apache.kafka.clients.consumer.Consumer<byte[], byte[]>> consumers,
            String name,
            Duration closeTimeout,
            KafkaRecorder recorder,
            Consumer<AppFeed> onOutOfRange,
            Consumer<Throwable> onBroken) {
        this.recorder = recorder;
        this.onOutOfRange = onOutOfRange;
        this.onBroken = onBroken;
        this.closeTimeout = closeTimeout;
        this.consumers = consumers;
        this.consumer = consumers.get();
        this.thread = Thread.ofPlatform().name(name).daemon().start(this::run);
    }

    /** Something about the feed has changed; any thread. */
    void attend(AppFeed feed) {
        if (!feed.queued().getAndSet(true)) {
            requested.add(feed);
            if (!Thread.currentThread().equals(thread)) {
                consumer.wakeup();
            }
        }
    }

    /** Stops, in bounded time. Not on its thread. */
    @Override
    public void close() {
        closing = true;
        consumer.wakeup();
        thread.interrupt();
        try {
            thread.join(closeTimeout.plus(RETRY));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (!closing) {
                turn();
            }
        } catch (InterruptedException | RuntimeException | Error e) {
            if (!closing) {
                LOG.error("the topics of applications cannot be read any more", e);
                onBroken.accept(e);
            }
        } finally {
            Thread.interrupted(); // or closing would end at once
            consumer.close(CloseOptions.timeout(closeTimeout));
        }
    }

    private void turn() throws InterruptedException {
        try {
            if (KafkaClients.hasHadTooMany(topics.size(), feeds.size())) {
                replaceConsumer();
            }
            if (feeds.isEmpty()) {
                attendTo(List.of(requested.take()));
            }
            List<AppFeed> all = new ArrayList<>();
            requested.drainTo(all);
            attendTo(all);
            if (!feeds.isEmpty()) {
                handOut(consumer.poll(POLL));
                failing = false;
            }
        } catch (WakeupException e) {
            LOG.trace("woken up", e);
        } catch (InvalidOffsetException e) {
            for (TopicPartition partition : e.partitions()) {
                consumer.pause(List.of(partition));
                AppFeed feed = feeds.get(partition);
                if (feed != null && !feed.hasLostEnd(e)) {
                    onOutOfRange.accept(feed);
                }
            }
        } catch (org.apache.kafka.common.errors.InterruptException e) {
            throw e;
        } catch (RuntimeException e) {
            if (!failing) {
                failing = true;
                LOG.error("the topics of applications cannot be read; trying again", e);
            }
            recorder.onError();
            TimeUnit.NANOSECONDS.sleep(RETRY.toNanos());
        }
    }

    private void replaceConsumer() {
        org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> before = consumer;
        consumer = consumers.get();
        topics.clear();
        List<AppFeed> all = List.copyOf(feeds.values());
        feeds.clear();
        all.forEach(AppFeed::seekAgain);
        attendTo(all);
        before.close(CloseOptions.timeout(Duration.ZERO));
    }

    private void attendTo(List<AppFeed> changed) {
        if (changed.isEmpty()) {
            return;
        }
        Set<TopicPartition> left = new LinkedHashSet<>();
        for (AppFeed feed : changed) {
            feed.queued().set(false);
            AppFeed before = feeds.get(feed.partition());
            if (feed.hasEnded()) {
                feeds.remove(feed.partition(), feed);
            } else {
                feeds.put(feed.partition(), feed);
                topics.add(feed.partition().topic());
            }
            if (before != null && !before.equals(feeds.get(feed.partition()))) {
                left.add(feed.partition());
            }
        }
        if (!left.isEmpty()) { // nothing that was fetched for another feed is left
            Set<TopicPartition> staying = new LinkedHashSet<>(feeds.keySet());
            staying.removeAll(left);
            consumer.assign(staying);
        }
        if (!consumer.assignment().equals(feeds.keySet())) {
            consumer.assign(feeds.keySet());
        }
        for (AppFeed feed : changed) {
            if (feed.equals(feeds.get(feed.partition()))) {
                steer(feed);
            }
        }
    }

    private void steer(AppFeed feed) {
        long seek = feed.takeSeek();
        if (seek != AppFeed.NO_SEEK) {
            consumer.seek(feed.partition(), seek);
        }
        if (feed.isFull()) {
            consumer.pause(List.of(feed.partition()));
        } else {
            consumer.resume(List.of(feed.partition()));
        }
    }

    private void handOut(ConsumerRecords<byte[], byte[]> polled) {
        polled.nextOffsets().forEach((partition, next) -> {
            AppFeed feed = feeds.get(partition);
            if (feed == null) {
                return;
            }
            try {
                feed.take(polled.records(partition), next.offset());
            } catch (RuntimeException e) {
                LOG.error("the reader of {} failed; it begins anew", partition, e);
                recorder.onError();
                feed.endsByFailure(); // reading on would skip what it was given
            }
            if (feed.isFull()) {
                consumer.pause(List.of(partition));
            }
        });
    }
}
