package io.tributary.cluster.kafka.audit;

import io.tributary.cluster.kafka.Appending;
import io.tributary.cluster.kafka.ClientProperties;
import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaClients;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.KafkaTopics;
import io.tributary.cluster.kafka.OrderedProducer;
import io.tributary.cluster.kafka.PartitionQueue;
import io.tributary.cluster.kafka.TopicRules;
import io.tributary.persistence.audit.AuditLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The audit log of a cluster: the topic {@code <prefix>.audit}, of one partition. Positions are offsets. A consumer
 * lives for one reading only, for administrators read seldom.
 */
public final class KafkaAuditLog implements AuditLog, Appending {
    private static final int WAITING_READS = 16;
    private static final Duration LONGEST_READ = Duration.ofSeconds(10);
    private static final Duration POLL = Duration.ofMillis(200);

    private final KafkaConfig config;
    private final String clientId;
    private final TopicPartition partition;
    private final OrderedProducer producer;
    private final PartitionQueue queue;
    private final ExecutorService readers;

    /**
     * Creates the topic if it is not there, and connects. Blocks for at most the configured time.
     *
     * @param clientId names this node in Kafka's logs and metrics
     * @param onBroken told once when an entry could not be made durable for good; must not block
     * @throws KafkaAccessException when Kafka does not answer, or the topic is not as it must be
     */
    public KafkaAuditLog(KafkaConfig config, String clientId, KafkaRecorder recorder, Consumer<Throwable> onBroken) {
        this.config = config;
        this.clientId = clientId + "-audit";
        partition = new TopicPartition(config.auditTopic(), 0);
        int _ = KafkaTopics.ensure(config, List.of(TopicRules.audit(config)));
        producer = new OrderedProducer(config, this.clientId, 1, recorder, onBroken);
        try {
            int _ = producer.await(partition.topic());
        } catch (RuntimeException e) {
            producer.abandon();
            throw e;
        }
        queue = producer.queue(partition);
        readers = new ThreadPoolExecutor(
                1,
                1,
                1,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(WAITING_READS),
                Thread.ofPlatform().daemon().name(this.clientId + "-reader").factory());
    }

    @Override
    public CompletionStage<@Nullable Void> append(byte[] entry) {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        if (entry.length > LARGEST_ENTRY_BYTES) {
            done.completeExceptionally(
                    new KafkaAccessException("an audit entry of " + entry.length + " bytes is too long"));
            return done;
        }
        boolean isTaken = queue.send(null, entry, (_, failure) -> {
            if (failure == null) {
                done.complete(null);
            } else {
                done.completeExceptionally(failure);
            }
        });
        if (!isTaken) {
            done.completeExceptionally(new KafkaAccessException("too many audit entries wait for Kafka"));
        }
        return done;
    }

    @Override
    public CompletionStage<List<Entry>> read(long before, int most) {
        CompletableFuture<List<Entry>> entries = new CompletableFuture<>();
        try {
            readers.execute(() -> {
                try (KafkaConsumer<byte[], byte[]> consumer =
                        KafkaClients.consumer(config, ClientProperties.appConsumer(config, clientId))) {
                    entries.complete(read(consumer, before, most));
                } catch (KafkaException | KafkaAccessException e) {
                    entries.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            entries.completeExceptionally(new KafkaAccessException("too much of the audit log is being read", e));
        }
        return entries;
    }

    private List<Entry> read(KafkaConsumer<byte[], byte[]> consumer, long before, int most) {
        List<TopicPartition> one = List.of(partition);
        consumer.assign(one);
        long last = consumer.endOffsets(one, LONGEST_READ).getOrDefault(partition, 0L);
        long first = consumer.beginningOffsets(one, LONGEST_READ).getOrDefault(partition, 0L);
        long end = Math.min(before, last);
        long begin = Math.max(first, end - most);
        List<Entry> entries = new ArrayList<>();
        if (begin >= end) {
            return entries;
        }
        consumer.seek(partition, begin);
        long deadline = System.nanoTime() + LONGEST_READ.toNanos();
        while (consumer.position(partition, LONGEST_READ) < end) {
            if (System.nanoTime() - deadline >= 0) {
                throw new KafkaAccessException("Kafka does not give the audit log in time");
            }
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL).records(partition)) {
                if (record.offset() < end) {
                    entries.add(new Entry(record.offset(), record.timestamp(), record.value()));
                }
            }
        }
        Collections.reverse(entries);
        return entries;
    }

    @Override
    public long oldestAppendNanos() {
        return producer.oldestAppendNanos();
    }

    @Override
    public void close() {
        readers.shutdownNow();
        producer.close();
    }
}
