package io.tributary.persistence.kafka;

import io.tributary.common.event.UnreadableRecordException;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.kafka.HeldMessage.Place;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of Kafka's share consumers, with a thread of its own.
 *
 * <p>Kafka's client gives out new records only when all it gave out before are answered; one that is merely renewed holds
 * the next ones up. So a taker acquires a batch, renews what is left of it for as long as it takes, and acquires the next
 * when nothing is left. {@link GroupConsumption} has several takers, so that others go on meanwhile.
 *
 * <pre>
 * FREE   --records wanted, poll brings some--> HOLDS  answers are committed as they come, the rest is renewed
 * HOLDS  --the last one is answered or lost--> FREE
 * any    --the client fails otherwise-------->  FREE   with a new client; what was held is lost, the servers release it
 * any    --close------------------------------> left   what was handed out is released, the rest was never delivered
 * </pre>
 */
final class ShareTaker {
    private static final Logger LOG = LoggerFactory.getLogger(ShareTaker.class);

    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration RENEWAL_POLL = Duration.ofMillis(50);
    private static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int RENEWALS_A_LOCK = 3;
    private static final int DEFAULT_LOCK_MILLIS = 15_000;

    private final KafkaConfig config;
    private final String clientId;
    private final String topic;
    private final int pollRecords;
    private final GroupConsumption consumption;
    private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
    private final Thread thread;
    private volatile boolean closing;
    private volatile boolean busy;
    private volatile @Nullable KafkaShareConsumer<byte[], byte[]> current;

    // Confined to the thread.
    private final Map<Place, HeldMessage> held = new HashMap<>();
    private final Map<Place, HeldMessage> renewing = new HashMap<>();
    private final List<Answer> deferred = new ArrayList<>();
    private long heldSinceNanos;
    private long lockedSinceNanos;
    private boolean uncommitted;

    /** What becomes of a message; of none to look whether there is something to do. */
    private record Answer(@Nullable HeldMessage message, AcknowledgeType type) {}

