package io.tributary.cluster;

import io.tributary.broker.BrokerStartException;
import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.layout.LayoutHistory;
import io.tributary.cluster.kafka.layout.LayoutLog;
import io.tributary.cluster.kafka.layout.ShardLayout;
import io.tributary.common.event.UnreadableRecordException;

/**
 * The shards of a cluster as Kafka says, with which a node's configuration has to agree. Blocks while Kafka is asked.
 */
final class KnownLayout {
    private static final String SHARDS = "tributary.cluster.shards";

    private KnownLayout() {}

    /**
     * The configuration with the generation of shards that counts.
     *
     * @throws BrokerStartException when it says another number, or the shards are being changed
     */
    static ClusterConfig of(ClusterConfig configured) {
        LayoutHistory history;
        try {
            history = LayoutLog.read(configured.kafka());
        } catch (KafkaAccessException | UnreadableRecordException e) {
            throw new BrokerStartException(String.valueOf(e.getMessage()), e);
        }
        LayoutHistory.Pending pending = history.pending();
        if (pending != null) {
            throw new BrokerStartException(
                    "the shards of this cluster are being changed from "
                            + pending.begun().fromShards() + " to "
                            + pending.begun().shards()
                            + " by `tributary cluster reshard`, or that was broken off: let it finish, or run it again,"
                            + " or give it up with `tributary cluster reshard --abandon`",
                    null);
        }
        ShardLayout layout = history.current(configured.shards());
        if (layout.shards() != configured.shards()) {
            throw new BrokerStartException(
                    SHARDS + ": '" + configured.shards() + "', but `tributary cluster reshard` has given this cluster "
                            + layout.shards() + " shards; set " + SHARDS + "=" + layout.shards()
                            + " on all nodes, or change the number by that command while no node runs",
                    null);
        }
        return configured.at(layout);
    }

    /**
     * Refuses to go on where the shards were changed since this node read which ones count. To be called once the node
     * is in the node table, for whoever changes shards looks there after having said so.
     *
     * @param now as Kafka says by then
     */
    static void check(ClusterConfig now, ClusterConfig served) {
        if (!now.kafka().generation().equals(served.kafka().generation())) {
            throw new BrokerStartException(
                    "the shards of this cluster were changed meanwhile: start the node again", null);
        }
    }
}
