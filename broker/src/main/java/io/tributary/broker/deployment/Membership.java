package io.tributary.broker.deployment;

import io.tributary.broker.sys.ClusterStats;
import io.tributary.broker.sys.NodeStats;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The part of a node among the nodes of its cluster, in the order of its start and its stop. Alone, every method does
 * nothing.
 */
public interface Membership extends AutoCloseable {

    /** Takes this node's place among the others; the stage completes when they know of it. Once. */
    CompletionStage<@Nullable Void> connect();

    /**
     * Waits until this node, which is connected, reaches all others without which it is to serve no clients.
     *
     * @throws io.tributary.broker.BrokerStartException when that takes too long, in words
     */
    void awaitReached();

    /**
     * This node has read the shared maps, and is to serve clients; the stage completes when the node is current.
     */
    CompletionStage<@Nullable Void> live();

    /**
     * Whether this node is the node that does the tasks which one node does for the cluster, such as removing records
     * of dead nodes.
     */
    boolean isFirst();

    /** Runs the tasks of each second; on a timer's thread. */
    void tick();

    /**
     * Tells the other nodes this node's figures, about once a second. The figures are asked for only if there are other
     * nodes.
     */
    void tell(Supplier<NodeStats> own);

    /**
     * Tells the other nodes what tenants use here, about once a second; nodes of older versions are told nothing.
     *
     * @param reports of at most some ten thousand bytes each, which nobody on the way looks into
     */
    void tellTenants(List<byte[]> reports);

    /**
     * Sets the listener that is told what other nodes say of tenants: the node and a report. Any thread; must not
     * block.
     */
    void onTenants(BiConsumer<String, byte[]> listener);

    /** The names of the other nodes that serve clients, and are not about to leave; any thread. */
    List<String> liveOthers();

    /** This node's figures of the whole cluster. */
    ClusterStats stats(NodeStats own);

    /**
     * In which format records are written, and up to which one each node lets others write.
     *
     * @param own this node's figures
     */
    FormatStatus formats(NodeStats own);

    /** Ends the hold of formats at all nodes; completes when they know. Alone, nothing is held. */
    CompletionStage<@Nullable Void> finishUpgrade();

    /**
     * The names of the other nodes that serve clients, or are to, and whose configuration has rules with another digest
     * than this one, or one that is not known. Such as have only begun to start are left out;
     * one that is away counts for ten minutes more. On the thread of
     * {@link #tick}, and before its first.
     */
    List<String> withOtherRules(long digest);

    /** This node serves clients: from now on it publishes what back-ends produce, too. */
    void serving();

    /** Ends what {@link #serving} began; twice does no harm. Blocks for a moment. */
    void stopServing();

    /**
     * This node is about to send its clients away. Blocks until others serve its shards, where others take them.
     *
     * @param longest for how long at most; to be heard by Kafka may take three seconds more
     */
    void leaving(Duration longest);

    /** This node has no clients and owns nothing any more. Blocks for a moment. */
    void leave();

    /** This node's view of the cluster, or null when it is alone. */
    @Nullable
    ClusterStatus status();

    /** Ends what {@link #connect} began. Blocks until done. */
    @Override
    void close();
}