    ShareTaker(KafkaConfig config, String clientId, String topic, int pollRecords, GroupConsumption consumption) {
        this.config = config;
        this.clientId = clientId;
        this.topic = topic;
        this.pollRecords = pollRecords;
        this.consumption = consumption;
        this.thread = Thread.ofPlatform().name(clientId).daemon().unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** Answers a message that it holds; any thread. */
    void answer(HeldMessage message, AcknowledgeType type) {
        answers.add(new Answer(message, type));
    }

    /** Lets it look whether there is something to do; any thread. */
    void nudge() {
        if (answers.isEmpty()) {
            answers.add(new Answer(null, AcknowledgeType.RENEW));
        }
    }

    /** Whether it cannot take more before something is answered. */
    boolean isBusy() {
        return busy;
    }

    /** Lets it release what it has and end; any thread. */
    void close() {
        closing = true;
        nudge();
        KafkaShareConsumer<byte[], byte[]> consumer = current;
        if (consumer != null) {
            consumer.wakeup();
        }
    }

    /** Waits until it has ended, in bounded time. */
    void awaitEnd() throws InterruptedException {
        thread.join(config.appends().closeTimeout().plusSeconds(1));
    }

    private void run() {
        try {
            while (!closing) {
                takeUntilItFails();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            consumption.ended(this);
        }
    }

    private void takeUntilItFails() throws InterruptedException {
        try (KafkaShareConsumer<byte[], byte[]> consumer =
                new KafkaShareConsumer<>(ClientProperties.shareConsumer(config, clientId, topic, pollRecords))) {
            current = consumer;
            consumer.setAcknowledgementCommitCallback(this::onCommitted);
            consumer.subscribe(List.of(topic));
            while (!closing && consumption.needs(this)) {
                turn(consumer);
            }
            closing = true;
            leave(consumer);
        } catch (RuntimeException e) {
            LOG.error("messages of {} cannot be taken; trying again", topic, e);
            consumption.failed();
            loseAll();
            pause();
        } finally {
            current = null;
        }
    }

    private void turn(KafkaShareConsumer<byte[], byte[]> consumer) throws InterruptedException {
        try {
            busy = !held.isEmpty() || !renewing.isEmpty();
            if (busy) {
                answerAndRenew(consumer);
            } else if (consumption.wantsMore()) {
                take(consumer.poll(POLL));
            } else {
                commit(consumer);
                answers.poll(IDLE_NANOS, TimeUnit.NANOSECONDS);
            }
            consumption.handOut();
        } catch (WakeupException e) {
            LOG.trace("woken up", e);
        }
    }

    private void answerAndRenew(KafkaShareConsumer<byte[], byte[]> consumer) throws InterruptedException {
        long renewalNanos = renewalNanos(consumer);
        Answer first = answers.poll(Math.clamp(renewalNanos, 0, IDLE_NANOS), TimeUnit.NANOSECONDS);
        long lingerUntil = System.nanoTime() + LINGER_NANOS;
        for (Answer next = first; next != null && !held.isEmpty(); ) {
            apply(consumer, next);
            if (next.message() == null) {
                break;
            }
            next = answers.poll(Math.max(0, lingerUntil - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
        if (!held.isEmpty() || !consumption.wantsMore()) {
            commit(consumer); // otherwise they go with the next poll
        }
        if (renewalNanos(consumer) <= 0 && !held.isEmpty()) {
            renew(consumer);
        }
        if (System.nanoTime() - heldSinceNanos > SLOW_NANOS) {
            consumption.slow();
        }
    }

    private void apply(KafkaShareConsumer<byte[], byte[]> consumer, Answer answer) {
        HeldMessage message = answer.message();
        if (message == null) {
            return;
        }
        if (held.remove(message.place(), message)) {
            consumer.acknowledge(message.record(), answer.type());
            uncommitted = true;
        } else if (renewing.containsKey(message.place())) {
            deferred.add(answer);
        }
    }

    private void commit(KafkaShareConsumer<byte[], byte[]> consumer) {
        if (uncommitted) {
            uncommitted = false;
            consumer.commitAsync();
        }
    }

    /** How long there is until what is held has to be renewed. */
    private long renewalNanos(KafkaShareConsumer<byte[], byte[]> consumer) {
        long lockMillis = consumer.acquisitionLockTimeoutMs().orElse(DEFAULT_LOCK_MILLIS);
        long due = lockedSinceNanos + TimeUnit.MILLISECONDS.toNanos(lockMillis / RENEWALS_A_LOCK);
        return due - System.nanoTime();
    }

    /** Renews all that is held: the client gives it out again, and only then takes answers to it. */
    private void renew(KafkaShareConsumer<byte[], byte[]> consumer) {
        lockedSinceNanos = System.nanoTime();
        while (!closing && !(held.isEmpty() && renewing.isEmpty())) {
            held.values().forEach(each -> consumer.acknowledge(each.record(), AcknowledgeType.RENEW));
            renewing.putAll(held);
            held.clear();
            take(consumer.poll(RENEWAL_POLL));
            if (renewing.isEmpty()) {
                break;
            }
        }
        List<Answer> late = List.copyOf(deferred);
        deferred.clear();
        late.forEach(each -> apply(consumer, each));
    }

    private void take(ConsumerRecords<byte[], byte[]> records) {
        List<HeldMessage> fresh = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            HeldMessage renewed = renewing.remove(new Place(record.partition(), record.offset()));
            HeldMessage message = renewed == null ? decode(record) : renewed;
            held.put(message.place(), message);
            if (renewed == null) {
                fresh.add(message);
            }
        }
        if (!fresh.isEmpty()) {
            uncommitted = false; // sent with the poll
            heldSinceNanos = System.nanoTime();
            lockedSinceNanos = heldSinceNanos;
            busy = true;
            consumption.offer(fresh);
        }
    }

    private HeldMessage decode(ConsumerRecord<byte[], byte[]> record) {
        int deliveries = record.deliveryCount().orElse((short) 1);
        Message message = null;
        try {
            message = AppRecordFormat.decode(record, null).message();
        } catch (UnreadableRecordException e) {
            LOG.error("record {} of {}-{} cannot be read", record.offset(), topic, record.partition(), e);
        }
        return new HeldMessage(this, record, message, deliveries);
    }

    /** What the servers did not take is theirs again, or will be when its lock runs out. */
    private void onCommitted(Map<TopicIdPartition, Set<Long>> offsets, @Nullable Exception failure) {
        if (failure == null) {
            return;
        }
        LOG.warn("{} of {} is not acknowledged and may come again: {}", offsets, topic, failure.toString());
        consumption.failed();
        offsets.forEach((partition, all) -> all.forEach(offset -> {
            HeldMessage lost = renewing.remove(new Place(partition.partition(), offset));
            if (lost != null) {
                consumption.lost(lost);
            }
        }));
    }

    private void leave(KafkaShareConsumer<byte[], byte[]> consumer) {
        for (HeldMessage each : held.values()) {
            if (consumption.wasHandedOut(each)) {
                consumer.acknowledge(each.record(), AcknowledgeType.RELEASE);
            }
        }
        consumer.close(config.appends().closeTimeout());
    }

    private void loseAll() {
        held.values().forEach(consumption::lost);
        renewing.values().forEach(consumption::lost);
        held.clear();
        renewing.clear();
        deferred.clear();
        uncommitted = false;
        busy = false;
    }

    private void pause() throws InterruptedException {
        if (!closing) {
            TimeUnit.NANOSECONDS.sleep(RETRY_NANOS);
        }
    }
}
