package io.tributary.cluster.kafka;

import java.time.Duration;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How a node uses Kafka.
 *
 * @param bootstrapServers some of Kafka's addresses, {@code host:port} with commas between
 * @param topicPrefix what the names of all topics and of the consumer groups begin with; clusters that share a Kafka
 *     differ in it
 * @param replicationFactor how many copies of each topic there are, 1 to 32,767; 3 keeps every promise of durability,
 *     less is for trying things out
 * @param clientProperties further properties of Kafka's clients, for TLS and SASL above all; those that carry one of
 *     our promises are refused
 * @param appends how records are sent
 * @param reading how records are read
 * @param startTimeout how long a start waits for Kafka to answer and for a whole Redis Cluster together; for Redis, at
 *     least a tenth of it
 * @param topics what an administrator says of the topics
 * @param generation which of the topics of the shards' logs is meant
 */
public record KafkaConfig(
        String bootstrapServers,
        String topicPrefix,
        int replicationFactor,
        Map<String, String> clientProperties,
        Appends appends,
        Reading reading,
        Duration startTimeout,
        Topics topics,
        Generation generation) {

    private static final Pattern SERVERS = Pattern.compile("[^,\\s]+:\\d{1,5}(,\\s*[^,\\s]+:\\d{1,5})*");
    private static final Pattern PREFIX = Pattern.compile("[a-zA-Z0-9._-]{1,100}");
    private static final int KIB = 1024;
    private static final int MIB = 1024 * KIB;

    public KafkaConfig {
        require(
                SERVERS.matcher(bootstrapServers).matches(),
                "bootstrap servers",
                bootstrapServers,
                "host:port,host:port");
        require(
                PREFIX.matcher(topicPrefix).matches(),
                "topic prefix",
                topicPrefix,
                "1 to 100 letters, digits, '.', '_', '-'");
        require(
                replicationFactor >= 1 && replicationFactor <= Short.MAX_VALUE,
                "replication factor",
                replicationFactor,
                "1 to 32,767");
        requirePositive("start timeout", startTimeout);
        ReservedProperties.check(clientProperties);
        clientProperties = Map.copyOf(clientProperties);
    }

    /** The defaults: three copies, no TLS, no SASL. */
    public static KafkaConfig defaults(String bootstrapServers) {
        return new KafkaConfig(
                bootstrapServers,
                "tributary",
                3,
                Map.of(),
                Appends.defaults(),
                Reading.defaults(),
                Duration.ofSeconds(30),
                Topics.defaults(),
                Generation.FIRST);
    }

    /** The same with something else said of the topics. */
    public KafkaConfig withTopics(Topics newTopics) {
        return with(topicPrefix, replicationFactor, clientProperties, appends, reading, startTimeout, newTopics);
    }

    /** The same with another topic prefix. */
    public KafkaConfig withTopicPrefix(String newPrefix) {
        return with(newPrefix, replicationFactor, clientProperties, appends, reading, startTimeout, topics);
    }

    /** The same with another number of copies. */
    public KafkaConfig withReplicationFactor(int newReplicationFactor) {
        return with(topicPrefix, newReplicationFactor, clientProperties, appends, reading, startTimeout, topics);
    }

    /** The same with other properties of Kafka's clients. */
    public KafkaConfig withClientProperties(Map<String, String> newProperties) {
        return with(topicPrefix, replicationFactor, newProperties, appends, reading, startTimeout, topics);
    }

    /** The same with records sent in another way. */
    public KafkaConfig withAppends(Appends newAppends) {
        return with(topicPrefix, replicationFactor, clientProperties, newAppends, reading, startTimeout, topics);
    }

    /** The same with records read in another way. */
    public KafkaConfig withReading(Reading newReading) {
        return with(topicPrefix, replicationFactor, clientProperties, appends, newReading, startTimeout, topics);
    }

    /** The same with another bound of the start. */
    public KafkaConfig withStartTimeout(Duration newStartTimeout) {
        return with(topicPrefix, replicationFactor, clientProperties, appends, reading, newStartTimeout, topics);
    }

    private KafkaConfig with(
            String newPrefix,
            int newReplicationFactor,
            Map<String, String> newProperties,
            Appends newAppends,
            Reading newReading,
            Duration newStartTimeout,
            Topics newTopics) {
        return new KafkaConfig(
                bootstrapServers,
                newPrefix,
                newReplicationFactor,
                newProperties,
                newAppends,
                newReading,
                newStartTimeout,
                newTopics,
                generation);
    }

    /** The same with the shards' logs of another generation. */
    public KafkaConfig withGeneration(Generation newGeneration) {
        return new KafkaConfig(
                bootstrapServers,
                topicPrefix,
                replicationFactor,
                clientProperties,
                appends,
                reading,
                startTimeout,
                topics,
                newGeneration);
    }

    /** The topic of the shards' logs, and the consumer group that is told how far they are read. */
    public String shardsTopic() {
        return topicPrefix + ".shards" + (generation.number() == 0 ? "" : "." + generation.number());
    }

    /** The topic that says which generation of the shards' logs is the one that counts. */
    public String layoutTopic() {
        return topicPrefix + ".layout";
    }

    /** The topic with the numbers of ingest partitions, and the consumer group that shares these out. */
    public String ingestTopic() {
        return topicPrefix + ".ingest";
    }

    /** The topic of what administrators change. */
    public String auditTopic() {
        return mapTopic("audit");
    }

    /** The topic of a map. */
    public String mapTopic(String name) {
        return topicPrefix + "." + name;
    }

    /** All of it but the values of the client properties, which may be secrets. */
    @Override
    public String toString() {
        return "KafkaConfig[bootstrapServers=" + bootstrapServers + ", topicPrefix=" + topicPrefix
                + ", replicationFactor="
                + replicationFactor + ", clientProperties=" + new TreeSet<>(clientProperties.keySet()) + ", appends="
                + appends + ", reading=" + reading + ", startTimeout=" + startTimeout + ", topics=" + topics
                + ", generation="
                + generation + "]";
    }

    /**
     * Which of the topics of the shards' logs is meant: each time that the shards are changed, another one begins.
     *
     * @param number 0 for the topic with which the cluster was created; later ones are higher, not dense
     * @param base what is added to each offset of the topic: offsets name sessions, connections and owners, and are to
     *     be higher than all of the topics before
     */
    public record Generation(int number, long base) {
        /** The topic with which a cluster is created. */
        public static final Generation FIRST = new Generation(0, 0);

        public Generation {
            require(number >= 0 && base >= 0, "generation", number + " from " + base, "0 or more");
        }
    }

    /**
     * What an administrator says of the topics.
     *
     * @param createMissing whether topics are created that are missing among others that are there: what they held is
     *     lost then
     * @param acceptedLog the identifier that Kafka gave to the shards' topic, if the shards are to go on with it though
     *     their state in Redis is that of another one; empty otherwise
     */
    public record Topics(boolean createMissing, String acceptedLog) {
        /** Nothing that is missing among others is created, no other topic accepted. */
        public static Topics defaults() {
            return new Topics(false, "");
        }
    }

    /** How what is sent is compressed. */
    public enum Compression {
        /** Not at all: the least work for the node. */
        NONE("none"),
        /** With LZ4: less to send and to store where payloads are text, for little work. */
        LZ4("lz4");

        private final String property;

        Compression(String property) {
            this.property = property;
        }

        String property() {
            return property;
        }
    }

    /** How the members of the group share out the partitions of ingest topics. */
    public enum GroupProtocol {
        /** Members do it, by cooperative-sticky; the session timeout is the member's. */
        CLASSIC,
        /** The servers do it; the session timeout is theirs, 45 s unless they are told otherwise. */
        CONSUMER
    }

    /**
     * How records are sent.
     *
     * @param linger how long a record waits for others to share its batch, to 1 s; a fuller batch costs everybody less
     * @param batchBytes how large a batch grows, in bytes, 1 KiB to 16 MiB
     * @param bufferBytes how many bytes of records may wait for Kafka before more are refused, 64 KiB to 1 GiB; once
     *     for the shards and once for all maps. The client's own buffers come to at most twice that and four batches a
     *     partition, or to the largest record
     * @param maxRecordBytes the largest record that is sent, in bytes, at least a batch and at most 256 MiB
     * @param compression how batches are compressed
     * @param closeTimeout how long closing waits for what was accepted, and then again for ending to read
     */
    public record Appends(
            Duration linger,
            int batchBytes,
            long bufferBytes,
            int maxRecordBytes,
            Compression compression,
            Duration closeTimeout) {
        /** The largest record that there may be, in bytes. */
        private static final int LARGEST_RECORD_BYTES = 256 * MIB;

        public Appends {
            require(!linger.isNegative() && linger.toMillis() <= 1000, "linger", linger, "0 to 1 s");
            require(batchBytes >= KIB && batchBytes <= 16 * MIB, "batch bytes", batchBytes, "1 KiB to 16 MiB");
            require(
                    bufferBytes >= 64 * KIB && bufferBytes <= 1024L * MIB,
                    "buffer bytes",
                    bufferBytes,
                    "64 KiB to 1 GiB");
            require(
                    maxRecordBytes >= batchBytes && maxRecordBytes <= LARGEST_RECORD_BYTES,
                    "largest record",
                    maxRecordBytes,
                    "at least a batch, at most 256 MiB");
            requirePositive("close timeout", closeTimeout);
        }

        /** The defaults: 2 ms linger, batches of 64 KiB, 32 MiB of waiting records, records to 4 MiB. */
        public static Appends defaults() {
            return new Appends(
                    Duration.ofMillis(2), 64 * KIB, 32L * MIB, 4 * MIB, Compression.NONE, Duration.ofSeconds(10));
        }

        /** The same with another limit of what may wait. */
        public Appends withBufferBytes(long newBufferBytes) {
            return new Appends(linger, batchBytes, newBufferBytes, maxRecordBytes, compression, closeTimeout);
        }

        /** The same with a largest record that is no smaller than that, as far as there may be one. */
        public Appends withMaxRecordBytesAtLeast(int wantedBytes) {
            return wantedBytes <= maxRecordBytes
                    ? this
                    : withMaxRecordBytes(Math.min(wantedBytes, LARGEST_RECORD_BYTES));
        }

        /** The same with another largest record. */
        public Appends withMaxRecordBytes(int newMaxRecordBytes) {
            return new Appends(linger, batchBytes, bufferBytes, newMaxRecordBytes, compression, closeTimeout);
        }

        /** The same with another compression. */
        public Appends withCompression(Compression newCompression) {
            return new Appends(linger, batchBytes, bufferBytes, maxRecordBytes, newCompression, closeTimeout);
        }

        /** The same with another bound of closing. */
        public Appends withCloseTimeout(Duration newCloseTimeout) {
            return new Appends(linger, batchBytes, bufferBytes, maxRecordBytes, compression, newCloseTimeout);
        }
    }

    /**
     * How records are read.
     *
     * @param groupProtocol how partitions of ingest topics are shared out
     * @param sessionTimeout a node that is silent so long loses its partitions of ingest topics, at least 1 s and no
     *     less than the servers' group.min.session.timeout.ms (6 s by default); without effect with
     *     {@link GroupProtocol#CONSUMER}
     * @param heartbeatInterval how often a node tells that it lives, at most a third of the session timeout; without
     *     effect with {@link GroupProtocol#CONSUMER}
     * @param fetchWait how long a server holds an idle answer back, to 1 s: what a newly assigned shard waits at most
     *     for its first records
     * @param maxPollRecords how many records are taken at once, 1 to 100,000
     * @param fetchBytes how much is asked of a server at once, in bytes, 64 KiB to 1 GiB: memory for each server
     * @param partitionFetchBytes how much of one shard, in bytes, 16 KiB to {@code fetchBytes}
     * @param rack where this node is (the client's {@code client.rack}), so that it may read from a copy near by; null
     *     for always the leader
     */
    public record Reading(
            GroupProtocol groupProtocol,
            Duration sessionTimeout,
            Duration heartbeatInterval,
            Duration fetchWait,
            int maxPollRecords,
            int fetchBytes,
            int partitionFetchBytes,
            @Nullable String rack) {

        public Reading {
            require(sessionTimeout.toMillis() >= 1000, "session timeout", sessionTimeout, "at least 1 s");
            requirePositive("heartbeat interval", heartbeatInterval);
            require(
                    heartbeatInterval.multipliedBy(3).compareTo(sessionTimeout) <= 0,
                    "heartbeat interval",
                    heartbeatInterval,
                    "at most a third of the session timeout");
            require(!fetchWait.isNegative() && fetchWait.toMillis() <= 1000, "fetch wait", fetchWait, "0 to 1 s");
            require(maxPollRecords >= 1 && maxPollRecords <= 100_000, "records a poll", maxPollRecords, "1 to 100,000");
            require(fetchBytes >= 64 * KIB && fetchBytes <= 1024 * MIB, "fetch bytes", fetchBytes, "64 KiB to 1 GiB");
            require(
                    partitionFetchBytes >= 16 * KIB && partitionFetchBytes <= fetchBytes,
                    "fetch bytes of a shard",
                    partitionFetchBytes,
                    "16 KiB to the fetch bytes");
        }

        /**
         * The defaults: classic, session timeout 6 s, heartbeat 2 s, 2000 records a poll, 16 MiB a fetch, 1 MiB a
         * shard.
         */
        public static Reading defaults() {
            return new Reading(
                    GroupProtocol.CLASSIC,
                    Duration.ofSeconds(6),
                    Duration.ofSeconds(2),
                    Duration.ofMillis(100),
                    2000,
                    16 * MIB,
                    MIB,
                    null);
        }
    }

    private static void require(boolean valid, String what, Object value, String need) {
        if (!valid) {
            throw new IllegalArgumentException(what + " " + value + ": must be " + need);
        }
    }

    private static void requirePositive(String what, Duration value) {
        require(value.isPositive(), what, value, "positive");
    }
}
