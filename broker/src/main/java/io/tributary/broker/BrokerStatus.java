package io.tributary.broker;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Figures and problems of a broker at one moment; for health checks, metrics and {@code $SYS}.
 *
 * @param ready whether the start is complete, when every listener accepted and every shard was live, and the stop has
 *     not begun
 * @param problem why the broker cannot do its work at the moment, in words, or null
 * @param listeners the addresses that are listened on, in the order of the configuration
 * @param connections clients that are connected
 * @param persistentSessions sessions that outlive their connection, connected or not
 * @param subscriptions subscriptions of all sessions, shared ones not counted
 * @param sharedSubscriptions memberships in shared subscriptions
 * @param retainedMessages topics with a retained message
 * @param retainedBytes the size of the retained messages
 * @param queuedMessages messages in the queues of persistent sessions
 * @param storageQueueBytes what waits to be committed by the store
 * @param storageMemoryBytes what the embedded store has in memory outside the Java heap
 * @param warnings what operators should know though the broker does its work, a sentence each
 * @param cluster what concerns a node of a cluster; null for a broker that runs alone
 */
public record BrokerStatus(
        boolean ready,
        @Nullable String problem,
        List<String> listeners,
        long connections,
        long persistentSessions,
        long subscriptions,
        long sharedSubscriptions,
        long retainedMessages,
        long retainedBytes,
        long queuedMessages,
        long storageQueueBytes,
        long storageMemoryBytes,
        List<String> warnings,
        @Nullable ClusterStatus cluster) {
    public BrokerStatus {
        warnings = List.copyOf(warnings);
    }

    /**
     * A node's view of its cluster.
     *
     * @param liveNodes the live nodes, this one counted
     * @param ownedShards the shards that this node owns
     * @param unownedShards the shards that nobody is known to own: their clients cannot connect
     * @param unsavedShards the shards of this node for whose state the store does not work at the moment
     * @param laggingShards the shards of the cluster that are behind by half of the retention of their log: what is
     *     published for their persistent sessions is refused
     * @param behind whether this node is behind the others with subscriptions or retained messages, and therefore takes
     *     no messages from publishers
     * @param problems what keeps this node from serving clients at the moment, a sentence each
     * @param warnings what else operators should know, a sentence each: clients are no better off at another node
     * @param ingest what concerns the records of back-ends; null when none are read
     */
    public record ClusterStatus(
            int liveNodes,
            int ownedShards,
            int unownedShards,
            int unsavedShards,
            int laggingShards,
            boolean behind,
            List<String> problems,
            List<String> warnings,
            @Nullable IngestStatus ingest) {
        public ClusterStatus {
            problems = List.copyOf(problems);
            warnings = List.copyOf(warnings);
        }
    }

    /**
     * A node's view of the records that back-ends produce.
     *
     * @param partitions the partitions that this node reads
     * @param lag the records of these that are not safe for subscribers yet
     * @param problem why they cannot be read or published at the moment, in words, or null
     */
    public record IngestStatus(
            int partitions, long lag, @Nullable String problem) {}

    /** The status of a broker that serves no clients, with the reason. */
    static BrokerStatus stopped(String problem) {
        return new BrokerStatus(false, problem, List.of(), 0, 0, 0, 0, 0, 0, 0, 0, 0, List.of(), null);
    }
}
