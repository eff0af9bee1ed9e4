package io.tributary.cluster.kafka;

import io.tributary.persistence.shard.AppendCallback;
import java.util.ArrayDeque;
import java.util.List;
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
 */
public final class PartitionQueue {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionQueue.class);

    private final OrderedProducer producer;
    private final TopicPartition partition;
    private final List<Header> headers;

    // Guarded by this.
    private final ArrayDeque<Sending> waiting = new ArrayDeque<>();
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
        Sending sending = new Sending(sizeOf(key, value), callback);
        if (!producer.acquire(sending.bytes)) {
            return false;
        }
        Throwable failure = enqueue(sending, key, value);
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

    /**
     * Why Kafka did not take a record that nothing of ours stood against; one that timed out is not among those
     * waiting.
     */
    private synchronized @Nullable Throwable enqueue(Sending sending, byte @Nullable [] key, byte @Nullable [] value) {
        waiting.add(sending);
        sending.failure = producer.obstacle(sending.bytes);
        if (sending.failure != null) {
            sending.done = true;
            return null;
        }
        producer.send(new ProducerRecord<>(partition.topic(), partition.partition(), key, value, headers), sending);
        if (isPassing(sending.failure)) {
            waiting.removeLast();
        }
        sending.done = sending.failure != null;
        sending.handedOver = true;
        return sending.failure;
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
        }
        callBackOldest();
    }

    /** Calls back for the oldest records, as far as it is known what became of them. */
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

        // Guarded by the lane.
        private long offset = -1;
        private long timeMillis;
        private @Nullable Throwable failure;
        private boolean handedOver;
        private boolean done;

        private Sending(int bytes, TimedCallback callback) {
            this.bytes = bytes;
            this.callback = callback;
        }

        @Override
        public void onCompletion(@Nullable RecordMetadata metadata, @Nullable Exception exception) {
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
                }
                done = true;
            }
            if (exception != null) {
                producer.failed(exception, true);
            }
            callBackOldest();
        }

        private void callBack() {
            try {
                callback.onAppended(offset, timeMillis, failure);
            } catch (RuntimeException e) {
                LOG.error("a callback of {} failed", partition, e);
            } finally {
                producer.release(bytes);
            }
        }
    }
}
