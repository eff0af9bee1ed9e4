package io.tributary.broker;

import io.tributary.broker.connection.ClientConnections;
import io.tributary.broker.connection.Farewell;
import io.tributary.broker.deployment.Deployment;
import io.tributary.broker.network.Listeners;
import io.tributary.broker.relocation.ServingNode;
import io.tributary.broker.shard.Shards;
import io.tributary.broker.sys.Announced;
import io.tributary.broker.sys.ClusterStats;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A node as drain and rebalancing see it.
 *
 * @param serverReference where MQTT 5 clients are told to go, or null
 * @param ofAll what all nodes say of themselves
 * @param toAll has other nodes told something
 */
record Departure(
        Deployment deployment,
        Listeners listeners,
        ClientConnections clients,
        Shards shards,
        @Nullable String serverReference,
        Supplier<ClusterStats> ofAll,
        Consumer<Announced> toAll)
        implements ServingNode {

    @Override
    public boolean isAlone() {
        return deployment.isAlone();
    }

    @Override
    public void turnAway(boolean all) {
        listeners.turnAway(all, serverReference);
    }

    @Override
    public int connections() {
        return clients.size();
    }

    @Override
    public int sendAway(int most) {
        return clients.sendAway(most, Farewell.elsewhere(serverReference));
    }

    @Override
    public void handOver(boolean all) {
        shards.handOver(all);
    }

    @Override
    public int ownedShards() {
        return shards.ownedShards();
    }

    @Override
    public int unownedShards() {
        return shards.unowned();
    }

    @Override
    public ClusterStats figures() {
        return ofAll.get();
    }

    @Override
    public long millis() {
        return deployment.clock().millis();
    }

    @Override
    public void announce(Announced said) {
        toAll.accept(said);
    }
}
