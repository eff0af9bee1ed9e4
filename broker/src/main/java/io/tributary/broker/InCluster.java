package io.tributary.broker;

import io.tributary.broker.cluster.ClusterNode;
import io.tributary.broker.connection.ListenerConfig;
import io.tributary.broker.delivery.NodeInbox;
import io.tributary.broker.delivery.NodeView;
import io.tributary.broker.link.LinkListenException;
import io.tributary.broker.link.NodeId;
import io.tributary.broker.routing.Router;
import io.tributary.broker.shard.OtherNodes;
import io.tributary.broker.shard.Shards;
import io.tributary.broker.subscription.Routes;
import io.tributary.broker.subscription.Subscriptions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A broker that is one of the nodes of a cluster. */
final class InCluster implements Place {
    private static final Logger LOG = LoggerFactory.getLogger(InCluster.class);
    private static final Duration LEAVE_PATIENCE = Duration.ofSeconds(3);

    private final ClusterNode cluster;
    private final ClusterStorage storage;
    private final NodeId id;
    private final Routes routes;
    private volatile @Nullable Subscriptions subscriptions;

    private InCluster(ClusterNode cluster, ClusterStorage storage, NodeId id) {
        this.cluster = cluster;
        this.storage = storage;
        this.id = id;
        routes = new Routes(storage.routes(), id.toString());
    }

    /**
     * Connects with Kafka and Redis, and chooses this process's number. Blocks until done.
     *
     * @param onLost told when this process must not go on, in words: it was declared dead, or Kafka refuses what it must take
     * @throws BrokerStartException when something is not as it must be
     */
    static InCluster open(
            BrokerConfig config, ClusterConfig cluster, BrokerRecorders recorders, Consumer<String> onLost) {
        ClusterNode node = new ClusterNode(
                new ClusterNode.Config(
                        config.nodeName(),
                        Set.copyOf(ClusterStorage.MAPS),
                        cluster.link(),
                        cluster.linkLayer(),
                        cluster.advertisedHost(),
                        cluster.advertisedPort(),
                        cluster.nodes(),
                        cluster.visibility()),
                recorders.cluster(),
                recorders.links(),
                () -> onLost.accept("the cluster holds this node for dead"));
        try {
            ClusterStorage storage = ClusterStorage.open(
                    config.nodeName(),
                    cluster,
                    largestPacket(config.listeners()),
                    node.visibility(),
                    recorders,
                    failure -> onLost.accept("Kafka cannot be relied on any more: " + failure));
            try {
                return new InCluster(node, storage, identify(node, storage));
            } catch (RuntimeException e) {
                storage.close();
                throw e;
            }
        } catch (RuntimeException e) {
            node.close();
            throw e;
        }
    }

    private static NodeId identify(ClusterNode node, ClusterStorage storage) {
        return BrokerNode.await(node.open(storage.nodes()));
    }

    private static int largestPacket(List<ListenerConfig> listeners) {
        return listeners.stream()
                .mapToInt(listener -> listener.limits().packets().maxPacketBytes())
                .max()
                .orElse(1 << 20);
    }

    @Override
    public String node() {
        return id.toString();
    }

    @Override
    public Storage storage() {
        return storage;
    }

    @Override
    public Routes routes() {
        return routes;
    }

    @Override
    public OtherNodes others() {
        return cluster.otherNodes();
    }

    @Override
    public NodeInbox inbox() {
        return cluster.inbox();
    }

    @Override
    public NodeView view() {
        return cluster;
    }

    @Override
    public boolean isDead(String node) {
        return cluster.isDead(node);
    }

    @Override
    public CompletionStage<@Nullable Void> connect(Shards shards, Router router, Subscriptions newSubscriptions) {
        subscriptions = newSubscriptions;
        try {
            return cluster.connect(shards, router::take, this::caughtUp, newSubscriptions::gone);
        } catch (LinkListenException e) {
            throw new BrokerStartException(String.valueOf(e.getMessage()), e);
        }
    }

    /** What others acknowledged before they began to wait for this node is in the maps by then. */
    @Override
    public CompletionStage<@Nullable Void> live() {
        return cluster.live().thenCompose(known -> caughtUp());
    }

    private CompletionStage<@Nullable Void> caughtUp() {
        CompletionStage<@Nullable Void> subscribed = storage.subscriptions().caughtUp();
        CompletionStage<@Nullable Void> retained = storage.retained().caughtUp();
        CompletionStage<@Nullable Void> routed = storage.routes().caughtUp();
        return subscribed.thenCompose(_ -> retained).thenCompose(_ -> routed);
    }

    @Override
    public void tick(boolean ownsShardZero) {
        cluster.owningShardZero(ownsShardZero);
        Subscriptions all = subscriptions;
        if (all != null && cluster.isCurrent()) {
            all.sweep(cluster::isKnownDead, ownsShardZero);
        }
    }

    @Override
    public void leaving() {
        waitBriefly("leaving", cluster.leaving());
    }

    @Override
    public void leave() {
        waitBriefly("gone", cluster.leave());
    }

    /** The others find out by themselves, only later. */
    private static void waitBriefly(String what, CompletionStage<?> stage) {
        try {
            stage.toCompletableFuture().get(LEAVE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("the other nodes were not told that this one is {}: {}", what, e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public BrokerStatus.ClusterStatus status(Shards shards) {
        boolean behind = !cluster.isCurrent();
        List<String> problems = behind
                ? List.of("this node is behind the others, or Kafka does not answer: it takes no PUBLISH")
                : List.of();
        return new BrokerStatus.ClusterStatus(
                cluster.liveNodes(), shards.ownedShards(), shards.unowned(), behind, problems);
    }

    @Override
    public void close() {
        cluster.close();
        storage.close();
    }
}
