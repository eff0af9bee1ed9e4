package io.tributary.broker;

import io.tributary.broker.delivery.MemberTarget;
import io.tributary.broker.delivery.NodeInbox;
import io.tributary.broker.delivery.NodeView;
import io.tributary.broker.routing.Router;
import io.tributary.broker.shard.OtherNodes;
import io.tributary.broker.shard.Shards;
import io.tributary.broker.subscription.Routes;
import io.tributary.broker.subscription.Subscriptions;
import io.tributary.broker.sys.ClusterFigures;
import io.tributary.broker.sys.NodeFigures;
import io.tributary.common.event.RecordFormat;
import java.time.InstantSource;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Where a broker is: alone, or among the nodes of a cluster. */
sealed interface Place extends AutoCloseable permits Alone, InCluster {

    /** This node and its incarnation, as the log names it. */
    String node();

    /** The time by which messages expire, the same on all nodes. */
    InstantSource clock();

    /** Where this broker keeps what outlives it. */
    Storage storage();

    /** The transient subscriptions that nodes tell each other of. */
    Routes routes();

    /** In which format what others read is written. */
    RecordFormat format();

    /** How shards talk with other nodes. */
    OtherNodes others();

    /** How messages without a log reach other nodes. */
    NodeInbox inbox();

    /** Whether this node knows what the others do. */
    NodeView view();

    /** Whether another node or incarnation is gone for good. */
    boolean isDead(String node);

    /** Takes this node's place among the others; the stage completes when they know of it. */
    CompletionStage<@Nullable Void> connect(
            Shards shards, Router router, Subscriptions subscriptions, MemberTarget members);

    /**
     * Waits until this node, which is connected, reaches all others without which it is to serve no clients.
     *
     * @throws BrokerStartException when that takes too long, in words
     */
    void awaitReached();

    /** This node has read what all share, and is to serve clients; the stage completes when it misses nothing any more. */
    CompletionStage<@Nullable Void> live();

    /** Whether this node does what is enough once in the cluster. */
    boolean isFirst();

    /** Does what is done about once a second; on a timer's thread. */
    void tick();

    /** Tells the other nodes what this one says of itself, which is asked for at once if there are any; about once a second. */
    void tell(Supplier<NodeFigures> own);

    /** What this node knows of the whole cluster. */
    ClusterFigures figures(NodeFigures own, Shards shards);

    /** This node serves clients: from now on it publishes what back-ends produce, too. */
    void serving(Router router, Shards shards);

    /** Ends what {@link #serving} began; twice does no harm. Blocks for a moment. */
    void stopServing();

    /** This node is about to send its clients away. */
    void leaving();

    /** This node has no clients and owns nothing any more. Blocks for a moment. */
    void leave();

    /** What this node knows of the cluster, or null when there is none. */
    BrokerStatus.@Nullable ClusterStatus status(Shards shards);

    /** Closes the storage, and what connects this node with others. Blocks until done. */
    @Override
    void close();
}
