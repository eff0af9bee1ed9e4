package io.tributary.cluster.kafka.ingest;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tributary.cluster.kafka.ClientProperties;
import io.tributary.cluster.kafka.KafkaClients;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies records that cannot be published to a topic where people look at them: key, value and headers as they were,
 * with headers behind them that say where each was and what is wrong with it. A copy that Kafka does not take within a
 * minute is given up, and logged; so are all of the next 30 seconds where Kafka does not know the topic, which a thread
 * finds out by waiting.
 */
final class IngestDeadLetters implements AutoCloseable {
    static final String REASON = "dead-letter.reason";
    static final String TOPIC = "dead-letter.topic";
    static final String PARTITION = "dead-letter.partition";
    static final String OFFSET = "dead-letter.offset";

    private static final Logger LOG = LoggerFactory.getLogger(IngestDeadLetters.class);

    private static final Duration UNTRIED = Duration.ofSeconds(30);

    private final String topic;
    private final Duration closeTimeout;
    private final KafkaRecorder recorder;
    private final Producer<byte[], byte[]> producer;
    private volatile long blockedNanos = System.nanoTime() - UNTRIED.toNanos();

    IngestDeadLetters(KafkaConfig config, String clientId, String topic, KafkaRecorder recorder) {
        this.topic = topic;
        this.closeTimeout = config.appends().closeTimeout();
        this.recorder = recorder;
        this.producer =
                KafkaClients.producer(config, ClientProperties.ingestProducer(config, clientId + "-dead-letters"));
    }

    /**
     * Copies a record. May block for a moment where Kafka is slow, but no longer than
     * {@link ClientProperties#INGEST_BLOCK}.
     *
     * @param done called once, when there is a copy or will be none; on any thread
     */
    @SuppressWarnings("FutureReturnValueIgnored") // the callback is told
    void add(ConsumerRecord<byte[], byte[]> record, String reason, Runnable done) {
        if (System.nanoTime() - blockedNanos < UNTRIED.toNanos()) {
            giveUp(record, new TimeoutException("Kafka did not know the topic some seconds ago"));
            done.run();
            return;
        }
        Headers headers = new RecordHeaders(record.headers().toArray());
        headers.add(REASON, reason.getBytes(UTF_8));
        headers.add(TOPIC, record.topic().getBytes(UTF_8));
        headers.add(PARTITION, Integer.toString(record.partition()).getBytes(UTF_8));
        headers.add(OFFSET, Long.toString(record.offset()).getBytes(UTF_8));
        long begun = System.nanoTime();
        try {
            producer.send(new ProducerRecord<>(topic, null, record.key(), record.value(), headers), (_, failure) -> {
                if (failure != null) {
                    giveUp(record, failure);
                }
                done.run();
            });
            if (System.nanoTime() - begun >= ClientProperties.INGEST_BLOCK.toNanos()) {
                blockedNanos = System.nanoTime();
            }
        } catch (KafkaException | IllegalStateException e) {
            giveUp(record, e);
            done.run();
        }
    }

    private void giveUp(ConsumerRecord<byte[], byte[]> record, Exception failure) {
        recorder.onError();
        LOG.warn(
                "{}-{} at {} is not copied to {}: {}",
                record.topic(),
                record.partition(),
                record.offset(),
                topic,
                failure.toString());
    }

    @Override
    public void close() {
        producer.close(closeTimeout);
    }
}
