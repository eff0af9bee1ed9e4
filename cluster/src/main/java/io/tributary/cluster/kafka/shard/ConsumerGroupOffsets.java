package io.tributary.cluster.kafka.shard;

import io.tributary.cluster.kafka.KafkaRecorder;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the group how far its shards are, now and then, for operators that watch its lag, and for {@link ShardLags} of
 * other nodes. Offsets that stay as they are, too: Kafka forgets those that nobody has committed for days. Offsets come
 * from any thread, all else is confined to the polling thread.
 */
final class ConsumerGroupOffsets {
    private static final Logger LOG = LoggerFactory.getLogger(ConsumerGroupOffsets.class);
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    /** Kafka keeps offsets for a week, unless its {@code offsets.retention.minutes} says otherwise. */
    private static final Duration RENEWAL = Duration.ofHours(1);

    private final Consumer<byte[], byte[]> consumer;
    private final ShardCursor[] cursors;
    private final KafkaRecorder recorder;
    private final AtomicLongArray noted;
    /** The offset that Kafka has, or is being told. */
    private final long[] committed;

    private final LongSupplier nanoTime;
    private long lastNanos;
    private long renewedNanos;

    ConsumerGroupOffsets(
            Consumer<byte[], byte[]> consumer, ShardCursor[] cursors, KafkaRecorder recorder, LongSupplier nanoTime) {
        this.consumer = consumer;
        this.cursors = cursors;
        this.recorder = recorder;
        this.nanoTime = nanoTime;
        this.lastNanos = nanoTime.getAsLong();
        this.renewedNanos = lastNanos;
        this.noted = new AtomicLongArray(cursors.length);
        this.committed = new long[cursors.length];
    }

    /** Everything below the offset is done with; any thread. */
    void note(int shard, long offset) {
        noted.set(shard, offset);
    }

    /** The latest offset that was noted for a shard, 0 for none. */
    long notedOf(int shard) {
        return noted.get(shard);
    }

    /** The shard becomes this node's: what was noted when it was before is not told again, others are further. */
    void begin(int shard) {
        noted.set(shard, 0);
        committed[shard] = 0;
    }

    void commitIfDue() {
        long now = nanoTime.getAsLong();
        if (now - lastNanos < INTERVAL.toNanos()) {
            return;
        }
        if (now - renewedNanos >= RENEWAL.toNanos()) {
            renewedNanos = now;
            Arrays.fill(committed, 0);
        }
        commitNow();
    }

    /** Sends the offsets of assigned shards that have changed, without waiting for the answer. */
    void commitNow() {
        lastNanos = nanoTime.getAsLong();
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (ShardCursor cursor : cursors) {
            long offset = noted.get(cursor.shard());
            if (cursor.isAssigned() && offset != committed[cursor.shard()]) {
                committed[cursor.shard()] = offset;
                offsets.put(cursor.partition(), new OffsetAndMetadata(offset));
            }
        }
        if (!offsets.isEmpty()) {
            commit(offsets);
        }
    }

    /** A failure, such as a right that was taken away, is no reason not to read. */
    private void commit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        try {
            consumer.commitAsync(offsets, this::ended);
        } catch (RuntimeException e) {
            ended(offsets, e);
        }
    }

    private void ended(Map<TopicPartition, OffsetAndMetadata> tried, @Nullable Exception failure) {
        if (failure != null) {
            LOG.debug("the group's offsets are not committed", failure);
            recorder.onError();
            tried.forEach((partition, offset) -> tryAgain(partition.partition(), offset.offset()));
        }
    }

    /** With the next ones, unless something later is on its way. */
    private void tryAgain(int shard, long offset) {
        if (committed[shard] == offset) {
            committed[shard] = 0;
        }
    }
}
