package io.tributary.cluster.kafka;

import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;

/**
 * Creates Kafka's clients with {@link ClientProperties}. Each method throws a {@link KafkaAccessException} when the
 * addresses of Kafka or the settings of TLS are not good.
 */
public final class KafkaClients {
    private static final int MOST_UNUSED_TOPICS = 1000;

    private KafkaClients() {}

    /**
     * Whether a producer or consumer is to be replaced, for it keeps figures of each topic that it has ever had.
     *
     * @param topics how many it has had
     * @param used how many of them are in use, or a few more
     */
    public static boolean hasHadTooMany(int topics, int used) {
        return topics > Math.max(MOST_UNUSED_TOPICS, 2 * used);
    }

    /** A consumer. */
    public static KafkaConsumer<byte[], byte[]> consumer(KafkaConfig config, Map<String, Object> properties) {
        return created(config, () -> new KafkaConsumer<>(properties));
    }

    /** A producer. */
    public static KafkaProducer<byte[], byte[]> producer(KafkaConfig config, Map<String, Object> properties) {
        return created(config, () -> new KafkaProducer<>(properties));
    }

    static Admin admin(KafkaConfig config, Map<String, Object> properties) {
        return created(config, () -> Admin.create(properties));
    }

    private static <T> T created(KafkaConfig config, Supplier<T> client) {
        try {
            return client.get();
        } catch (KafkaException e) {
            throw new KafkaAccessException(KafkaAccessFailure.words(config, e), e);
        }
    }
}
