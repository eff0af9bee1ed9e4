package io.tributary.persistence.kafka;

import io.tributary.persistence.limit.ByteBudget;
import io.tributary.persistence.shard.AppendCallback;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends records to topics that come and go, until they are durable or their topic is known to be gone. A record may be
 * written twice, and others may overtake it, when the servers fail. Safe for all threads; it never blocks.
 */
final class GroupAppends implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GroupAppends.class);

    private static final long RETRY_MILLIS = 50;

    private final KafkaConfig config;
    private final GroupAdmin admin;
    private final KafkaRecorder recorder;
    private final ByteBudget budget;
    private final Producer<byte[], byte[]> producer;
    private final Executor later = CompletableFuture.delayedExecutor(RETRY_MILLIS, TimeUnit.MILLISECONDS);
    private volatile boolean closed;

    GroupAppends(KafkaConfig config, String clientId, GroupAdmin admin, KafkaRecorder recorder) {
        this.config = config;
        this.admin = admin;
        this.recorder = recorder;
        this.budget = new ByteBudget(config.appends().bufferBytes());
        try {
            this.producer = new KafkaProducer<>(ClientProperties.groupProducer(config, clientId));
        } catch (KafkaException e) {
            throw new KafkaAccessException(KafkaTopics.unreachable(config, e), e);
        }
    }

    /**
     * Sends a record.
     *
     * @param callback told offset -1 and no failure when there is no such topic
     * @return false when there is no room: nothing is sent, the callback will not be called
     */
    boolean send(ProducerRecord<byte[], byte[]> record, AppendCallback callback) {
        int bytes = AppRecordFormat.sizeBytes(record) + OrderedProducer.RECORD_OVERHEAD_BYTES;
        if (closed) {
            callback.onAppended(-1, new KafkaAccessException("closed"));
            return true;
        }
        if (!budget.tryAcquire(bytes)) {
            recorder.onRefusal();
            return false;
        }
        new Sending(record, bytes, callback).attempt();
        return true;
    }

    void onRoom(Runnable action) {
        budget.onRoom(action);
    }

    /** Completes what was accepted, for as long as the configuration says; what is left then fails. */
    @Override
    public void close() {
        Duration timeout = config.appends().closeTimeout();
        closed = true;
        producer.close(timeout);
    }

    /** A record that was accepted. */
    private final class Sending {
        private final ProducerRecord<byte[], byte[]> record;
        private final int bytes;
        private final AppendCallback callback;

        private Sending(ProducerRecord<byte[], byte[]> record, int bytes, AppendCallback callback) {
            this.record = record;
            this.bytes = bytes;
            this.callback = callback;
        }

        @SuppressWarnings("FutureReturnValueIgnored") // the callback is told
        private void attempt() {
            if (closed) {
                tell(-1, new KafkaAccessException("closed"));
                return;
            }
            try {
                producer.send(record, this::onCompletion);
            } catch (RuntimeException e) {
                tell(-1, new KafkaAccessException("a record cannot be sent: " + e.getMessage(), e));
            }
        }

        private void onCompletion(@Nullable RecordMetadata metadata, @Nullable Exception failure) {
            if (failure == null) {
                tell(metadata == null ? -1 : metadata.offset(), null);
            } else if (failure instanceof RetriableException && !closed) {
                askForTopic();
            } else {
                LOG.error("a record of {} cannot be written", record.topic(), failure);
                recorder.onError();
                tell(-1, failure);
            }
        }

        private void askForTopic() {
            admin.exists(record.topic()).whenComplete((exists, failure) -> {
                if (failure == null && !exists) {
                    tell(-1, null);
                } else {
                    later.execute(this::attempt);
                }
            });
        }

        private void tell(long offset, @Nullable Throwable failure) {
            try {
                callback.onAppended(offset, failure);
            } catch (RuntimeException e) {
                LOG.error("a callback of {} failed", record.topic(), e);
            } finally {
                budget.release(bytes);
            }
        }
    }
}
