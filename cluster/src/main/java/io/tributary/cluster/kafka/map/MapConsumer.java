package io.tributary.cluster.kafka.map;

import io.tributary.cluster.kafka.ClientProperties;
import io.tributary.cluster.kafka.KafkaClients;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the topics of all maps that are followed, from their beginnings, and hands out what is in them, on one thread.
 */
final class MapConsumer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MapConsumer.class);

    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration LOG_INTERVAL = Duration.ofSeconds(3);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final KafkaRecorder recorder;
    private final Consumer<Throwable> onBroken;
    private final Duration closeTimeout;
    private final Thread thread;
    /** Tasks of the thread between polls: as many as maps are opened and closed. */
    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

    private volatile boolean closing;

    // Confined to the thread.
    private final Map<TopicPartition, KafkaReplicatedMap> followed = new HashMap<>();
    private long loggedNanos = System.nanoTime();

    MapConsumer(KafkaConfig config, String clientId, KafkaRecorder recorder, Consumer<Throwable> onBroken) {
        this.recorder = recorder;
        this.onBroken = onBroken;
        this.closeTimeout = config.appends().closeTimeout();
        this.consumer = KafkaClients.consumer(config, ClientProperties.mapConsumer(config, clientId));
        this.thread = Thread.ofPlatform().name(clientId + "-follower").daemon().start(this::run);
    }

    /** Reads the map's topic from its beginning; any thread. */
    void follow(KafkaReplicatedMap map) {
        submit(() -> {
            followed.put(map.partition(), map);
            consumer.assign(followed.keySet());
            consumer.seekToBeginning(List.of(map.partition()));
        });
    }

    /** Any thread; a batch may still be handed out. */
    void unfollow(KafkaReplicatedMap map) {
        submit(() -> {
            if (followed.remove(map.partition(), map)) {
                consumer.assign(followed.keySet());
            }
        });
    }

    /** Stops, in bounded time. Not on the follower's thread. */
    @Override
    public void close() {
        closing = true;
        submit(() -> {});
        try {
            thread.join(closeTimeout.plus(RETRY));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void submit(Runnable task) {
        tasks.add(task);
        consumer.wakeup();
    }

    private void run() {
        try {
            while (!closing) {
                turn();
            }
            consumer.close(CloseOptions.timeout(closeTimeout));
        } catch (InterruptedException | RuntimeException | Error e) {
            LOG.error("the maps cannot be followed any more", e);
            if (!closing) {
                onBroken.accept(e);
            }
        }
    }

    private void turn() throws InterruptedException {
        try {
            if (followed.isEmpty()) {
                tasks.take().run();
            }
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
            if (!followed.isEmpty()) {
                handOut(consumer.poll(POLL));
            }
        } catch (WakeupException e) {
            LOG.trace("woken up", e);
        } catch (InvalidOffsetException e) {
            e.partitions().forEach(this::wentBack);
        } catch (RuntimeException e) {
            LOG.error("the maps cannot be read; trying again", e);
            recorder.onError();
            TimeUnit.NANOSECONDS.sleep(RETRY.toNanos());
        }
    }

    /** Kafka has not got what was read last, or has something else in its place. */
    private void wentBack(TopicPartition partition) {
        KafkaReplicatedMap map = followed.remove(partition);
        consumer.assign(followed.keySet());
        if (map != null) {
            map.wentBack();
        }
    }

    private void handOut(ConsumerRecords<byte[], byte[]> polled) {
        for (TopicPartition partition : polled.partitions()) {
            KafkaReplicatedMap map = followed.get(partition);
            if (map != null) {
                map.changed(polled.records(partition));
            }
        }
        recorder.onRecords(polled.count());
        polled.nextOffsets().forEach((partition, next) -> {
            KafkaReplicatedMap map = followed.get(partition);
            if (map != null) {
                map.reached(next.offset());
                logProgress(map, next.offset());
            }
        });
    }

    private void logProgress(KafkaReplicatedMap map, long position) {
        if (position < map.knownEnd() && System.nanoTime() - loggedNanos >= LOG_INTERVAL.toNanos()) {
            loggedNanos = System.nanoTime();
            LOG.info("map {}: replayed {} of {} records", map.name(), position, map.knownEnd());
        }
    }
}
