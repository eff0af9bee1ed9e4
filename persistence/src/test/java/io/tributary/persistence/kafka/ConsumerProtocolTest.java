package io.tributary.persistence.kafka;

import io.tributary.persistence.contract.ShardLogContract;
import io.tributary.persistence.kafka.KafkaConfig.GroupProtocol;
import io.tributary.persistence.shard.ShardLog;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The whole contract again where the servers share the shards out: Kafka's client is another one then. */
class ConsumerProtocolTest extends ShardLogContract {
    private @Nullable KafkaConfig config;

    @Override
    protected ShardLog open() {
        if (config == null) {
            KafkaConfig.Appends appends = KafkaConfig.Appends.defaults().withBufferBytes(BUFFER_BYTES);
            config = TestKafka.withTopics(TestKafka.config()
                    .withAppends(appends)
                    .withReading(TestKafka.reading(GroupProtocol.CONSUMER, Duration.ofSeconds(6))));
        }
        return TestKafka.log(config);
    }
}
