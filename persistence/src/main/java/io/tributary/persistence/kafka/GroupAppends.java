package io.tributary.persistence.kafka;

import io.tributary.persistence.limit.ByteBudget;
import io.tributary.persistence.shard.AppendCallback;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Callback;
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
    private static final int TIMES_MISSED = 100;

    private final KafkaConfig config;
    private final GroupAdmin admin;
    private final KafkaRecorder recorder;
    private final ByteBudget budget;
    private final Producer<byte[], byte[]> producer;
    private final Executor later = CompletableFuture.delayedExecutor(RETRY_MILLIS, TimeUnit.MILLISECONDS);
    private volatile boolean closed;

    /** By topic, what waits for it to be known; also guards the order of sending. */
    private final Map<String, List<Sending>> blocked = new HashMap<>();

    GroupAppends(KafkaConfig config, String clientId, GroupAdmin admin, KafkaRecorder recorder) {
        this.config = config;
        this.admin = admin;
        this.recorder = recorder;
        this.budget = new ByteBudget(config.appends().bufferBytes());
        try {
            this.producer = new KafkaProducer<>(ClientProperties.groupProducer(config, clientId));
        } catch (KafkaException e) {
            throw new KafkaAccessException(AccessFailure.words(config, e), e);
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
        send(new Sending(record, bytes, callback));
        return true;
    }

    /** Sends it, or lets it wait behind others of the same topic that could not be sent. */
    @SuppressWarnings("FutureReturnValueIgnored") // the callback is told
    private void send(Sending sending) {
        synchronized (blocked) {
            List<Sending> before = blocked.get(sending.record.topic());
            if (before != null) {
                before.add(sending);
                return;
            }
            try {
                producer.send(sending.record, sending);
            } catch (RuntimeException e) {
                sending.tell(-1, new KafkaAccessException("a record cannot be sent: " + e.getMessage(), e));
            }
        }
    }

    /** Finds out whether there is still such a topic before anything is sent to it again. */
    private void block(Sending sending) {
        String topic = sending.record.topic();
        synchronized (blocked) {
            List<Sending> others = blocked.get(topic);
            if (others != null) {
                others.add(sending);
                return;
            }
            blocked.put(topic, new ArrayList<>(List.of(sending)));
        }
        ask(topic, 1);
    }

    /** A topic that was just created is not known to all servers at once. */
    private void ask(String topic, int times) {
        admin.exists(topic).whenComplete((exists, failure) -> {
            if (failure != null || exists) {
                later.execute(() -> sendAgain(topic));
            } else if (times < TIMES_MISSED) {
                later.execute(() -> ask(topic, times + 1));
            } else {
                unblock(topic).forEach(each -> each.tell(-1, null));
            }
        });
    }

    private void sendAgain(String topic) {
        synchronized (blocked) {
            unblock(topic).forEach(this::send);
        }
    }

    private List<Sending> unblock(String topic) {
        synchronized (blocked) {
            List<Sending> sendings = blocked.remove(topic);
            return sendings == null ? List.of() : sendings;
        }
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
        List<String> topics;
        synchronized (blocked) {
            topics = List.copyOf(blocked.keySet());
        }
        KafkaAccessException failure = new KafkaAccessException("closed before Kafka had answered");
        topics.forEach(topic -> unblock(topic).forEach(each -> each.tell(-1, failure)));
    }

    /** A record that was accepted. */
    private final class Sending implements Callback {
        private final ProducerRecord<byte[], byte[]> record;
        private final int bytes;
        private final AppendCallback callback;

        private Sending(ProducerRecord<byte[], byte[]> record, int bytes, AppendCallback callback) {
            this.record = record;
            this.bytes = bytes;
            this.callback = callback;
        }

        @Override
        public void onCompletion(@Nullable RecordMetadata metadata, @Nullable Exception failure) {
            if (failure == null) {
                tell(metadata == null ? -1 : metadata.offset(), null);
            } else if (failure instanceof RetriableException && !closed) {
                block(this);
            } else {
                LOG.error("a record of {} cannot be written", record.topic(), failure);
                recorder.onError();
                tell(-1, failure);
            }
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
