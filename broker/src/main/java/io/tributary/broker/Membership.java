package io.tributary.broker;

import io.tributary.broker.sys.ClusterStats;
import io.tributary.broker.sys.NodeStats;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a node does among the nodes of its cluster, in the order of its start and its stop; alone, nothing. */
sealed interface Membership extends AutoCloseable permits Standalone.NoCluster, ClusterMembership {

    /** Takes this node's place among the others; the stage completes when they know of it. Once. */
    CompletionStage<@Nullable Void> connect();

    /**
     * Waits until this node, which is connected, reaches all others without which it is to serve no clients.
     *
     * @throws BrokerStartException when that takes too long, in words
     */
    void awaitReached();

    /**
     * This node has read what all share, and is to serve clients; the stage completes when it misses nothing any more.
     */
    CompletionStage<@Nullable Void> live();

    /** Whether this node does what is enough once in the cluster. */
    boolean isFirst();

    /** Does what is done about once a second; on a timer's thread. */
    void tick();

    /**
     * Tells the other nodes what this one says of itself, which is asked for at once if there are any; about once a
     * second.
     */
    void tell(Supplier<NodeStats> own);

    /** What this node knows of the whole cluster. */
    ClusterStats stats(NodeStats own);

    /** This node serves clients: from now on it publishes what back-ends produce, too. */
    void serving();

    /** Ends what {@link #serving} began; twice does no harm. Blocks for a moment. */
    void stopServing();

    /** This node is about to send its clients away. */
    void leaving();

    /** This node has no clients and owns nothing any more. Blocks for a moment. */
    void leave();

    /** What this node knows of the cluster, or null when there is none. */
    BrokerStatus.@Nullable ClusterStatus status();

    /** Ends what {@link #connect} began. Blocks until done. */
    @Override
    void close();
}
