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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads those of the node's shards that it is asked to. One thread polls and calls the reader; it never blocks for
 * longer than Kafka needs to answer. Other threads leave requests and wake it up. While the node is the only one, the
 * thread rests between polls and hands out what was acknowledged, see {@link EarlyRecords}.
 */
final class ShardConsumer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ShardConsumer.class);

    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration POLL_WHEN_OUT_OF_RANGE = Duration.ofMillis(100);
    private static final Duration ASK = Duration.ofSeconds(1);
    private static final Duration RETRY = Duration.ofSeconds(1);

    /** How long the end of one shard is waited for, which holds up the others; and how long not, if it did not come. */
    private static final Duration ASK_OF_ONE = Duration.ofMillis(200);

    private static final Duration PAUSE_OF_ONE = Duration.ofSeconds(2);

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
    private final EarlyRecords early;
    private final CountDownLatch closing = new CountDownLatch(1);

    /** The shards with a request that the polling thread has not looked at; each at most once. */
    private final Queue<ShardCursor> requested = new ConcurrentLinkedQueue<>();

    /** The newest set of shards that is to be this node's; null when the polling thread has it. */
    private final AtomicReference<@Nullable Assigned> assigned = new AtomicReference<>();

    // Confined to the polling thread.
    private boolean isPollNext;
    /** Whether any shard is read; the consumer's own answer is a copy of all partitions. */
    private boolean isAssigned;
    /** When ends of shards that wait for what is unread may be asked for again. */
    private long unreadDueNanos = System.nanoTime();
    /** The shard whose end is asked for first, of those. */
    private int firstUnread;

    private final Set<ShardCursor> outOfRange = new HashSet<>();
    /** Those among them whose position Kafka does not know as one of its records. */
    private final Set<ShardCursor> diverged = new HashSet<>();

    /** What {@link #assign} was told. */
    private record Assigned(Set<Integer> shards, List<Runnable> released) {}

    ShardConsumer(
            KafkaConfig config,
            String clientId,
            int shards,
            Duration retention,
            InstantSource clock,
            BooleanSupplier isOnlyNode,
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
        this.commits = new ConsumerGroupOffsets(consumer, cursors, recorder, System::nanoTime);
        this.lags =
                new ShardLags(consumer, topic, shards, commits::notedOf, retention, clock, recorder, System::nanoTime);
        this.thread = Thread.ofPlatform().name(clientId + "-reader").daemon().unstarted(this::run);
        this.early =
                new EarlyRecords(cursors, thread, isOnlyNode, config.reading().maxPollRecords());
    }

    void start() {
        thread.start();
    }

    /** Who is told of the shards. */
    Reader reader() {
        return reader;
    }

    /** What is handed out before it is read. */
    EarlyRecords early() {
        return early;
    }

    /** Any thread. */
    void allowEarly(int shard) {
        cursors[shard].allowEarly();
    }

    /** Any thread. */
    int leaderEpoch(int shard, long offset) {
        return cursors[shard].leaderEpochOf(offset);
    }

    /** Any thread. */
    void readFrom(int shard, long offset, int leaderEpoch) {
        request(shard, Request.readFrom(offset, leaderEpoch), true);
    }

    /** Any thread. */
    void pause(int shard) {
        request(shard, Request.pause(), false);
    }

    /**
     * The shards of this node from now on; any thread.
     *
     * @param released run once the reader has let go of those that were its own
     */
    void assign(Set<Integer> shards, Runnable released) {
        assigned.accumulateAndGet(
                new Assigned(shards, List.of(released)),
                (before, now) -> before == null || now == null
                        ? now
                        : new Assigned(
                                now.shards,
                                Stream.concat(before.released.stream(), now.released.stream())
                                        .toList()));
        consumer.wakeup();
        LockSupport.unpark(thread);
    }

    /** Any thread. */
    void commit(int shard, long offset) {
        commits.note(shard, offset);
    }

    /** Any thread. */
    Set<Integer> lagging() {
        return lags.lagging();
    }

    /** Ends reading, in bounded time. Not on the polling thread. */
    @Override
    public void close() {
        closing.countDown();
        consumer.wakeup();
        LockSupport.unpark(thread);
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
            LockSupport.unpark(thread);
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

    /** Tells the reader that nothing is its own any more, however reading ended. */
    private void leave() {
        commits.commitNow();
        try {
            consumer.close(CloseOptions.timeout(closeTimeout));
        } catch (RuntimeException e) {
            LOG.warn("the reader of the shards is not closed", e);
        }
        Assigned last = assigned.getAndSet(null);
        revoke(
                        Arrays.stream(cursors).filter(ShardCursor::isAssigned).toList(),
                        last == null ? List.of() : last.released)
                .run();
    }

    /** Takes what there is, once. A failure of Kafka is tried again for ever. */
    private void turn() throws InterruptedException {
        try {
            lookAtAssignment();
            lookAtRequests();
            lags.lookIfDue(); // also without a shard: publishers are refused by any node
            if (!isAssigned) {
                LockSupport.parkNanos(RETRY.toNanos());
                return;
            }
            lookAtRanges();
            lookAtUnread();
            commits.commitIfDue();
            if (!isPollNext && early.handOut(this::handOutEarly)) {
                isPollNext = true; // or Kafka would not be asked while there are always some
                return;
            }
            isPollNext = false;
            pollOrRest();
        } catch (WakeupException e) {
            LOG.trace("woken up", e);
        } catch (LogTruncationException e) {
            e.partitions().forEach(partition -> truncated(partition, e.divergentOffsets()));
        } catch (InvalidOffsetException e) {
            e.partitions().forEach(partition -> noteOutOfRange(cursors[partition.partition()]));
        } catch (RuntimeException e) {
            LOG.error("the shards cannot be read; trying again", e);
            recorder.onError();
            closing.await(RETRY.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void pollOrRest() {
        Duration wait = early.nextPoll(outOfRange.isEmpty() ? POLL : POLL_WHEN_OUT_OF_RANGE);
        if (wait != null) {
            ConsumerRecords<byte[], byte[]> polled = consumer.poll(wait);
            handOut(polled);
            early.onPolled(consumer, polled.count(), this::handOutEarly);
        } else {
            early.rest();
        }
    }

    private void lookAtAssignment() {
        Assigned newest = assigned.getAndSet(null);
        if (newest == null) {
            return;
        }
        List<ShardCursor> revoked = new ArrayList<>();
        List<ShardCursor> added = new ArrayList<>();
        for (ShardCursor cursor : cursors) {
            boolean isOurs = newest.shards.contains(cursor.shard());
            if (cursor.isAssigned() != isOurs) {
                (isOurs ? added : revoked).add(cursor);
            }
        }
        if (!revoked.isEmpty()) {
            commits.commitNow();
        }
        consumer.assign(
                newest.shards.stream().map(shard -> cursors[shard].partition()).toList());
        isAssigned = !newest.shards.isEmpty();
        Runnable letGo = revoke(revoked, newest.released);
        begin(added);
        letGo.run();
    }

    /** What is returned is to be run: then, or when the reader has let go of all, others are told. */
    private Runnable revoke(List<ShardCursor> revoked, List<Runnable> released) {
        for (ShardCursor cursor : revoked) {
            cursor.revoke();
            outOfRange.remove(cursor);
            diverged.remove(cursor);
        }
        AtomicInteger left = new AtomicInteger(revoked.size() + 1);
        Runnable letGo = () -> {
            if (left.decrementAndGet() == 0) {
                released.forEach(Runnable::run);
            }
        };
        tell("revoked", revoked, shard -> reader.onRevoked(shard, letGo));
        return letGo;
    }

    /**
     * Nothing is read before it is asked for; without a position of its own, a partition would be looked up in the
     * group.
     */
    private void begin(List<ShardCursor> added) {
        for (ShardCursor cursor : added) {
            consumer.pause(List.of(cursor.partition()));
            consumer.seek(cursor.partition(), 0);
            commits.begin(cursor.shard());
            cursor.assign();
        }
        tell("assigned", added, reader::onAssigned);
    }

    private void lookAtRequests() {
        for (ShardCursor cursor = requested.poll(); cursor != null; cursor = requested.poll()) {
            if (!cursor.takeRequest()) {
                continue;
            }
            outOfRange.remove(cursor);
            diverged.remove(cursor);
            early.onRequest();
            if (cursor.isReading()) {
                read(cursor, cursor.next(), cursor.leaderEpochBefore());
            } else {
                consumer.pause(List.of(cursor.partition()));
            }
        }
    }

    /** @param leaderEpochBefore has Kafka say whether it still has the record before the offset */
    private void read(ShardCursor cursor, long offset, Optional<Integer> leaderEpochBefore) {
        if (!cursor.goesOn(offset)) {
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

    /**
     * A log that has lost what was handed out and not read back, and gets no more records, shows it by its end alone.
     */
    private void lookAtUnread() {
        if (System.nanoTime() - unreadDueNanos < 0) {
            return;
        }
        int first = firstUnread;
        for (int i = 0; i < cursors.length; i++) {
            ShardCursor cursor = cursors[(first + i) % cursors.length];
            if (!cursor.isReading() || !cursor.waitsForUnread(ASK)) {
                continue;
            }
            try {
                long end = first(consumer.endOffsets(List.of(cursor.partition()), ASK_OF_ONE));
                if (end < cursor.next()) {
                    wentBack(cursor, end);
                }
            } catch (TimeoutException e) {
                LOG.debug("Kafka does not tell where shard {} ends; asking again", cursor.shard(), e);
                unreadDueNanos = System.nanoTime() + PAUSE_OF_ONE.toNanos();
                firstUnread = cursor.shard() + 1; // or those behind it would never be asked for
                recorder.onError();
                return;
            }
        }
    }

    private static long first(Map<TopicPartition, Long> offsets) {
        return offsets.values().iterator().next();
    }

    private void goOn(ShardCursor cursor, long begin, long end) {
        outOfRange.remove(cursor);
        boolean isAnother = diverged.remove(cursor); // at least the record before the position is
        if (isAnother || cursor.next() > end) {
            wentBack(cursor, Math.min(isAnother ? Math.max(0, cursor.next() - 1) : cursor.next(), end));
            return;
        }
        if (cursor.readsBackFrom(begin)) {
            consumer.resume(List.of(cursor.partition()));
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
            handOut(cursors[partition.partition()], polled.records(partition));
        }
    }

    private void handOut(ShardCursor cursor, List<ConsumerRecord<byte[], byte[]>> polled) {
        recorder.onRecords(polled.size());
        long lostAt = cursor.readBack(polled);
        if (lostAt != ShardCursor.UNKNOWN) {
            wentBack(cursor, lostAt);
            return;
        }
        List<LogRecord> records = cursor.take(polled);
        if (!records.isEmpty()) {
            long from = cursor.next();
            cursor.handedOut(records);
            handOut(cursor, from, records);
        }
    }

    private void handOutEarly(ShardCursor cursor, List<LogRecord> records) {
        long from = cursor.next();
        cursor.handedOutEarly(records);
        recorder.onEarlyRecords(records.size());
        handOut(cursor, from, records);
    }

    private void handOut(ShardCursor cursor, long from, List<LogRecord> records) {
        try {
            reader.onRecords(cursor.shard(), from, records);
        } catch (RuntimeException e) {
            LOG.error("the reader of shard {} failed", cursor.shard(), e);
        }
    }

    private static void tell(String what, List<ShardCursor> told, IntConsumer event) {
        int[] shards = told.stream().mapToInt(ShardCursor::shard).sorted().toArray();
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
