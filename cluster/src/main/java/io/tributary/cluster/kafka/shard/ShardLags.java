package io.tributary.cluster.kafka.shard;

import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.common.time.LineAMinute;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntToLongFunction;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which shards, of any owner, have records that are older than half of the time for which the log keeps them, and are
 * not applied yet: the group's committed offset is before the first record that is younger. Asks Kafka now and then.
 * All but {@link #lagging} is confined to the polling thread.
 */
final class ShardLags {
    private static final Logger LOG = LoggerFactory.getLogger(ShardLags.class);
    private static final Duration ASK = Duration.ofSeconds(1);
    private static final int LOOKS_A_RETENTION = 100;
    private static final Duration LONGEST_PERIOD = Duration.ofMinutes(1);

    private final Consumer<byte[], byte[]> consumer;
    private final Set<TopicPartition> partitions;
    private final IntToLongFunction applied;
    private final long retentionMillis;
    private final InstantSource clock;
    private final KafkaRecorder recorder;
    private final long periodNanos;
    private final LongSupplier nanoTime;
    private final LineAMinute failures;
    private long lookedNanos;
    private volatile Set<Integer> lagging = Set.of();

    /**
     * Creates it.
     *
     * @param applied how far a shard of this node is, which the group is told a little later; 0 where that is not known
     * @param retention how long the log keeps a record; zero when that is not said, and then no shard lags
     */
    ShardLags(
            Consumer<byte[], byte[]> consumer,
            String topic,
            int shards,
            IntToLongFunction applied,
            Duration retention,
            InstantSource clock,
            KafkaRecorder recorder,
            LongSupplier nanoTime) {
        this.consumer = consumer;
        this.applied = applied;
        this.clock = clock;
        this.recorder = recorder;
        this.nanoTime = nanoTime;
        failures = new LineAMinute(nanoTime);
        lookedNanos = nanoTime.getAsLong();
        partitions = Set.copyOf(IntStream.range(0, shards)
                .mapToObj(shard -> new TopicPartition(topic, shard))
                .toList());
        retentionMillis = retention.toMillis();
        periodNanos = Math.min(retention.toNanos() / LOOKS_A_RETENTION, LONGEST_PERIOD.toNanos());
    }

    /** The shards, as of the last look; any thread. */
    Set<Integer> lagging() {
        return lagging;
    }

    /** Looks again next time when it is woken up meanwhile, which its caller is told by the consumer's exception. */
    void lookIfDue() {
        if (retentionMillis == 0 || nanoTime.getAsLong() - lookedNanos < periodNanos) {
            return;
        }
        try {
            Set<Integer> found = find(clock.millis() - retentionMillis / 2);
            if (!found.equals(lagging)) {
                tell(found);
            }
            lagging = found;
            lookedNanos = nanoTime.getAsLong();
        } catch (WakeupException e) {
            throw e;
        } catch (KafkaException e) { // a right that was taken away, too, is no reason not to read
            lookedNanos = nanoTime.getAsLong();
            recorder.onError();
            String others = failures.happened();
            if (others != null) {
                LOG.warn("Kafka does not tell how far the shards are{}", others, e);
            }
        }
    }

    private static void tell(Set<Integer> found) {
        if (found.isEmpty()) {
            LOG.info("no shard is behind by half of the retention of the log any more");
        } else {
            LOG.error(
                    "shards {} are behind by more than half of the retention of the log: what is published for their persistent"
                            + " sessions is refused, for the log deletes what is not applied in time. Look why they are not owned, or"
                            + " Redis does not take their state",
                    found);
        }
    }

    private Set<Integer> find(long cutoffMillis) {
        Map<TopicPartition, Long> cutoffs = new HashMap<>();
        partitions.forEach(partition -> cutoffs.put(partition, cutoffMillis));
        Map<TopicPartition, OffsetAndTimestamp> younger = consumer.offsetsForTimes(cutoffs, ASK);
        List<TopicPartition> allOld = partitions.stream()
                .filter(partition -> younger.get(partition) == null)
                .toList();
        Map<TopicPartition, Long> ends = allOld.isEmpty() ? Map.of() : consumer.endOffsets(allOld, ASK);
        Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(partitions, ASK);
        Set<Integer> found = new HashSet<>();
        for (TopicPartition partition : partitions) {
            OffsetAndTimestamp first = younger.get(partition);
            long needed = first == null ? ends.getOrDefault(partition, 0L) : first.offset();
            OffsetAndMetadata told = committed.get(partition);
            long known = Math.max(told == null ? 0 : told.offset(), applied.applyAsLong(partition.partition()));
            if (known < needed) {
                found.add(partition.partition());
            }
        }
        return Set.copyOf(found);
    }
}
