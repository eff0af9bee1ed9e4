package io.tributary.broker;

import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.delivery.NodeInbox;
import io.tributary.broker.delivery.NodeView;
import io.tributary.broker.routing.Router;
import io.tributary.broker.shard.OtherNodes;
import io.tributary.broker.shard.Shards;
import io.tributary.broker.subscription.Routes;
import io.tributary.broker.subscription.Subscriptions;
import io.tributary.common.event.RecordFormat;
import java.time.InstantSource;

/**
 * Where a broker is, alone or among the nodes of a cluster: what it has there before it is built. What it does there
 * once it is built, its {@link Membership} does.
 */
sealed interface Deployment extends AutoCloseable permits Standalone, Clustered {

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

    /** What this node does among the others; they do not know of it before {@link Membership#connect}. */
    Membership membership(Shards shards, Router router, Subscriptions subscriptions, ConnectionRegistry connections);

    /** Closes the storage, and what connects this node with others. Blocks until done. */
    @Override
    void close();
}
