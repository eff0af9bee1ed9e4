package io.tributary.broker.deployment;

import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.delivery.NodeInbox;
import io.tributary.broker.delivery.NodeView;
import io.tributary.broker.routing.Router;
import io.tributary.broker.security.store.OwnerLink;
import io.tributary.broker.shard.OtherNodes;
import io.tributary.broker.shard.Shards;
import io.tributary.broker.subscription.Routes;
import io.tributary.broker.subscription.Subscriptions;
import io.tributary.common.event.RecordFormat;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * The place of a broker, alone or among the nodes of a cluster: the parts that exist before the broker is built. Once
 * it is built, its {@link Membership} acts.
 */
public interface Deployment extends AutoCloseable {

    /** This node and its incarnation, as the log names it. */
    String node();

    /** The time by which messages expire, the same on all nodes. */
    InstantSource clock();

    /** The storage of all state that outlives this broker. */
    Storage storage();

    /** Whether there never are other nodes. */
    boolean isAlone();

    /** The transient subscriptions that nodes tell each other of. */
    Routes routes();

    /** The format of records that other nodes read. */
    RecordFormat format();

    /** The client identifier as which back-ends publish, which no client may have; null where there are none. */
    default @Nullable String backEnds() {
        return null;
    }

    /** How shards talk with other nodes. */
    OtherNodes others();

    /** How messages without a log reach other nodes. */
    NodeInbox inbox();

    /** The way to the node that writes the store of security objects. */
    OwnerLink ownerLink();

    /** Whether this node is current: it knows what the other nodes know. */
    NodeView view();

    /** Whether another node or incarnation is gone for good. */
    boolean isDead(String node);

    /** This node's part among the others; the others do not know this node before {@link Membership#connect}. */
    Membership membership(Shards shards, Router router, Subscriptions subscriptions, ConnectionRegistry connections);

    /** Closes the storage, and what connects this node with others. Blocks until done. */
    @Override
    void close();
}
