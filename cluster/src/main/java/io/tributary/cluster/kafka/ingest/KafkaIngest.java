package io.tributary.cluster.kafka.ingest;

import io.tributary.cluster.kafka.ClientProperties;
import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaClients;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.persistence.ingest.IngestOptions;
import io.tributary.persistence.ingest.IngestRecord;
import io.tributary.persistence.ingest.IngestSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's member of the consumer group {@code <prefix>.ingest}, which shares out the partitions that back-ends
 * produce to. One thread polls, hands out and commits; Kafka refuses the commits of a node that has lost its partitions
 * meanwhile.
 *
 * <p>A group that has committed nothing for a partition begins where that begins. Records that were deleted before they
 * were read are passed over, with an error in the log; a partition that has lost its end is read on from where it did.
 * What transactions took back is not read.
 */
public final class KafkaIngest implements IngestSource {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaIngest.class);

    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration POLL_WHEN_SOME_WAIT = Duration.ofMillis(10);
    private static final Duration COMMIT_INTERVAL = Duration.ofSeconds(1);
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration ASK = Duration.ofSeconds(2);
    /** After Kafka did not tell something of a partition, the others are read for that long, and longer for several. */
    private static final Duration ASK_AGAIN = Duration.ofSeconds(3);
    /** How long partitions that are given up wait for what is under way. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final IngestOptions options;
    private final KafkaRecorder recorder;
    private final Duration closeTimeout;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final IngestNumbers numbers;
    private final @Nullable IngestDeadLetters deadLetters;
    private final String clientId;
    private final CountDownLatch closing = new CountDownLatch(1);

    private @Nullable Thread thread; // guarded by this
    private volatile @Nullable String readProblem;
    private final AtomicReference<@Nullable String> recordProblem = new AtomicReference<>();
    private volatile long lag;
    private volatile int assigned;

    // Confined to the polling thread.
    private final Map<TopicPartition, IngestPartition> partitions = new LinkedHashMap<>();
    /** Those of {@link #partitions} that are to be read from elsewhere, for their position is not there. */
    private final Map<TopicPartition, Misplaced> misplaced = new LinkedHashMap<>();

    private @Nullable String positionProblem;
    private @Nullable String numberProblem;
    private long numberAgainNanos = System.nanoTime();

    private long committedNanos = System.nanoTime();

    /**
     * Creates it; nothing is read before {@link #start}. Registers topics that no node has read before. Blocks for at
     * most the times that are configured.
     *
     * @param clientId names this node in Kafka's logs and metrics
     * @throws KafkaAccessException when Kafka does not answer, or a topic is not there (see {@link IngestTopics})
     */
    public KafkaIngest(KafkaConfig config, String clientId, IngestOptions options, KafkaRecorder recorder) {
        this(config, clientId, options, recorder, properties -> KafkaClients.consumer(config, properties));
    }

    KafkaIngest(
            KafkaConfig config,
            String clientId,
            IngestOptions options,
            KafkaRecorder recorder,
            Function<Map<String, Object>, KafkaConsumer<byte[], byte[]>> consumers) {
        this.options = options;
        this.recorder = recorder;
        this.clientId = clientId + "-ingest";
        this.closeTimeout = config.appends().closeTimeout();
        this.numbers = new IngestNumbers(config, this.clientId);
        numbers.of(options.topics());
        String dead = options.deadLetters();
        this.deadLetters = dead == null ? null : new IngestDeadLetters(config, this.clientId, dead, recorder);
        this.consumer = consumers.apply(ClientProperties.ingestConsumer(config, this.clientId));
    }

    @Override
    public synchronized void start(Reader reader) {
        if (closing.getCount() > 0 && thread == null) {
            thread = Thread.ofPlatform().name(clientId).daemon().start(() -> run(reader));
        }
    }

    @Override
    public long lag() {
        return lag;
    }

    @Override
    public int partitions() {
        return assigned;
    }

    @Override
    public @Nullable String problem() {
        String reading = readProblem;
        return reading == null ? recordProblem.get() : reading;
    }

    @Override
    public synchronized void close() {
        if (closing.getCount() == 0) {
            return;
        }
        closing.countDown();
        if (thread == null) {
            leave();
            return;
        }
        consumer.wakeup();
        try {
            thread.join(closeTimeout.plus(PATIENCE).plus(RETRY));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run(Reader reader) {
        try {
            consumer.subscribe(options.topics(), new Rebalances());
            while (closing.getCount() > 0) {
                turn(reader);
            }
        } catch (InterruptedException | RuntimeException | Error e) {
            LOG.error("what back-ends produce cannot be read any more", e);
            readProblem = "what back-ends produce cannot be read any more: " + e;
        } finally {
            leave();
        }
    }

    private void leave() {
        try {
            giveUp(List.copyOf(partitions.keySet())); // while the group still hears of this node
            consumer.close(CloseOptions.timeout(closeTimeout));
        } catch (RuntimeException e) {
            LOG.warn("the ingest group is not left; its partitions move after the session timeout", e);
        }
        if (deadLetters != null) {
            deadLetters.close();
        }
    }

    /**
     * Takes what there is, once. A failure of Kafka is tried again for ever: the partitions are another node's
     * meanwhile.
     */
    private void turn(Reader reader) throws InterruptedException {
        try {
            findPositions();
            restartFailed();
            numberNew();
            boolean someWait = handOut(reader);
            pauseThoseThatWait();
            commitIfDue();
            add(consumer.poll(someWait ? POLL_WHEN_SOME_WAIT : POLL));
            readProblem = positionProblem == null ? numberProblem : positionProblem;
        } catch (WakeupException e) {
            LOG.trace("woken up", e);
        } catch (NoOffsetForPartitionException e) {
            consumer.seekToBeginning(e.partitions());
        } catch (InvalidOffsetException e) {
            Map<TopicPartition, OffsetAndMetadata> divergent =
                    e instanceof LogTruncationException cut ? cut.divergentOffsets() : Map.of();
            e.partitions().forEach(partition -> misplace(partition, divergent.get(partition)));
        } catch (RuntimeException | Error e) {
            LOG.error("what back-ends produce cannot be read; trying again", e);
            readProblem = "what back-ends produce cannot be read: " + e;
            recorder.onError();
            closing.await(RETRY.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void misplace(TopicPartition partition, @Nullable OffsetAndMetadata divergent) {
        long same = divergent == null ? Long.MAX_VALUE : divergent.offset();
        misplaced.merge(
                partition,
                new Misplaced(same, System.nanoTime()),
                (before, now) -> new Misplaced(Math.min(before.same, now.same), before.askNanos));
    }

    /** A failed partition begins again behind what is safe, as if another node had taken it over. */
    private void restartFailed() {
        String before = recordProblem.get(); // what is set from here on stays, for the failure may not be seen yet
        boolean isFailed = false;
        for (IngestPartition partition : List.copyOf(partitions.values())) {
            if (partition.isFailedSince(RETRY) && !misplaced.containsKey(partition.partition())) {
                restart(partition, partition.safePosition());
            } else {
                isFailed |= partition.isFailed();
            }
        }
        if (!isFailed) {
            recordProblem.compareAndSet(before, null);
        }
    }

    private void restart(IngestPartition partition, OffsetAndMetadata from) {
        consumer.seek(partition.partition(), from);
        partitions.put(partition.partition(), partition.restarted(from));
    }

    /** What is not numbered is not handed out. */
    private void numberNew() {
        Map<String, List<IngestPartition>> unnumbered = partitions.values().stream()
                .filter(one -> !one.isNumbered())
                .collect(Collectors.groupingBy(one -> one.partition().topic()));
        if (unnumbered.isEmpty()) {
            numberProblem = null;
        } else if (System.nanoTime() - numberAgainNanos >= 0) {
            numberProblem = null;
            unnumbered.forEach(this::number);
        }
    }

    private void number(String topic, List<IngestPartition> unnumbered) {
        try {
            Integer number = numbers.of(List.of(topic)).get(topic);
            for (IngestPartition one : unnumbered) {
                if (number == null || one.partition().partition() >= IngestNumbers.MAX_PARTITIONS) {
                    throw new KafkaAccessException(one.partition() + " has no number");
                }
                one.number(number + one.partition().partition());
            }
        } catch (KafkaException | KafkaAccessException e) {
            LOG.error("Topic {} of back-ends cannot be read; trying again, and others are read", topic, e);
            numberProblem = "topic " + topic + " of back-ends cannot be read: " + e.getMessage();
            recorder.onError();
            numberAgainNanos = System.nanoTime() + ASK_AGAIN.toNanos();
        }
    }

    /** Hands out what may be taken; tells whether something is left. */
    private boolean handOut(Reader reader) {
        boolean someWait = false;
        for (IngestPartition partition : partitions.values()) {
            ConsumerRecord<byte[], byte[]> next = partition.peek();
            while (next != null && offer(reader, partition, next)) {
                next = partition.peek();
            }
            someWait |= partition.hasWaiting();
        }
        return someWait;
    }

    private boolean offer(Reader reader, IngestPartition partition, ConsumerRecord<byte[], byte[]> record) {
        IngestPartition.PendingRecord taken = partition.take(record);
        boolean isTaken = false;
        try {
            isTaken = reader.onRecord(recordOf(partition, record), new RecordVerdict(taken));
        } finally {
            if (!isTaken) {
                partition.untake(taken);
            }
        }
        if (isTaken) {
            partition.taken();
        }
        return isTaken;
    }

    private static IngestRecord recordOf(IngestPartition partition, ConsumerRecord<byte[], byte[]> record) {
        List<IngestRecord.Header> headers = new ArrayList<>();
        for (Header header : record.headers()) {
            headers.add(new IngestRecord.Header(header.key(), header.value()));
        }
        return new IngestRecord(
                record.topic(),
                record.partition(),
                record.offset(),
                record.timestamp(),
                IngestPositions.source(partition.number(), record),
                record.key(),
                record.value(),
                headers);
    }

    private void pauseThoseThatWait() {
        List<TopicPartition> full = new ArrayList<>();
        List<TopicPartition> empty = new ArrayList<>();
        for (IngestPartition partition : partitions.values()) {
            boolean waits =
                    partition.hasWaiting() || partition.isFailed() || misplaced.containsKey(partition.partition());
            (waits ? full : empty).add(partition.partition());
        }
        consumer.pause(full);
        consumer.resume(empty);
    }

    private void add(ConsumerRecords<byte[], byte[]> polled) {
        polled.nextOffsets().forEach((id, next) -> {
            IngestPartition partition = partitions.get(id);
            if (partition != null) {
                partition.add(polled.records(id), next);
            }
        });
    }

    /** One that Kafka does not tell of takes its time, so the others are read before the next is asked for. */
    private void findPositions() {
        for (Map.Entry<TopicPartition, Misplaced> each : List.copyOf(misplaced.entrySet())) {
            TopicPartition partition = each.getKey();
            long same = each.getValue().same;
            if (System.nanoTime() - each.getValue().askNanos < 0) {
                continue;
            }
            try {
                findPosition(partition, same);
                misplaced.remove(partition);
            } catch (WakeupException e) {
                throw e;
            } catch (KafkaException | KafkaAccessException e) {
                LOG.error("Where to read on in {} is not known; trying again, and others are read", partition, e);
                positionProblem = "where to read on in " + partition + " is not known: " + e.getMessage();
                recorder.onError();
                misplaced.put(
                        partition, new Misplaced(same, System.nanoTime() + misplaced.size() * ASK_AGAIN.toNanos()));
                return;
            }
        }
        if (misplaced.isEmpty()) {
            positionProblem = null;
        }
    }

    /**
     * The topic is another one than before, or lacks the records that were to be read, or some that were read. Those
     * that are not safe are read again, as if another node had taken the partition over.
     *
     * @param same below it are the records that were there before
     */
    private void findPosition(TopicPartition id, long same) {
        IngestPartition partition = partitions.get(id);
        if (partition == null) {
            return;
        }
        List<TopicPartition> asked = List.of(id);
        Integer number = numbers.of(List.of(id.topic())).get(id.topic()); // fails at once when there is no topic
        long begin = consumer.beginningOffsets(asked, ASK).values().iterator().next();
        long end = consumer.endOffsets(asked, ASK).values().iterator().next();
        boolean isAnother = partition.isNumbered() && number != null && number + id.partition() != partition.number();
        boolean isCut = same < Long.MAX_VALUE || end < partition.readUpTo();
        long safe = partition.safeUpTo();
        long known = safe >= 0 || number == null ? safe : committed(id, number + id.partition());
        long from = isAnother ? begin : Math.min(Math.max(Math.min(known, same), begin), end);
        if (isAnother) {
            partition.forgetCommitted();
        }
        String what = isCut ? "has lost its end" : "lacks records that were to be read";
        LOG.error("{} {}; reading goes on at {}", id, isAnother ? "was created again" : what, from);
        restart(partition, new OffsetAndMetadata(from));
    }

    /** The offset that the group has committed of the partition with this number; negative when it has none. */
    private long committed(TopicPartition id, int number) {
        OffsetAndMetadata committed = consumer.committed(Set.of(id), ASK).get(id);
        return committed != null && committed.metadata().equals(Integer.toString(number)) ? committed.offset() : -1;
    }

    private void commitIfDue() {
        if (System.nanoTime() - committedNanos < COMMIT_INTERVAL.toNanos()) {
            return;
        }
        committedNanos = System.nanoTime();
        lag = partitions.values().stream()
                .mapToLong(one ->
                        one.unsafe() + consumer.currentLag(one.partition()).orElse(0))
                .sum();
        Map<TopicPartition, OffsetAndMetadata> offsets = uncommitted(partitions.values());
        if (!offsets.isEmpty()) {
            consumer.commitAsync(offsets, (tried, failure) -> {
                if (failure != null) {
                    LOG.warn("the offsets of the ingest group are not committed: {}", failure.toString());
                    partitions.values().forEach(IngestPartition::forgetCommitted);
                }
            });
        }
    }

    private static Map<TopicPartition, OffsetAndMetadata> uncommitted(Collection<IngestPartition> of) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (IngestPartition partition : of) {
            OffsetAndMetadata safe = partition.uncommitted();
            if (safe != null) {
                offsets.put(partition.partition(), safe);
                partition.committed(safe.offset());
            }
        }
        return offsets;
    }

    /** The next owner begins behind what is safe by then, so it pays to wait a little. */
    private void giveUp(Collection<TopicPartition> revoked) {
        List<IngestPartition> leaving = new ArrayList<>();
        for (TopicPartition id : revoked) {
            misplaced.remove(id);
            IngestPartition partition = partitions.remove(id);
            if (partition != null) {
                partition.dropWaiting();
                leaving.add(partition);
            }
        }
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        leaving.forEach(partition -> partition.awaitSafe(deadline));
        commitNow(uncommitted(leaving));
        changed("given up", revoked);
    }

    private void commitNow(Map<TopicPartition, OffsetAndMetadata> offsets) {
        if (offsets.isEmpty()) {
            return;
        }
        try {
            consumer.commitSync(offsets, ASK);
        } catch (WakeupException e) {
            commitNow(offsets); // woken up for the end, which is on its way
        } catch (RuntimeException e) {
            LOG.warn("the offsets of the ingest group are not committed: {}", e.toString());
        }
    }

    private void changed(String how, Collection<TopicPartition> which) {
        assigned = partitions.size();
        if (!which.isEmpty()) {
            LOG.info("{} ingest partitions {}: {}", which.size(), how, which);
        }
    }

    /**
     * A partition of which it is not known where to read on.
     *
     * @param same below it the partition has what it had, as far as Kafka has told; {@link Long#MAX_VALUE} if not
     * @param askNanos when to ask for more
     */
    private record Misplaced(long same, long askNanos) {}

    /** What the group decides; on the polling thread. */
    private final class Rebalances implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> newPartitions) {
            for (TopicPartition partition : newPartitions) {
                partitions.put(partition, new IngestPartition(partition, options.maxRecords(), options.maxBytes()));
            }
            changed("assigned", newPartitions);
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
            giveUp(revoked);
        }

        /** They are another node's already: it begins where this one has committed last. */
        @Override
        public void onPartitionsLost(Collection<TopicPartition> lost) {
            lost.forEach(partitions::remove);
            lost.forEach(misplaced::remove);
            changed("lost", lost);
        }
    }

    /** Any thread. */
    private final class RecordVerdict implements Verdict {
        private final IngestPartition.PendingRecord taken;

        private RecordVerdict(IngestPartition.PendingRecord taken) {
            this.taken = taken;
        }

        @Override
        public void safe() {
            taken.done();
        }

        @Override
        public void invalid(String reason) {
            if (deadLetters == null) {
                taken.done();
            } else {
                deadLetters.add(taken.record(), reason, taken::done);
            }
        }

        @Override
        public void failed() {
            taken.fail();
            recordProblem.set("records of " + taken.record().topic() + " cannot be published at the moment");
        }
    }
}
