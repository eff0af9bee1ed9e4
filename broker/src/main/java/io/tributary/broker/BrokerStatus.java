package io.tributary.broker;

import io.tributary.broker.deployment.ClusterStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Figures and problems of a broker at one moment; for health checks, metrics and {@code $SYS}.
 *
 * @param ready whether the start is complete, when every listener accepted, every shard was live and the first rounds
 *     of the canary were good, and neither a drain nor the stop has begun
 * @param waitsFor what a broker that serves clients already waits for before it is ready, in words, or null
 * @param problem why the broker cannot do its work at the moment, in words, or null
 * @param listeners the addresses that are listened on, in the order of the configuration
 * @param connections clients that are connected
 * @param persistentSessions sessions that outlive their connection, connected or not
 * @param subscriptions subscriptions of all sessions, shared ones not counted
 * @param sharedSubscriptions memberships in shared subscriptions
 * @param subscriptionMemory what all subscriptions take that the node knows
 * @param retainedMessages topics with a retained message
 * @param retainedBytes the size of the retained messages
 * @param queuedMessages messages in the queues of persistent sessions
 * @param deliveryBytes what messages between queues and connections take
 * @param willMemory what the wills of sessions in the node's shards take
 * @param storageQueueBytes what waits to be committed by the store
 * @param storageMemoryBytes what the embedded store has in memory outside the Java heap
 * @param warnings what operators should know though the broker does its work, a sentence each
 * @param cluster what concerns a node of a cluster; null for a broker that runs alone
 */
public record BrokerStatus(
        boolean ready,
        @Nullable String waitsFor,
        @Nullable String problem,
        List<String> listeners,
        long connections,
        long persistentSessions,
        long subscriptions,
        long sharedSubscriptions,
        MemoryUse subscriptionMemory,
        long retainedMessages,
        long retainedBytes,
        long queuedMessages,
        long deliveryBytes,
        MemoryUse willMemory,
        long storageQueueBytes,
        long storageMemoryBytes,
        List<String> warnings,
        @Nullable ClusterStatus cluster) {
    public BrokerStatus {
        warnings = List.copyOf(warnings);
    }

    /**
     * The same of a broker that is to get no new clients.
     *
     * @param waiting what for, if it will be ready by itself
     */
    BrokerStatus unready(@Nullable String waiting) {
        return new BrokerStatus(
                false,
                waiting,
                problem,
                listeners,
                connections,
                persistentSessions,
                subscriptions,
                sharedSubscriptions,
                subscriptionMemory,
                retainedMessages,
                retainedBytes,
                queuedMessages,
                deliveryBytes,
                willMemory,
                storageQueueBytes,
                storageMemoryBytes,
                warnings,
                cluster);
    }

    /** The status of a broker that serves no clients, with the reason; null where it is meant to. */
    static BrokerStatus stopped(@Nullable String problem) {
        return new BrokerStatus(
                false,
                null,
                problem,
                List.of(),
                0,
                0,
                0,
                0,
                MemoryUse.NONE,
                0,
                0,
                0,
                0,
                MemoryUse.NONE,
                0,
                0,
                List.of(),
                null);
    }
}
