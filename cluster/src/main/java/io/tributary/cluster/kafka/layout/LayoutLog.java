package io.tributary.cluster.kafka.layout;

import io.tributary.cluster.kafka.ClientProperties;
import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaClients;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaTopics;
import io.tributary.cluster.kafka.TopicRules;
import io.tributary.cluster.kafka.WholeTopic;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;

/**
 * The topic {@code <prefix>.layout}, which says what generation of shards counts. It is there once the shards of a
 * cluster were changed; without it they are those of the beginning. Every method blocks, for at most the configured
 * times.
 */
public final class LayoutLog {
    private LayoutLog() {}

    /**
     * All that it says.
     *
     * @throws KafkaAccessException when Kafka does not answer
     * @throws io.tributary.common.event.UnreadableRecordException when a newer version has written it
     */
    public static LayoutHistory read(KafkaConfig config) {
        LayoutHistory history = new LayoutHistory();
        if (KafkaTopics.names(config).contains(config.layoutTopic())) {
            try {
                long _ = WholeTopic.read(
                        config, config.layoutTopic(), config.layoutTopic(), 0, record -> fold(history, record));
            } catch (KafkaException e) {
                throw new KafkaAccessException("topic " + config.layoutTopic() + " cannot be read: " + e, e);
            }
        }
        return history;
    }

    private static void fold(LayoutHistory history, ConsumerRecord<byte[], byte[]> record) {
        if (record.value() != null) {
            history.fold(record.offset(), LayoutCodec.decode(record.value()));
        }
    }

    /**
     * Appends what has happened, and creates the topic first if it is not there.
     *
     * @return the offset of the record
     * @throws KafkaAccessException when Kafka does not take it; it may be there nonetheless
     */
    public static long append(KafkaConfig config, LayoutEvent event) {
        int _ = KafkaTopics.ensure(config, List.of(TopicRules.layout(config)));
        try (KafkaProducer<byte[], byte[]> producer =
                KafkaClients.producer(config, ClientProperties.ingestProducer(config, config.layoutTopic()))) {
            return producer.send(new ProducerRecord<>(config.layoutTopic(), 0, null, LayoutCodec.encode(event)))
                    .get()
                    .offset();
        } catch (ExecutionException e) {
            throw new KafkaAccessException("topic " + config.layoutTopic() + " takes no record: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaAccessException("interrupted while " + config.layoutTopic() + " was written", e);
        }
    }
}
