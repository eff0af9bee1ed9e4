package io.tributary.cluster.kafka.app;

import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.PartitionQueue;
import io.tributary.cluster.kafka.TopicNeeds;
import io.tributary.persistence.shard.AppendCallback;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records on their way into one partition of an application's topic. Safe for all threads. They are given to
 * Kafka's producer in their order; records that it cannot take yet are held. Callbacks come one at a time, in that
 * order.
 *
 * <p>A topic that was made when packets were smaller refuses a large record until it is made to take that. So a large
 * record goes alone: nothing of the partition is on its way with it, and it can be sent again in its turn.
 */
final class AppTopicQueue {
    private static final Logger LOG = LoggerFactory.getLogger(AppTopicQueue.class);

    /** Metadata propagates late: a topic is only given up when it has been unknown for longer than that. */
    private static final long UNKNOWN_NANOS = TimeUnit.SECONDS.toNanos(3);

    private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(5);

    /** Every topic takes so much, in bytes, whatever the largest packet was when it was made. */
    private static final int TAKEN_BYTES = TopicNeeds.RECORD_OVERHEAD_BYTES;
    /** A changed setting propagates late, too: a large record is only given up when it was refused so often. */
    private static final int MOST_REFUSALS = 10;

    private final AppProducer producer;
    private final TopicPartition partition;

    // Guarded by this.
    /** All whose callback was not called, the oldest first. */
    private final ArrayDeque<Sending> waiting = new ArrayDeque<>();
    /** The records among them that were not given to Kafka's producer yet. */
    private final ArrayDeque<Sending> unsent = new ArrayDeque<>();

    private AppSender sender;
    /** How many of the waiting ones the sender has. */
    private int underWay;
    /** Whether that is a large one. */
    private boolean isLargeUnderWay;
    /** Whether the topic is being made to take the first of the unsent ones. */
    private boolean isRaising;

    private long usedNanos = System.nanoTime();
    private boolean missed;
    private boolean telling;
    private boolean retired;

    AppTopicQueue(AppProducer producer, TopicPartition partition) {
        this.producer = producer;
        this.partition = partition;
        this.sender = producer.sender();
    }

    /** Sends a record, or fails it in its turn; false when the queue is retired. */
    boolean add(ProducerRecord<byte[], byte[]> record, int bytes, BooleanSupplier isWanted, AppendCallback callback) {
        synchronized (this) {
            if (retired) {
                return false;
            }
            usedNanos = System.nanoTime();
            Sending sending = new Sending(record, bytes, isWanted, callback, usedNanos);
            waiting.add(sending);
            RuntimeException obstacle = producer.obstacle(bytes);
            if (obstacle == null) {
                unsent.add(sending);
            } else {
                sending.end(-1, obstacle);
            }
        }
        pump();
        return true;
    }

    /** Gives to Kafka what it takes, and calls back for what is done. */
    void pump() {
        Throwable failure;
        synchronized (this) {
            failure = sendUnsent();
        }
        if (failure != null) {
            producer.failed(producer.sender(), failure, false);
        }
        callBackOldest();
    }

    /** Why a record cannot be sent for good, if so. */
    private @Nullable Throwable sendUnsent() {
        AppSender current = producer.sender();
        if (!current.equals(sender) && underWay > 0) {
            return null; // what the old one has comes first
        }
        sender = current;
        while (!unsent.isEmpty() && !isRaising) {
            Sending next = unsent.peek();
            if (underWay > 0 && (next.isLarge() || isLargeUnderWay)) {
                return null;
            }
            next.give();
            if (PartitionQueue.isPassing(next.failure)) {
                next.failure = null;
                producer.hold(this);
                return null;
            }
            unsent.remove();
            if (next.failure != null) {
                next.done = true;
                return next.failure;
            }
            underWay++;
            isLargeUnderWay = next.isLarge();
        }
        return null;
    }

    /** The topic was made to take large records, or that could not be done: the one that it refused is sent again. */
    void raised() {
        synchronized (this) {
            isRaising = false;
        }
        pump();
    }

    synchronized boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** For how long the oldest record has waited that Kafka has not acknowledged; 0 where none waits. */
    synchronized long waitedNanos(long nowNanos) {
        Sending oldest = waiting.peek();
        return oldest == null ? 0 : Math.max(0, nowNanos - oldest.sinceNanos); // it may be newer
    }

    /** Whether the oldest record has waited so long that the topic may be gone. */
    synchronized boolean hasWaited(long nowNanos) {
        Sending oldest = waiting.peek();
        if (oldest == null || oldest.done) {
            missed = false;
        }
        return oldest != null && !oldest.done && nowNanos - oldest.sinceNanos >= UNKNOWN_NANOS;
    }

