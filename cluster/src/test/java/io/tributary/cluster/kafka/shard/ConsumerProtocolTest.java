package io.tributary.cluster.kafka.shard;

import io.tributary.cluster.kafka.KafkaConfig.GroupProtocol;
import io.tributary.cluster.kafka.KafkaConfig.Reading;
import io.tributary.cluster.kafka.TestKafka;
import java.time.Duration;

/** Everything again where the servers share the shards out: Kafka's client is another one then. */
class ConsumerProtocolTest extends KafkaShardLogTest {
    @Override
    Reading reading() {
        return TestKafka.reading(GroupProtocol.CONSUMER, Duration.ofSeconds(6));
    }
}
