package io.tributary.cluster.redis;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where the Redis Cluster is, and how it is called.
 *
 * @param nodes some of the cluster's nodes; the others are found through them
 * @param credentials who the broker is to Redis, or null if Redis asks nobody
 * @param tls how connections are encrypted, or null if they are not
 * @param commandTimeout how long a call may take until it fails; also the limit for making a connection
 * @param requestQueueSize how many calls may be on their way on one connection; there is one to each primary
 * @param concurrentReads how many pages of queues, of at most 256 KiB each, may be on their way to this node
 * @param inlineBytes messages lie in the queues themselves as long as their copies of one save point take less than
 *     this together; larger ones lie apart, once for all queues of the shard
 * @param topologyRefresh how often the cluster is asked for its nodes; it is also asked at any sign of a change
 */
public record RedisConfig(
        List<Node> nodes,
        @Nullable Credentials credentials,
        @Nullable Tls tls,
        Duration commandTimeout,
        int requestQueueSize,
        int concurrentReads,
        int inlineBytes,
        Duration topologyRefresh) {

    /** What messages lie in the queues as long as their copies are smaller than, if nothing else is said. */
    public static final int INLINE_BYTES = 4 << 10;

    /** The largest such size: more than all copies of a message, so that no message lies apart. */
    public static final int MOST_INLINE_BYTES = 1 << 30;

    public RedisConfig {
        nodes = List.copyOf(nodes);
        if (nodes.isEmpty()) {
            throw new IllegalArgumentException("nodes: at least one node of the Redis Cluster is needed");
        }
        isWithin("command-timeout (ms)", commandTimeout.toMillis(), 100, 60_000);
        isWithin("request-queue-size", requestQueueSize, 100, 1_000_000);
        isWithin("concurrent-reads", concurrentReads, 1, 10_000);
        isWithin("inline-size (bytes)", inlineBytes, 0, MOST_INLINE_BYTES);
        isWithin("topology-refresh (ms)", topologyRefresh.toMillis(), 1000, 3_600_000);
        if (requestQueueSize <= concurrentReads) {
            throw new IllegalArgumentException("request-queue-size: " + requestQueueSize
                    + " must be more than concurrent-reads, so that save points are not kept out by reads");
        }
    }

    /**
     * No encryption, nobody in particular, 5 s a call, 10,000 calls and 256 reads on their way, 4 KiB in queues, a look
     * each 30 s.
     */
    public static RedisConfig of(List<Node> nodes) {
        return new RedisConfig(
                nodes, null, null, Duration.ofSeconds(5), 10_000, 256, INLINE_BYTES, Duration.ofSeconds(30));
    }

    /** The same with other credentials. */
    public RedisConfig withCredentials(@Nullable Credentials newCredentials) {
        return new RedisConfig(
                nodes,
                newCredentials,
                tls,
                commandTimeout,
                requestQueueSize,
                concurrentReads,
                inlineBytes,
                topologyRefresh);
    }

    /** The same with other encryption. */
    public RedisConfig withTls(@Nullable Tls newTls) {
        return new RedisConfig(
                nodes,
                credentials,
                newTls,
                commandTimeout,
                requestQueueSize,
                concurrentReads,
                inlineBytes,
                topologyRefresh);
    }

    /** The same with another limit of a call's time. */
    public RedisConfig withCommandTimeout(Duration newTimeout) {
        return new RedisConfig(
                nodes, credentials, tls, newTimeout, requestQueueSize, concurrentReads, inlineBytes, topologyRefresh);
    }

    /** The same with another size up to which messages lie in the queues. */
    public RedisConfig withInlineBytes(int newInlineBytes) {
        return new RedisConfig(
                nodes,
                credentials,
                tls,
                commandTimeout,
                requestQueueSize,
                concurrentReads,
                newInlineBytes,
                topologyRefresh);
    }

    private static void isWithin(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + ": " + value + " is not within " + least + " to " + most);
        }
    }

    /** One node of the cluster. */
    public record Node(String host, int port) {
        public Node {
            if (host.isBlank()) {
                throw new IllegalArgumentException("host: is empty");
            }
            isWithin("port", port, 1, 65_535);
        }

        @Override
        public String toString() {
            return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
        }
    }

    /**
     * A user of Redis (ACL) and its password.
     *
     * @param user {@code default} where Redis has a password but no users
     * @param password asked for at each new connection, so it may change; never part of {@link #toString}
     */
    public record Credentials(String user, Supplier<String> password) {
        public Credentials {
            if (user.isBlank() || password.get().isEmpty()) {
                throw new IllegalArgumentException("user and password: neither may be empty");
            }
        }

        /** A password that stays the same. */
        public Credentials(String user, String password) {
            this(user, () -> password);
        }

        @Override
        public String toString() {
            return "Credentials[user=" + user + ", password=***]";
        }
    }

    /**
     * Encryption.
     *
     * @param certificates the certificates (PEM) of the authorities to trust, or null for those that Java trusts
     * @param verifyHost whether a node's certificate must name the host that was connected to
     */
    public record Tls(@Nullable Path certificates, boolean verifyHost) {
        public Tls {
            if (certificates != null && !Files.isReadable(certificates)) {
                throw new IllegalArgumentException("certificates: " + certificates + " cannot be read");
            }
        }
    }
}
