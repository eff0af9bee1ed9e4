package io.tributary.persistence.kafka.shard;

import io.tributary.persistence.kafka.KafkaConfig.GroupProtocol;
import io.tributary.persistence.kafka.KafkaConfig.Reading;
import io.tributary.persistence.kafka.TestKafka;
import java.time.Duration;

/** Everything again where the servers share the shards out: Kafka's client is another one then. */
class ConsumerProtocolTest extends KafkaShardLogTest {
    @Override
    Reading reading() {
        return TestKafka.reading(GroupProtocol.CONSUMER, Duration.ofSeconds(6));
    }
}
