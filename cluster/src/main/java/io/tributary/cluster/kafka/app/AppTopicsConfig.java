package io.tributary.cluster.kafka.app;

import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.TopicRules;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a cluster's application topics are set up and read.
 *
 * @param consumers how many of Kafka's consumers a node has for all its applications, 1 to 64; one more reads up what
 *     clients missed in the shared topic
 * @param sharedPartitions how many partitions the topic has that clients with little traffic share, 1 to 10,000; fixed
 *     when it is created, for which one a client is in depends on it
 * @param retention how long a client's own topic keeps what is not acknowledged, or null for ever
 * @param sharedRetention how long the shared topic keeps everything
 * @param keepAcknowledged whether what a client has acknowledged stays in its topic until its time is over, for others
 *     to read
 * @param readAheadBytes how many bytes of messages all applications of a node may have read ahead, 1 MiB to 16 GiB;
 *     each has at most 256 KiB and a fetch more
 * @param cleaningInterval how often acknowledged records are deleted, and committed for Kafka's lag tools
 */
public record AppTopicsConfig(
        int consumers,
        int sharedPartitions,
        @Nullable Duration retention,
        Duration sharedRetention,
        boolean keepAcknowledged,
        long readAheadBytes,
        Duration cleaningInterval) {

    private static final long FOR_EVER = -1;
    private static final long MIB = 1024 * 1024;

    // Not in compact form: there javac drops the annotation, and other modules could not pass null.
    public AppTopicsConfig(
            int consumers,
            int sharedPartitions,
            @Nullable Duration retention,
            Duration sharedRetention,
            boolean keepAcknowledged,
            long readAheadBytes,
            Duration cleaningInterval) {
        require(consumers >= 1 && consumers <= 64, "consumers", consumers, "1 to 64");
        require(
                sharedPartitions >= 1 && sharedPartitions <= 10_000,
                "partitions of the shared topic",
                sharedPartitions,
                "1 to 10,000");
        require(retention == null || retention.isPositive(), "retention", String.valueOf(retention), "positive");
        require(sharedRetention.isPositive(), "retention of the shared topic", sharedRetention, "positive");
        require(
                readAheadBytes >= MIB && readAheadBytes <= 16 * 1024 * MIB,
                "read-ahead bytes",
                readAheadBytes,
                "1 MiB to 16 GiB");
        require(cleaningInterval.isPositive(), "cleaning interval", cleaningInterval, "positive");
        this.consumers = consumers;
        this.sharedPartitions = sharedPartitions;
        this.retention = retention;
        this.sharedRetention = sharedRetention;
        this.keepAcknowledged = keepAcknowledged;
        this.readAheadBytes = readAheadBytes;
        this.cleaningInterval = cleaningInterval;
    }

    /**
     * The defaults: 2 consumers, 16 shared partitions kept for 7 days, own topics without limit, 64 MiB read ahead, 10
     * s.
     */
    public static AppTopicsConfig defaults() {
        return new AppTopicsConfig(2, 16, null, Duration.ofDays(7), false, 64 * MIB, Duration.ofSeconds(10));
    }

    /** The same with another interval of cleaning. */
    public AppTopicsConfig withCleaningInterval(Duration newInterval) {
        return new AppTopicsConfig(
                consumers, sharedPartitions, retention, sharedRetention, keepAcknowledged, readAheadBytes, newInterval);
    }

    /** How one of the topics has to be set up. */
    TopicRules rules(KafkaConfig config, String topic, int largestRecordBytes) {
        boolean shared = topic.equals(TopicNames.shared(config));
        Duration limit = shared ? sharedRetention : retention;
        return TopicRules.app(
                config,
                topic,
                shared ? sharedPartitions : 1,
                limit == null ? FOR_EVER : limit.toMillis(),
                largestRecordBytes);
    }

    private static void require(boolean valid, String what, Object value, String need) {
        if (!valid) {
            throw new IllegalArgumentException(what + " " + value + ": must be " + need);
        }
    }
}
