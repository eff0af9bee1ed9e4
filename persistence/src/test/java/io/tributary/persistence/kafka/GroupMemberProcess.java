package io.tributary.persistence.kafka;

import io.tributary.persistence.app.GroupRecorder;
import io.tributary.persistence.contract.RecordingConsumer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * A program that takes messages of a group and prints their numbers, and answers none, until it is killed. Arguments: the
 * servers, the topic prefix, the group, how many, the lock duration in milliseconds.
 */
final class GroupMemberProcess {
    private GroupMemberProcess() {}

    public static void main(String[] args) throws InterruptedException {
        KafkaConfig config =
                KafkaConfig.defaults(args[0]).withTopicPrefix(args[1]).withReplicationFactor(1);
        KafkaGroupConfig groups = KafkaGroupConfig.defaults().withLimits(Duration.ofMillis(Long.parseLong(args[4])), 3);
        KafkaGroupTopics topics = new KafkaGroupTopics(
                config, groups, "process", TestKafka.LARGEST_PACKET, GroupRecorder.NONE, KafkaRecorder.NONE);
        topics.consume(
                        args[2],
                        messages ->
                                messages.forEach(each -> System.out.println("took " + RecordingConsumer.number(each))))
                .request(Integer.parseInt(args[3]));
        new CountDownLatch(1).await();
    }
}
