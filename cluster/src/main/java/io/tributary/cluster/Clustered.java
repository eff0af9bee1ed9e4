package io.tributary.cluster;

import io.tributary.broker.BrokerConfig;
import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.delivery.NodeInbox;
import io.tributary.broker.delivery.NodeView;
import io.tributary.broker.deployment.Deployment;
import io.tributary.broker.deployment.Loss;
import io.tributary.broker.deployment.Membership;
import io.tributary.broker.deployment.Stages;
import io.tributary.broker.routing.Router;
import io.tributary.broker.security.store.OwnerLink;
import io.tributary.broker.shard.OtherNodes;
import io.tributary.broker.shard.ShardAppends;
import io.tributary.broker.shard.Shards;
import io.tributary.broker.subscription.Routes;
import io.tributary.broker.subscription.Subscriptions;
import io.tributary.broker.tls.CertificateWatch;
import io.tributary.broker.tls.WatchedFiles;
import io.tributary.cluster.ingest.Ingest;
import io.tributary.cluster.ingest.IngestConfig;
import io.tributary.cluster.kafka.shard.KafkaShardLog;
import io.tributary.cluster.link.LinkTls;
import io.tributary.cluster.link.NodeId;
import io.tributary.cluster.metrics.ClusterMetrics;
import io.tributary.cluster.node.ClusterLinks;
import io.tributary.cluster.node.ClusterNode;
import io.tributary.cluster.node.ClusterRuntime;
import io.tributary.cluster.node.ShardReading;
import io.tributary.common.codec.DecoderLimits;
import io.tributary.common.event.RecordFormat;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A broker that is one of the nodes of a cluster: connected with Kafka and Redis, and with a number of its own. */
record Clustered(
        ClusterNode cluster,
        ClusterRuntime runtime,
        ClusterStorage storage,
        Routes routes,
        ClusterNode.Config config,
        NodeId id,
        DecoderLimits packets,
        @Nullable IngestConfig ingest,
        @Nullable CertificateWatch certificates,
        ClusterMetrics metrics,
        Runnable joined)
        implements Deployment {

    /**
     * Connects with Kafka and Redis, and chooses this process's number. Blocks until done.
     *
     * @param patience how long is waited for Redis, and whether Kafka still is
     * @param joined run once this node is in the node table: may find that it must not go on
     * @param onLost told when this process must not go on: it was declared dead, is cut off, or Kafka refuses what it
     *     must take
     * @throws io.tributary.broker.BrokerStartException when something is not as it must be
     */
    static Clustered open(
            BrokerConfig config,
            ClusterConfig cluster,
            ClusterMetrics metrics,
            StartPatience patience,
            Runnable joined,
            Consumer<Loss> onLost) {
        ClusterNode.Config ofNode = cluster.ofNode(config, Set.copyOf(ClusterStorage.MAPS));
        DecoderLimits packets = config.largestPackets();
        ClusterRuntime runtime = new ClusterRuntime(ofNode.maps(), ofNode.visibility(), metrics.cluster());
        try {
            ClusterStorage storage = ClusterStorage.open(
                    config.nodeName(),
                    cluster,
                    packets.maxPacketBytes(),
                    runtime.visibility(),
                    runtime.format(),
                    runtime.clock(),
                    metrics,
                    patience,
                    failure -> onLost.accept(new Loss("Kafka cannot be relied on any more: " + failure, false)));
            try {
                ClusterNode node = new ClusterNode(
                        ofNode,
                        runtime,
                        storage.nodes(),
                        storage::caughtUp,
                        clientId -> ShardAppends.shardOf(clientId, cluster.shards()),
                        metrics.cluster(),
                        onLost);
                storage.log().onTakePart(node::takePart);
                node.reads(new ShardsOfLog(storage.log()));
                NodeId id = Stages.await(node.open());
                Routes routes = new Routes(storage.routes(), id.toString(), runtime.format());
                CertificateWatch certificates = watch(ofNode, metrics);
                return new Clustered(
                        node,
                        runtime,
                        storage,
                        routes,
                        ofNode,
                        id,
                        packets,
                        cluster.ingest(),
                        certificates,
                        metrics,
                        joined);
            } catch (RuntimeException | Error e) {
                storage.close();
                throw e;
            }
        } catch (RuntimeException | Error e) {
            runtime.close();
            throw e;
        }
    }

    private static @Nullable CertificateWatch watch(ClusterNode.Config config, ClusterMetrics metrics) {
        List<WatchedFiles> files = new ArrayList<>(config.link().secret().files());
        if (config.layer() instanceof LinkTls encrypted) {
            files.add(encrypted.contexts());
        }
        if (files.isEmpty()) {
            return null;
        }
        CertificateWatch watch = new CertificateWatch(metrics.tls());
        files.forEach(watch::add);
        return watch;
    }

    @Override
    public String node() {
        return id.toString();
    }

    @Override
    public InstantSource clock() {
        return runtime.clock();
    }

    @Override
    public RecordFormat format() {
        return runtime.format();
    }

    @Override
    public @Nullable String backEnds() {
        return ingest == null ? null : ingest.publisher();
    }

    @Override
    public boolean isAlone() {
        return false;
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
    public OwnerLink ownerLink() {
        return cluster.ownerLink();
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
    public Membership membership(
            Shards shards, Router router, Subscriptions subscriptions, ConnectionRegistry connections) {
        ClusterLinks links = new ClusterLinks(
                cluster,
                id,
                config,
                new ClusterLinks.Receivers(shards, router::take, connections, subscriptions::gone),
                metrics.links());
        return new ClusterMembership(
                cluster, id, links, storage, shards, subscriptions, ingest(router, shards), certificates, joined);
    }

    /** The publisher of back-ends' records, or null when none are read. */
    private @Nullable Ingest ingest(Router router, Shards shards) {
        if (ingest == null) {
            return null;
        }
        BooleanSupplier mustWait =
                () -> shards.isCongested() || !shards.lagging().isEmpty();
        return new Ingest(ingest, packets, router, cluster, mustWait, runtime.clock(), metrics.ingest());
    }

    @Override
    public void close() {
        if (certificates != null) {
            certificates.close();
        }
        cluster.close();
        storage.close();
    }

    /** Has the log read the shards that the node table gives to this node. */
    private record ShardsOfLog(KafkaShardLog log) implements ShardReading {
        @Override
        public void assign(Set<Integer> shards, Runnable released) {
            log.assign(shards, released);
        }

        @Override
        public void expect(int shard, Runnable ready) {
            log.expect(shard, ready);
        }

        @Override
        public void onlyNode(boolean isNow) {
            log.onlyNode(isNow);
        }

        @Override
        public void leave(int shard) {
            log.leave(shard);
        }
    }
}
