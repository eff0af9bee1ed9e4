package io.tributary.cluster.node;

import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.delivery.TransientReceiver;
import io.tributary.broker.shard.Shards;
import io.tributary.cluster.link.Link;
import io.tributary.cluster.link.LinkReceiver;
import io.tributary.cluster.link.LinkRecorder;
import io.tributary.cluster.link.NodeId;
import io.tributary.cluster.link.NodeLinks;
import io.tributary.cluster.link.Refusal;
import io.tributary.cluster.node.NodeMessage.HoldPublisher;
import io.tributary.cluster.node.NodeMessage.MapProgress;
import io.tributary.cluster.node.NodeMessage.OwnerAnswer;
import io.tributary.cluster.node.NodeMessage.OwnerMessage;
import io.tributary.cluster.node.NodeMessage.OwnerQuestion;
import io.tributary.cluster.node.NodeMessage.PublishersWait;
import io.tributary.cluster.node.NodeMessage.QosZero;
import io.tributary.cluster.node.NodeMessage.Receipt;
import io.tributary.cluster.node.NodeMessage.RoomAgain;
import io.tributary.cluster.node.NodeMessage.Shared;
import io.tributary.cluster.node.NodeMessage.SharedAnswer;
import io.tributary.cluster.node.NodeMessage.Stats;
import io.tributary.cluster.node.NodeMessage.StoreMisses;
import io.tributary.cluster.node.NodeMessage.TenantsReport;
import io.tributary.cluster.node.NodeMessage.ToOwner;
import io.tributary.cluster.node.NodeMessage.Transient;
import io.tributary.cluster.node.NodeMessage.Unheard;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The links of this process to the other nodes, and the receivers of messages that come over them. All methods may be
 * called from any thread.
 */
