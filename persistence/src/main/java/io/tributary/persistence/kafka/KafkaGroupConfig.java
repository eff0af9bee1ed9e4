package io.tributary.persistence.kafka;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How application groups use Kafka.
 *
 * @param partitions how many partitions a group's topic gets, 1 to 100. One serves any number of nodes and members; with
 *     more, a message that a member holds for long may hold up those of the same partition
 * @param retention how long messages are kept that nobody has acknowledged, at least a minute, or null for ever; those that
 *     were acknowledged are deleted now and then in any case
 * @param lockDuration how long a node that does not tell that it lives keeps what it has taken, within the limits of the
 *     servers (group.share.min.record.lock.duration.ms, 15 s, to group.share.max.record.lock.duration.ms, 60 s), or null
 *     for the servers' own
 * @param deliveryLimit how often a message is taken before it is given up, 1 to 9: the servers, which drop what they count
 *     to ten, must not come first
 * @param maxGroups how many groups may be consumed on a node at the same time, 1 to 10,000: each has two threads at least
 * @param consumersPerGroup how many of Kafka's consumers a group has at most on a node, 1 to 100: each can take more
 *     messages only when all that it took before are answered, so others join while members are slow. No more than
 *     {@code consumersPerGroup * pollRecords} messages are with a node's members; where messages come one at a time and
 *     members are slow, no more than {@code consumersPerGroup}
 * @param pollRecords how many messages a consumer takes at once, 1 to 1000; what it takes beyond the request waits in memory
 */
public record KafkaGroupConfig(
        int partitions,
        @Nullable Duration retention,
        @Nullable Duration lockDuration,
        int deliveryLimit,
        int maxGroups,
        int consumersPerGroup,
        int pollRecords) {

    public KafkaGroupConfig {
        require(partitions, 1, 100, "partitions of a group");
        require(deliveryLimit, 1, 9, "delivery limit");
        require(maxGroups, 1, 10_000, "groups on a node");
        require(consumersPerGroup, 1, 100, "consumers of a group");
        require(pollRecords, 1, 1000, "messages a poll");
        if (retention != null && retention.toMillis() < 60_000) {
            throw new IllegalArgumentException("retention " + retention + ": must be at least a minute");
        }
        if (lockDuration != null && lockDuration.toMillis() < 1000) {
            throw new IllegalArgumentException("lock duration " + lockDuration + ": must be at least 1 s");
        }
    }

    /** The defaults: one partition, no retention, five deliveries, 100 groups, 16 consumers each, 100 messages a poll. */
    public static KafkaGroupConfig defaults() {
        return new KafkaGroupConfig(1, null, null, 5, 100, 16, 100);
    }

    /** The same with other numbers of partitions and of consumers. */
    public KafkaGroupConfig withParallelism(int newPartitions, int newConsumersPerGroup) {
        return new KafkaGroupConfig(
                newPartitions, retention, lockDuration, deliveryLimit, maxGroups, newConsumersPerGroup, pollRecords);
    }

    /** The same with another lock duration and delivery limit. */
    public KafkaGroupConfig withLimits(Duration newLockDuration, int newDeliveryLimit) {
        return new KafkaGroupConfig(
                partitions, retention, newLockDuration, newDeliveryLimit, maxGroups, consumersPerGroup, pollRecords);
    }

    /** The same with another number of groups. */
    public KafkaGroupConfig withMaxGroups(int newMaxGroups) {
        return new KafkaGroupConfig(
                partitions, retention, lockDuration, deliveryLimit, newMaxGroups, consumersPerGroup, pollRecords);
    }

    private static void require(int value, int lowest, int highest, String what) {
        if (value < lowest || value > highest) {
            throw new IllegalArgumentException(what + " " + value + ": must be " + lowest + " to " + highest);
        }
    }
}
