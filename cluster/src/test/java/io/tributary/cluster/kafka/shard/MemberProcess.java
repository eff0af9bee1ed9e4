package io.tributary.cluster.kafka.shard;

import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaConfig.GroupProtocol;
import io.tributary.cluster.kafka.TestKafka;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A program that is a member of the group and prints {@code assigned <shard>} and {@code read <shard> <offset>}, until
 * it is killed. Arguments: the servers, the topic prefix, the protocol.
 */
final class MemberProcess {
    private MemberProcess() {}

    public static void main(String[] args) throws InterruptedException {
        KafkaConfig config = KafkaConfig.defaults(args[0])
                .withTopicPrefix(args[1])
                .withReading(TestKafka.reading(GroupProtocol.valueOf(args[2]), Duration.ofSeconds(6)));
        ShardLog log = TestKafka.log(config);
        log.start(new ShardLog.Reader() {
            @Override
            public void onWentBack(int shard, long at) {}

            @Override
            public void onAssigned(int shard) {
                System.out.println("assigned " + shard);
                log.readFrom(shard, 0);
            }

            @Override
            public void onRevoked(int shard) {
                System.out.println("revoked " + shard);
            }

            @Override
            public void onRecords(int shard, long from, List<LogRecord> records) {
                System.out.println("read " + shard + " " + records.getLast().offset());
            }
        });
        new CountDownLatch(1).await();
    }
}
