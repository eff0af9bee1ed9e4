package io.tributary.cluster.kafka.shard;

import io.tributary.cluster.kafka.ClientProperties;
import io.tributary.cluster.kafka.KafkaClients;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.shard.ShardCursor.Request;
import io.tributary.common.thread.Turn;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog.Reader;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's member of the consumer group: gets shards assigned, and reads those that it is asked to. One thread polls
 * and calls the reader; it never blocks for longer than Kafka needs to answer, so the group does not lose it. Other
 * threads leave requests and wake it up.
 */
final class ShardConsumer implements AutoCloseable, ConsumerRebalanceListener {
    private static final Logger LOG = LoggerFactory.getLogger(ShardConsumer.class);

    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration POLL_WHEN_OUT_OF_RANGE = Duration.ofMillis(100);
    private static final Duration ASK = Duration.ofSeconds(1);
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final String topic;
    private final Duration closeTimeout;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Reader reader;
    private final KafkaRecorder recorder;
    private final Consumer<Throwable> onBroken;
    private final ShardCursor[] cursors;
    private final ConsumerGroupOffsets commits;
    private final ShardLags lags;
    private final Thread thread;
    private final CountDownLatch closing = new CountDownLatch(1);

    /** The shards with a request that the polling thread has not looked at; each at most once. */
    private final Queue<ShardCursor> requested = new ConcurrentLinkedQueue<>();

    /** Whether this node is to be a member of the group. */
    private volatile boolean wanted = true;

    // Confined to the polling thread.
    private boolean isMember;
    private final Set<ShardCursor> outOfRange = new HashSet<>();
    /** Those among them whose position Kafka does not know as one of its records. */
    private final Set<ShardCursor> diverged = new HashSet<>();