    /**
     * Kafka has said whether there is the topic; what waited long before that, and nobody wants, is given up when it
     * said no twice.
     *
     * @return whether the topic is to be made anew, for a session wants what waits
     */
    boolean asked(long askedNanos, boolean exists) {
        boolean isWanted = false;
        synchronized (this) {
            boolean isGone = !exists && missed;
            missed = !exists && !missed;
            if (isGone) {
                isWanted = giveUpLongWaiting(askedNanos);
            }
        }
        pump(); // also what came while a sender had something that another queue has replaced since
        return isWanted;
    }

    private boolean giveUpLongWaiting(long askedNanos) {
        int stuck = 0;
        boolean isWanted = false;
        for (Sending each : waiting) {
            if (each.done || askedNanos - each.sinceNanos < UNKNOWN_NANOS) {
                continue;
            }
            if (each.isWanted.getAsBoolean()) {
                isWanted = true;
            } else {
                stuck += unsent.remove(each) ? 0 : 1;
                each.end(-1, null);
            }
        }
        if (stuck > 0) {
            underWay -= stuck;
            producer.replace(sender);
            sender.done(stuck);
        }
        return isWanted;
    }

    /** Fails all that nothing is known of yet, though it may have become durable. */
    void fail(KafkaAccessException reason) {
        synchronized (this) {
            unsent.clear();
            sender.done(underWay);
            underWay = 0;
            waiting.stream().filter(each -> !each.done).forEach(each -> each.end(-1, reason));
        }
        callBackOldest();
    }

    /** Ends the queue if it has not been used for long. */
    synchronized boolean retireIfIdle(long nowNanos) {
        retired = waiting.isEmpty() && nowNanos - usedNanos > IDLE_NANOS;
        return retired;
    }

    /** Calls back for the oldest records, as far as it is known what became of them; as {@code PartitionQueue} does. */
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

    /** A record that is to be sent, was given to Kafka, or is to fail in its turn. */
    private final class Sending implements Callback {
        private final ProducerRecord<byte[], byte[]> record;
        private final int bytes;
        private final BooleanSupplier isWanted;
        private final AppendCallback callback;
        private final long sinceNanos;

        // Guarded by the queue.
        private @Nullable AppSender through;
        private long offset = -1;
        private @Nullable Throwable failure;
        private int refusals;
        private boolean done;

        private Sending(
                ProducerRecord<byte[], byte[]> record,
                int bytes,
                BooleanSupplier isWanted,
                AppendCallback callback,
                long sinceNanos) {
            this.isWanted = isWanted;
            this.record = record;
            this.bytes = bytes;
            this.callback = callback;
            this.sinceNanos = sinceNanos;
        }

        private void end(long newOffset, @Nullable Throwable newFailure) {
            offset = newOffset;
            failure = newFailure;
            done = true;
        }

        /** Whether the topic may refuse it. */
        private boolean isLarge() {
            return bytes > TAKEN_BYTES;
        }

        /** Gives the record to the queue's sender; {@link #failure} says when it was not taken. */
        private void give() {
            AppSender to = sender;
            to.send(record, this);
            if (failure == null) {
                through = to;
            } else {
                to.done(1);
            }
        }

        @Override
        public void onCompletion(@Nullable RecordMetadata metadata, @Nullable Exception exception) {
            AppSender from;
            boolean isRefused;
            synchronized (AppTopicQueue.this) {
                if (done) {
                    return; // given up
                }
                from = through;
                if (from == null) {
                    failure = exception;
                    return; // on the sender's thread, which goes on with it
                }
                underWay--;
                isRefused = exception instanceof RecordTooLargeException && isLarge() && refusals < MOST_REFUSALS;
                if (isRefused) {
                    refuse();
                } else {
                    end(exception == null && metadata != null ? metadata.offset() : -1, exception);
                }
            }
            from.done(1);
            if (isRefused) {
                producer.raise(AppTopicQueue.this, partition.topic(), bytes, refusals);
                return;
            }
            if (exception != null) {
                producer.failed(from, exception, true);
            }
            pump();
        }

        private void refuse() {
            refusals++;
            through = null;
            unsent.addFirst(this);
            isRaising = true;
        }

        private void callBack() {
            try {
                callback.onAppended(offset, failure);
            } catch (RuntimeException | Error e) { // Kafka's thread and the records behind it go on
                LOG.error("a callback of {} failed", partition, e);
            } finally {
                producer.release(bytes);
            }
        }
    }
}
