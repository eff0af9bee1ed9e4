package io.tributary.broker.relocation;

import io.tributary.broker.sys.Announced;
import io.tributary.broker.sys.ClusterStats;
import io.tributary.broker.sys.NodeStats;
import io.tributary.broker.sys.SysStats;
import io.tributary.broker.sys.SysStats.Clients;
import io.tributary.broker.sys.SysStats.Flow;
import io.tributary.broker.sys.SysStats.StoredStats;
import io.tributary.broker.sys.SysStats.Subscribed;
import io.tributary.broker.sys.SysStats.Traffic;

/** One of several nodes that serve clients: with 8 shards, without clients, and it does at once what it is told. */
abstract class StillNode implements ServingNode {
    /** What one node tells the others of itself. */
    static ClusterStats.Node part(String name, int connected) {
        SysStats stats = new SysStats(
                new Clients(connected, 0, 0, 0),
                new Traffic(0, new Flow(0, 0), new Flow(0, 0), 0, 0, new Flow(0, 0)),
                new StoredStats(0, new Subscribed(0, 0), new Subscribed(0, 0), 0));
        return new ClusterStats.Node(name, "live", new NodeStats("v1", 5, stats, 0));
    }

    /** The process around it, which goes on. */
    final Host host() {
        return new Host() {
            @Override
            public ServingNode node() {
                return StillNode.this;
            }

            @Override
            public boolean release() {
                throw new AssertionError("it is to serve clients");
            }

            @Override
            public void resume() {}
        };
    }

    @Override
    public boolean isAlone() {
        return false;
    }

    @Override
    public void turnAway(boolean all) {}

    @Override
    public int connections() {
        return 0;
    }

    @Override
    public int sendAway(int most) {
        return 0;
    }

    @Override
    public void handOver(boolean all) {}

    @Override
    public int ownedShards() {
        return 8;
    }

    @Override
    public int unownedShards() {
        return 0;
    }

    @Override
    public long millis() {
        return 1;
    }

    @Override
    public void announce(Announced said) {}
}
