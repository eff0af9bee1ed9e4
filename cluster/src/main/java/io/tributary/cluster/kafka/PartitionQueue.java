package io.tributary.cluster.kafka;

import io.tributary.persistence.shard.AppendCallback;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records on their way into one partition. Safe for all threads. Callbacks come one at a time in the order of
 * sending, which is that of offsets, also when the answers of an old leader and a new one cross; a record that fails at
 * once waits for those before it.
 *
 * <p>A server that knows nothing of a producer in a partition takes whatever batch of it comes first. Should it refuse
 * the first one, say because it has only just become the leader, and take the second one, which is on its way already,
 * then the first one is out of order for good. So nothing is sent behind the first record before Kafka has that; the
 * same after a time in which nothing was sent, for Kafka forgets producers that are idle.
 */
public final class PartitionQueue {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionQueue.class);

    /** Kafka knows a producer for longer than that: for a day, unless its producer.id.expiration.ms says otherwise. */
    private static final long KNOWN_NANOS = TimeUnit.HOURS.toNanos(1);
    /** So old a record is no more on its way as others are. */
    private static final long LATE_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final OrderedProducer producer;
    private final TopicPartition partition;
    private final List<Header> headers;

    // Guarded by this.
    private final ArrayDeque<Sending> waiting = new ArrayDeque<>();
    /** Those of {@link #waiting} that are sent when Kafka has the one before them. */
    private final ArrayDeque<Sending> held = new ArrayDeque<>();
    /** Whether a record is under way behind which nothing is sent. */
    private boolean opening;
    /** Whether Kafka has taken a record, and when the last one came here. */
    private boolean isKnown;

    private long takenNanos;
    private boolean telling;

    /** Told as {@link AppendCallback} is, and also when the record was appended. */
    @FunctionalInterface
    public interface TimedCallback {
        /**
         * The record is durable, or will never be.
         *
         * @param timeMillis when Kafka appended it, where the topic has such times; without meaning when it failed
         */
        void onAppended(long offset, long timeMillis, @Nullable Throwable failure);
    }

    /** @param headers those of each record */
    PartitionQueue(OrderedProducer producer, TopicPartition partition, List<Header> headers) {
        this.producer = producer;
        this.partition = partition;
        this.headers = headers;
    }

    /** What a record counts for, in bytes. */
    public static int sizeOf(byte @Nullable [] key, byte @Nullable [] value) {
        int payload = (key == null ? 0 : key.length) + (value == null ? 0 : value.length);
        return payload + ClientProperties.RECORD_OVERHEAD_BYTES;
    }

    /**
     * Sends a record.
     *
     * @return false when there is no room: nothing was sent, the callback will not be called
     */
    public boolean send(byte @Nullable [] key, byte @Nullable [] value, AppendCallback callback) {
        return sendTimed(key, value, (offset, _, failure) -> callback.onAppended(offset, failure));
    }

    /** The same for a caller who wants to know the time as well. */
    public boolean sendTimed(byte @Nullable [] key, byte @Nullable [] value, TimedCallback callback) {
        Sending sending = new Sending(record(key, value), sizeOf(key, value), callback, producer.nanos());
        if (!producer.acquire(sending.bytes)) {
            noteLate(sending.sinceNanos);
            return false;
        }
        Throwable failure = enqueue(sending);
        if (isPassing(failure)) {
            producer.stall();
            producer.release(sending.bytes);
            return false;
        }
        if (failure != null) {
            producer.failed(failure, false);
        }
        callBackOldest();
        return true;
    }

    private ProducerRecord<byte[], byte[]> record(byte @Nullable [] key, byte @Nullable [] value) {
        return new ProducerRecord<>(partition.topic(), partition.partition(), key, value, headers);
    }

    private synchronized void noteLate(long nowNanos) {
        long waited = waitedNanos(nowNanos);
        if (waited > LATE_NANOS) {
            producer.late(partition, waited);
        }
    }

    /** For how long the oldest record has waited that Kafka has not acknowledged; 0 where none waits. */
    synchronized long waitedNanos(long nowNanos) {
        Sending oldest = waiting.peek();
        return oldest == null ? 0 : Math.max(0, nowNanos - oldest.sinceNanos); // it may be newer
    }

    /**
     * Why Kafka did not take a record that nothing of ours stood against; one that timed out is not among those
     * waiting.
     */
    private synchronized @Nullable Throwable enqueue(Sending sending) {
        if (waiting.isEmpty() && sending.sinceNanos - takenNanos > KNOWN_NANOS) {
            isKnown = false;
        }
        noteLate(sending.sinceNanos);
        waiting.add(sending);
        sending.failure = producer.obstacle(sending.bytes);
        if (sending.failure != null) {
            sending.done = true;
            return null;
        }
        if (opening || !held.isEmpty()) {
            held.add(sending);
            return null;
        }
        sending.handOver();
        if (isPassing(sending.failure)) {
            waiting.removeLast();
        }
        opening = !isKnown && sending.failure == null;
        return sending.failure;
    }

    /** Kafka has the first record, or never will: sends those behind it. */
    private void sendHeld() {
        for (Throwable failure = handOverHeld(); failure != null; failure = handOverHeld()) {
            producer.failed(failure, false);
        }
        callBackOldest();
    }

    /** Why Kafka did not take one of those that are held, which is not held any more. */
    private synchronized @Nullable Throwable handOverHeld() {
        opening = false;
        for (Sending next = held.peek(); next != null; next = held.peek()) {
            next.failure = producer.broken();
            if (next.failure != null) {
                next.done = true;
                held.remove();
                continue;
            }
            next.handOver();
            if (isPassing(next.failure)) {
                next.takeBack();
                producer.later(this::sendHeld);
                return null;
            }
            held.remove();
            if (next.failure != null) {
                return next.failure;
            }
        }
        notifyAll();
        return null;
    }

    /** What is behind a record that Kafka never takes is not to be there without it, also while this closes. */
    private void failHeld(Exception reason) {
        for (Sending each : held) {
            each.failure = reason;
            each.done = true;
        }
        held.clear();
    }

    /** Waits until nothing is held, or it is late, by the clock of the process, or the thread is interrupted. */
    synchronized void awaitHeld(long deadlineNanos) {
        try {
            while (!held.isEmpty() && deadlineNanos - System.nanoTime() > 0) {
                TimeUnit.NANOSECONDS.timedWait(this, deadlineNanos - System.nanoTime());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Whether Kafka did not take a record for now: it is not known where to send it, or the last server has refused the
     * user.
     */
    public static boolean isPassing(@Nullable Throwable failure) {
        return failure instanceof TimeoutException || failure instanceof AuthenticationException;
    }

    /** Fails records of which Kafka has said nothing yet, though they may have become durable. */
    void giveUp() {
        synchronized (this) {
            for (Sending sending : waiting) {
                if (!sending.done) {
                    sending.failure = new KafkaAccessException("closed before Kafka had answered");
                    sending.done = true;
                }
            }
            held.clear();
        }
        callBackOldest();
    }

    /** Calls back for the oldest records, as far as it is known what became of them; as {@code AppTopicQueue} does. */
    private void callBackOldest() {
        Sending told = null;
        while (true) {
            synchronized (this) {
                if (told != null) {
                    telling = false;
                }
                Sending oldest = waiting.peek();
                if (telling || oldest == null || !oldest.done) {
                    return;
                }
                telling = true;
                told = waiting.remove();
            }
            told.callBack();
        }
    }

    /** A record that Kafka was given, or that is to fail when those before it are done. */
    private final class Sending implements Callback {
        private final int bytes;
        private final TimedCallback callback;
        private final long sinceNanos;

        // Guarded by the queue.
        /** Until Kafka has a copy. */
        private @Nullable ProducerRecord<byte[], byte[]> record;

        private long offset = -1;
        private long timeMillis;
        private @Nullable Throwable failure;
        private boolean handedOver;
        private boolean done;

        private Sending(ProducerRecord<byte[], byte[]> record, int bytes, TimedCallback callback, long sinceNanos) {
            this.record = record;
            this.bytes = bytes;
            this.callback = callback;
            this.sinceNanos = sinceNanos;
        }

        /** Gives the record to Kafka; a failure comes at once. */
        private void handOver() {
            producer.send(Objects.requireNonNull(record), this);
            done = failure != null;
            handedOver = true;
            if (!done) {
                record = null;
            }
        }

        /** Kafka did not take the record for now. */
        private void takeBack() {
            failure = null;
            done = false;
            handedOver = false;
        }

        @Override
        public void onCompletion(@Nullable RecordMetadata metadata, @Nullable Exception exception) {
            boolean isFirst;
            synchronized (PartitionQueue.this) {
                if (done) {
                    return; // given up
                }
                failure = exception;
                if (!handedOver) {
                    return; // on the sender's thread, which goes on with it
                }
                if (exception == null && metadata != null) {
                    offset = metadata.offset();
                    timeMillis = metadata.timestamp();
                    isKnown = true;
                    takenNanos = sinceNanos;
                }
                done = true;
                isFirst = opening;
                if (isFirst && exception != null) {
                    failHeld(exception);
                }
            }
            if (exception != null) {
                producer.failed(exception, true);
            }
            if (isFirst) {
                sendHeld();
            } else {
                callBackOldest();
            }
        }

        private void callBack() {
            try {
                callback.onAppended(offset, timeMillis, failure);
            } catch (RuntimeException | Error e) { // Kafka's thread and the records behind it go on
                LOG.error("a callback of {} failed", partition, e);
            } finally {
                producer.release(bytes);
            }
        }
    }
}
