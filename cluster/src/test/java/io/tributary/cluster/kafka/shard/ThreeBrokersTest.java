package io.tributary.cluster.kafka.shard;

import static io.tributary.persistence.contract.Waiting.until;

import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.TestKafka;
import io.tributary.localcluster.LocalKafka;
import io.tributary.persistence.contract.RecordingReader;
import io.tributary.persistence.shard.ShardLog;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nothing is lost, repeated or out of order when one of three brokers is lost for good. */
class ThreeBrokersTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Tag("long")
    @Test
    void everyAppendIsThereOnceAndInOrderWhenABrokerIsLostForGood() throws InterruptedException {
        try (LocalKafka kafka = LocalKafka.in(folder).brokers(3).start()) {
            KafkaConfig config = TestKafka.withTopics(TestKafka.config(kafka, 3));
            try (ShardLog log = TestKafka.log(config)) {
                RecordingReader reader = new ResumingReader(log);
                log.start(reader);
                List<NumberedAppends> appends = new ArrayList<>();
                for (int shard = 0; shard < TestKafka.SHARDS; shard++) {
                    appends.add(new NumberedAppends(log, shard));
                }
                until(() -> appends.stream().allMatch(each -> each.appended() >= 2000));
                kafka.kill(2);
                List<Integer> whenKilled =
                        appends.stream().map(NumberedAppends::accepted).toList();
                for (int shard = 0; shard < TestKafka.SHARDS; shard++) {
                    int each = shard;
                    until(() -> appends.get(each).appended() >= whenKilled.get(each) + 1000);
                }
                for (NumberedAppends each : appends) {
                    each.finish();
                }
                appends.forEach(each -> each.checkRead(reader));
            }
        }
    }
}