public final class ClusterLinks implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final ClusterNode node;
    private final NodeId id;
    private final ClusterNode.Config config;
    private final Receivers receivers;
    private final ShardArrivals arrivals;
    private final StoreReach storeReach;
    private final NodeLinks links;
    private volatile int port;

    /**
     * The receivers of other nodes' messages, by kind.
     *
     * @param shards the shards of this node, with which owners elsewhere talk
     * @param sessions takes what other nodes hand over for transient sessions
     * @param connections takes what other nodes have for persistent sessions
     * @param gone told of each process that is over, by the name that an {@code Attach} has
     */
    public record Receivers(
            Shards shards, TransientReceiver sessions, ConnectionRegistry connections, Consumer<String> gone) {}

    /**
     * Creates them; there are none before {@link #connect}.
     *
     * @param id this process, as {@link ClusterNode#open} has chosen it
     */
    public ClusterLinks(
            ClusterNode node, NodeId id, ClusterNode.Config config, Receivers receivers, LinkRecorder recorder) {
        this.node = node;
        this.id = id;
        this.config = config;
        this.receivers = receivers;
        Shards shards = receivers.shards();
        arrivals = new ShardArrivals(node.owners, shards, receivers.connections(), node.format());
        storeReach = new StoreReach(
                node.runtime.timer(),
                shards.count(),
                shards::reachStore,
                missing -> node.tellAll(new StoreMisses(missing)),
                shards::takePart);
        links = new NodeLinks(id, config.link(), config.layer(), node.runtime.links(), new Frames(), recorder);
    }

    /**
     * Begins to listen for links, connects with the other nodes, and enters this process into the table as joining.
     * Blocks until it listens; once.
     *
     * @return completes when all live nodes know this one
     * @throws io.tributary.cluster.link.LinkListenException when this node cannot listen where it should
     */
    public CompletionStage<@Nullable Void> connect() {
        node.watch(new Peers());
        InetSocketAddress listening = links.listen();
        port = listening.getPort();
        link();
        return node.table.join(id, address(listening));
    }

    /**
     * Looks whether this node reaches the store of the shards' state as others do; to be called about once a second.
     */
    public void tick() {
        if (node.isServing()) {
            storeReach.tick();
        }
    }

    /** The port at which this node listens for links; 0 before {@link #connect}. */
    public int port() {
        return port;
    }

    /** Why a connection between this node and another one did not become a link, the last time, or null. */
    public @Nullable Refusal refusal() {
        return links.refusal();
    }

    /** Whether this node owns no shards, for others reach more of the store of their state. */
    public boolean isCutOffFromStore() {
        return storeReach.isCutOff();
    }

    /** Ends the links, and the heartbeats of this process. Blocks for a moment. */
    @Override
    public void close() {
        node.stop();
        links.close(PATIENCE)
                .toCompletableFuture()
                .completeOnTimeout(null, 2 * PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    private synchronized void link() {
        links.peers(node.table.alive());
    }

    private InetSocketAddress address(InetSocketAddress listening) {
        String host = config.advertisedHost();
        return InetSocketAddress.createUnresolved(
                host == null ? listening.getAddress().getHostAddress() : host,
                config.advertisedPort() == 0 ? listening.getPort() : config.advertisedPort());
    }

    /** Links with the processes that are there. */
    private final class Peers implements ClusterNode.Watcher {
        @Override
        public void onAlive() {
            link();
        }

        @Override
        public void onGone(NodeId gone) {
            link();
            receivers.shards().gone(gone.toString());
            receivers.gone().accept(gone.toString());
        }
    }

    /** Hands messages of links to their receivers. */
    private final class Frames implements LinkReceiver {
        @Override
        public void onUp(Link link) {
            node.transients.onUp(link);
            node.shared.onUp(link);
            node.questions.onUp(link);
            arrivals.onUp(link);
            node.runtime.visibility().linkUp(link.peer());
            node.cutOff.linkUp(link.peer());
            node.table.shards().linkUp(link.peer());
        }

        @Override
        public void onFrame(Link link, byte[] frame) {
            for (NodeMessage message : NodeMessageCodec.decode(frame)) {
                switch (message) {
                    case OwnerMessage fromOwner -> arrivals.take(link, fromOwner);
                    case ToOwner toOwner -> arrivals.take(link, toOwner);
                    case MapProgress progress -> node.runtime.visibility().received(link.peer(), progress);
                    case Transient handedOver -> node.transients.take(link, handedOver, receivers.sessions());
                    case Receipt taken -> node.transients.take(link, taken);
                    case PublishersWait() -> node.transients.onPublishersWait(link);
                    case HoldPublisher hold -> node.transients.take(link, hold);
                    case RoomAgain again -> node.transients.take(link, again);
                    case Shared handedOver -> node.shared.take(link, handedOver, receivers.connections());
                    case SharedAnswer answer -> node.shared.take(link, answer);
                    case OwnerQuestion asked -> node.questions.take(link, asked);
                    case OwnerAnswer answered -> node.questions.take(link, answered);
                    case QosZero qosZero -> arrivals.take(qosZero);
                    case Unheard(long millis) -> node.cutOff.unheard(TimeUnit.MILLISECONDS.toNanos(millis));
                    case StoreMisses(int missing) -> storeReach.received(link.peer(), missing);
                    case TenantsReport said -> node.tenants.accept(link.peer().toString(), said.report());
                    case Stats said -> node.peerStats.received(link.peer(), said.stats());
                }
            }
        }

        @Override
        public void onRefused(NodeId peer) {
            node.table.shards().refused(peer);
        }

        @Override
        public void onFramesRead(Link link) {
            node.transients.answer(link);
        }

        @Override
        public void onDown(Link link) {
            node.runtime.visibility().linkDown(link.peer());
            node.cutOff.linkDown(link.peer());
            node.peerStats.linkDown(link.peer());
            storeReach.linkDown(link.peer());
            arrivals.onDown(link);
            node.transients.onDown(link);
            node.shared.onDown(link);
            node.questions.onDown(link);
        }
    }
}
