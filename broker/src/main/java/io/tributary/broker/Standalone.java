package io.tributary.broker;

import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.delivery.NodeInbox;
import io.tributary.broker.delivery.NodeView;
import io.tributary.broker.deployment.ClusterStatus;
import io.tributary.broker.deployment.Deployment;
import io.tributary.broker.deployment.FormatStatus;
import io.tributary.broker.deployment.Membership;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.routing.Router;
import io.tributary.broker.security.store.OwnerLink;
import io.tributary.broker.shard.OtherNodes;
import io.tributary.broker.shard.Shards;
import io.tributary.broker.subscription.Routes;
import io.tributary.broker.subscription.Subscriptions;
import io.tributary.broker.sys.ClusterStats;
import io.tributary.broker.sys.NodeStats;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.time.SteadyClock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A broker without others.
 *
 * @param node names the incarnation of this start, too: connections that an earlier start left attached are known to be
 *     gone
 */
record Standalone(String name, String node, SteadyClock clock, RecordFormat format, StandaloneStorage storage)
        implements Deployment {

    static Standalone open(BrokerConfig config, BrokerMetrics metrics) {
        SteadyClock clock = new SteadyClock();
        return new Standalone(
                config.nodeName(),
                config.nodeName() + "#" + UUID.randomUUID(),
                clock,
                RecordFormat.alone(),
                StandaloneStorage.open(config, metrics.storage(), clock));
    }

    @Override
    public boolean isAlone() {
        return true;
    }

    @Override
    public Routes routes() {
        return Routes.NONE;
    }

    @Override
    public OtherNodes others() {
        return OtherNodes.NONE;
    }

    @Override
    public NodeInbox inbox() {
        return NodeInbox.NONE;
    }

    @Override
    public OwnerLink ownerLink() {
        return OwnerLink.NONE;
    }

    @Override
    public NodeView view() {
        return NodeView.STANDALONE;
    }

    @Override
    public boolean isDead(String other) {
        return !other.equals(node);
    }

    @Override
    public Membership membership(
            Shards shards, Router router, Subscriptions subscriptions, ConnectionRegistry connections) {
        return new NoCluster(name, shards);
    }

    @Override
    public void close() {
        storage.close();
    }

    /** There is nobody to tell. */
    record NoCluster(String name, Shards shards) implements Membership {
        @Override
        public CompletionStage<@Nullable Void> connect() {
            return CompletableFuture.completedStage(null);
        }

        @Override
        public void awaitReached() {}

        @Override
        public CompletionStage<@Nullable Void> live() {
            return CompletableFuture.completedStage(null);
        }

        @Override
        public boolean isFirst() {
            return true;
        }

        @Override
        public void tick() {}

        @Override
        public void tell(Supplier<NodeStats> own) {}

        @Override
        public void tellTenants(List<byte[]> reports) {}

        @Override
        public void onTenants(BiConsumer<String, byte[]> listener) {}

        @Override
        public List<String> liveOthers() {
            return List.of();
        }

        @Override
        public ClusterStats stats(NodeStats own) {
            ClusterStats.Node here = new ClusterStats.Node(name, "live", own);
            return new ClusterStats(here, List.of(), List.of(), 1, shards.count(), shards.unowned());
        }

        @Override
        public FormatStatus formats(NodeStats own) {
            FormatStatus.Node here = new FormatStatus.Node(name, own.version(), RecordFormat.NEWEST);
            return new FormatStatus(RecordFormat.NEWEST, RecordFormat.NEWEST, List.of(here));
        }

        @Override
        public CompletionStage<@Nullable Void> finishUpgrade() {
            return CompletableFuture.completedStage(null);
        }

        @Override
        public List<String> withOtherRules(long digest) {
            return List.of();
        }

        @Override
        public void serving() {}

        @Override
        public void stopServing() {}

        @Override
        public void leaving(Duration longest) {}

        @Override
        public void leave() {}

        @Override
        public @Nullable ClusterStatus status() {
            return null;
        }

        @Override
        public void close() {}
    }
}