    ShardConsumer(
            KafkaConfig config,
            String clientId,
            int shards,
            Duration retention,
            InstantSource clock,
            Reader reader,
            KafkaRecorder recorder,
            Consumer<Throwable> onBroken) {
        this.topic = config.shardsTopic();
        this.closeTimeout = config.appends().closeTimeout();
        this.reader = reader;
        this.recorder = recorder;
        this.onBroken = onBroken;
        this.cursors = new ShardCursor[shards];
        for (int shard = 0; shard < shards; shard++) {
            cursors[shard] = new ShardCursor(new TopicPartition(topic, shard), this::skipped);
        }
        this.consumer = KafkaClients.consumer(config, ClientProperties.shardConsumer(config, clientId));
        this.commits = new ConsumerGroupOffsets(consumer, cursors);
        this.lags = new ShardLags(consumer, topic, shards, commits::notedOf, retention, clock);
        this.thread = Thread.ofPlatform().name(clientId + "-reader").daemon().unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** Any thread. */
    void readFrom(int shard, long offset, int leaderEpoch) {
        request(shard, Request.readFrom(offset, leaderEpoch), true);
    }

    /** Any thread. */
    void pause(int shard) {
        request(shard, Request.pause(), false);
    }

    /** Any thread. */
    void takePart(boolean newWanted) {
        wanted = newWanted;
        consumer.wakeup();
    }

    /** Any thread. */
    void commit(int shard, long offset) {
        commits.note(shard, offset);
    }

    /** Any thread. */
    Set<Integer> lagging() {
        return lags.lagging();
    }

    /** Leaves the group, in bounded time. Not on the polling thread. */
    @Override
    public void close() {
        closing.countDown();
        consumer.wakeup();
        try {
            thread.join(closeTimeout.plus(RETRY));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void request(int shard, Request request, boolean urgent) {
        ShardCursor cursor = cursors[shard];
        if (cursor.request(request)) {
            requested.add(cursor);
        }
        if (urgent && !Thread.currentThread().equals(thread)) {
            consumer.wakeup();
        }
    }

    private void run() {
        Turn turn = Turn.begin(() -> true);
        try {
            while (closing.getCount() > 0) {
                turn();
                while (turn.isDue()) {
                    turn.end();
                }
            }
        } catch (InterruptedException | RuntimeException | Error e) {
            LOG.error("the shards cannot be read any more", e);
            onBroken.accept(e);
        } finally {
            leave();
        }
    }

    /** However reading ended: others take the shards over at once, not after the session timeout. */
    private void leave() {
        try {
            commits.commitNow();
        } catch (RuntimeException e) {
            LOG.debug("the group's offsets are not committed", e);
        }
        try {
            consumer.close(CloseOptions.timeout(closeTimeout));
        } catch (RuntimeException e) {
            LOG.warn("the group is not left; its shards move after the session timeout", e);
        }
    }

    /**
     * Takes what there is, once. A failure of Kafka is tried again for ever: the shards are another node's meanwhile.
     */
    private void turn() throws InterruptedException {
        try {
            if (isMember != wanted) {
                joinOrLeave();
            }
            lookAtRequests();
            if (!isMember) {
                closing.await(RETRY.toMillis(), TimeUnit.MILLISECONDS);
                return;
            }
            lookAtRanges();
            commits.commitIfDue();
            lags.lookIfDue();
            handOut(consumer.poll(outOfRange.isEmpty() ? POLL : POLL_WHEN_OUT_OF_RANGE));
        } catch (WakeupException e) {
            LOG.trace("woken up", e);
        } catch (LogTruncationException e) {
            e.partitions().forEach(partition -> truncated(partition, e.divergentOffsets()));
        } catch (InvalidOffsetException e) {
            e.partitions().stream()
                    .filter(this::isShard)
                    .forEach(partition -> noteOutOfRange(cursors[partition.partition()]));
        } catch (RuntimeException e) {
            LOG.error("the shards cannot be read; trying again", e);
            recorder.onError();
            closing.await(RETRY.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void joinOrLeave() {
        if (isMember) {
            commits.commitNow();
            consumer.unsubscribe();
            onPartitionsRevoked(Arrays.stream(cursors)
                    .filter(ShardCursor::isAssigned)
                    .map(ShardCursor::partition)
                    .toList());
            LOG.info("the group is left");
        } else {
            consumer.subscribe(List.of(topic), this);
        }
        isMember = !isMember;
    }

    private void lookAtRequests() {
        for (ShardCursor cursor = requested.poll(); cursor != null; cursor = requested.poll()) {
            if (!cursor.takeRequest()) {
                continue;
            }
            outOfRange.remove(cursor);
            diverged.remove(cursor);
            if (cursor.isReading()) {
                read(cursor, cursor.next(), cursor.leaderEpoch());
            } else {
                consumer.pause(List.of(cursor.partition()));
            }
        }
    }

    /** @param leaderEpochBefore has Kafka say whether it still has the record before the offset */
    private void read(ShardCursor cursor, long offset, Optional<Integer> leaderEpochBefore) {
        if (!cursor.isAt(offset)) {
            consumer.seek(cursor.partition(), new OffsetAndMetadata(offset, leaderEpochBefore, ""));
            cursor.moveTo(offset);
        }
        consumer.resume(List.of(cursor.partition()));
    }

    private void noteOutOfRange(ShardCursor cursor) {
        consumer.pause(List.of(cursor.partition()));
        if (cursor.isReading()) {
            outOfRange.add(cursor);
        }
    }

    /** The record before the position is another one than it was: the log went back. */
    private void truncated(TopicPartition partition, Map<TopicPartition, OffsetAndMetadata> divergent) {
        if (!isShard(partition)) {
            return;
        }
        ShardCursor cursor = cursors[partition.partition()];
        OffsetAndMetadata first = divergent.get(partition);
        if (first == null) { // none of its leaders is known to Kafka: another log, or one much older
            noteOutOfRange(cursor);
            diverged.add(cursor);
        } else if (cursor.isReading()) {
            wentBack(cursor, first.offset());
        }
    }

    private void wentBack(ShardCursor cursor, long at) {
        LOG.error(
                "Shard {}: its log goes on at offset {}, and had records up to {}",
                cursor.shard(),
                at,
                cursor.next() - 1);
        consumer.pause(List.of(cursor.partition()));
        outOfRange.remove(cursor);
        cursor.stop();
        try {
            reader.onWentBack(cursor.shard(), at);
        } catch (RuntimeException e) {
            LOG.error("the reader of shard {} failed", cursor.shard(), e);
        }
    }

    private void skipped(ConsumerRecord<byte[], byte[]> record) {
        LOG.error(
                "{}-{} at {}: the record is none of a broker's and is skipped; somebody else produces into this topic",
                record.topic(),
                record.partition(),
                record.offset());
        recorder.onForeignRecord();
    }

    private boolean isShard(TopicPartition partition) {
        return partition.partition() < cursors.length;
    }

    /** Goes on where the log begins if the offset asked for was deleted. */
    private void lookAtRanges() {
        if (outOfRange.isEmpty()) {
            return;
        }
        for (ShardCursor cursor : List.copyOf(outOfRange)) {
            try {
                List<TopicPartition> partition = List.of(cursor.partition());
                long begin = first(consumer.beginningOffsets(partition, ASK));
                goOn(cursor, begin, first(consumer.endOffsets(partition, ASK)));
            } catch (TimeoutException e) {
                LOG.warn("Kafka does not tell where shard {} begins and ends; asking again", cursor.shard(), e);
                recorder.onError();
            }
        }
    }

    private static long first(Map<TopicPartition, Long> offsets) {
        return offsets.values().iterator().next();
    }

    private void goOn(ShardCursor cursor, long begin, long end) {
        outOfRange.remove(cursor);
        if (diverged.remove(cursor) || cursor.next() > end) {
            wentBack(cursor, Math.min(cursor.next(), end));
            return;
        }
        if (cursor.next() < begin) {
            LOG.error(
                    "Shard {}: the records {} to {} were deleted before they were read",
                    cursor.shard(),
                    cursor.next(),
                    begin - 1);
        }
        cursor.moveTo(ShardCursor.UNKNOWN);
        read(cursor, Math.max(cursor.next(), begin), Optional.empty());
    }

    private void handOut(ConsumerRecords<byte[], byte[]> polled) {
        for (TopicPartition partition : polled.partitions()) {
            if (!isShard(partition)) {
                continue; // paused before anything was fetched, but for what was on its way
            }
            handOut(cursors[partition.partition()], polled.records(partition));
        }
    }

    private void handOut(ShardCursor cursor, List<ConsumerRecord<byte[], byte[]>> polled) {
        List<LogRecord> records = cursor.take(polled);
        if (records.isEmpty()) {
            return;
        }
        long from = cursor.next();
        cursor.handedOut(records);
        recorder.onRecords(records.size());
        try {
            reader.onRecords(cursor.shard(), from, records);
        } catch (RuntimeException e) {
            LOG.error("the reader of shard {} failed", cursor.shard(), e);
        }
    }

    /**
     * Nothing is read before it is asked for; without a position of its own, a partition would be looked up in the
     * group.
     */
    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        consumer.pause(partitions);
        for (TopicPartition partition : partitions) {
            consumer.seek(partition, 0);
            if (isShard(partition)) {
                cursors[partition.partition()].assign();
            } else {
                LOG.error(
                        "{} is ignored: there are {} shards, and a partition that was added cannot be one, for a client's shard"
                                + " depends on their number. The number of shards is to stay as it is",
                        partition,
                        cursors.length);
            }
        }
        tell("assigned", shardsAmong(partitions), reader::onAssigned);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        List<TopicPartition> shards = shardsAmong(partitions);
        for (TopicPartition partition : shards) {
            ShardCursor cursor = cursors[partition.partition()];
            cursor.revoke();
            outOfRange.remove(cursor);
            diverged.remove(cursor);
        }
        tell("revoked", shards, reader::onRevoked);
    }

    private List<TopicPartition> shardsAmong(Collection<TopicPartition> partitions) {
        return partitions.stream().filter(this::isShard).toList();
    }

    private static void tell(String what, Collection<TopicPartition> partitions, IntConsumer event) {
        int[] shards =
                partitions.stream().mapToInt(TopicPartition::partition).sorted().toArray();
        if (shards.length > 0) {
            LOG.info("{} shards {}: {}", shards.length, what, shards);
        }
        for (int shard : shards) {
            try {
                event.accept(shard);
            } catch (RuntimeException e) {
                LOG.error("the reader of shard {} failed", shard, e);
            }
        }
    }
}
