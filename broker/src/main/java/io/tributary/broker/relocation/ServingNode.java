package io.tributary.broker.relocation;

import io.tributary.broker.sys.Announced;
import io.tributary.broker.sys.ClusterStats;

/** The node that serves clients at present. Its methods do not block. */
public interface ServingNode {

    /** Whether there never are other nodes. */
    boolean isAlone();

    /** Refuses new clients, as another node is to have them; or no more. Twice does no harm. */
    void turnAway(boolean all);

    /** How many clients are connected. */
    int connections();

    /**
     * Has clients connect elsewhere, whichever.
     *
     * @param most how many at most
     * @return how many were told now
     */
    int sendAway(int most);

    /** Gives the shards of this node to others, and takes none; or takes part again. Twice does no harm. */
    void handOver(boolean all);

    /** How many shards this node owns. */
    int ownedShards();

    /** How many shards no node owns that this one can reach. */
    int unownedShards();

    /** What all nodes say of themselves. */
    ClusterStats figures();

    /** The time of the cluster, in milliseconds. */
    long millis();

    /** From now on the other nodes are told this. */
    void announce(Announced said);
}
