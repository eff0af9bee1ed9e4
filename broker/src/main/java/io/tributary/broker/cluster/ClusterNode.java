package io.tributary.broker.cluster;

import io.tributary.broker.cluster.NodeMessage.Figures;
import io.tributary.broker.cluster.NodeMessage.MapProgress;
import io.tributary.broker.cluster.NodeMessage.OwnerMessage;
import io.tributary.broker.cluster.NodeMessage.QosZero;
import io.tributary.broker.cluster.NodeMessage.Shared;
import io.tributary.broker.cluster.NodeMessage.SharedAnswer;
import io.tributary.broker.cluster.NodeMessage.StoreMisses;
import io.tributary.broker.cluster.NodeMessage.Taken;
import io.tributary.broker.cluster.NodeMessage.ToOwner;
import io.tributary.broker.cluster.NodeMessage.Transient;
import io.tributary.broker.cluster.NodeMessage.Unheard;
import io.tributary.broker.delivery.MemberTarget;
import io.tributary.broker.delivery.NodeInbox;
import io.tributary.broker.delivery.NodeView;
import io.tributary.broker.delivery.TransientReceiver;
import io.tributary.broker.link.Link;
import io.tributary.broker.link.LinkConfig;
import io.tributary.broker.link.LinkLayer;
import io.tributary.broker.link.LinkReceiver;
import io.tributary.broker.link.LinkRecorder;
import io.tributary.broker.link.NodeId;
import io.tributary.broker.link.NodeLinks;
import io.tributary.broker.shard.OtherNodes;
import io.tributary.broker.shard.Shards;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.time.SteadyClock;
import io.tributary.persistence.replicated.ReplicatedMap;
import io.tributary.persistence.replicated.Visibility;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process as one of the nodes of a cluster, from its start until it stops or is declared dead: its place in the node
 * table, its links, and what it knows of how far the others are. The steps of a start are, each after the one before:
 * {@link #open}, {@link #connect}, {@link #live}; those of a stop {@link #leaving}, {@link #leave}, {@link #close}.
 *
 * <p>All methods may be called from any thread.
 */
public final class ClusterNode implements NodeView, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterNode.class);
    private static final Duration LINK_PATIENCE = Duration.ofSeconds(1);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Config config;
    private final SteadyClock clock = new SteadyClock();
    private final ClusterRecorder recorder;
    private final LinkRecorder linkRecorder;
    private final Consumer<Loss> onLost;
    private final ScheduledExecutorService executor;
    private final ClusterTimer timer;
    private final ClusterVisibility visibility;
    private final ShardTraffic owners;
    private final SharedTraffic shared;
    private final TransientTraffic transients;
    private final PeerFigures peerFigures;
    private final long longestPauseNanos;
    private final Duration knowledgeAge;
    private final RecordFormat format = new RecordFormat(RecordFormat.NEWEST);

    private volatile @Nullable ReplicatedMap nodes;
    private volatile @Nullable NodeTable table;
    private volatile @Nullable CutOff cutOff;
    private volatile @Nullable StoreReach storeReach;
    private volatile @Nullable NodeId id;
    private volatile @Nullable NodeLinks links;
    private volatile @Nullable Shards shards;
    private volatile Consumer<String> gone = node -> {};
    private volatile Supplier<CompletionStage<@Nullable Void>> caughtUp = () -> CompletableFuture.completedStage(null);
    private volatile boolean over;
    private volatile boolean serving;
    private final CompletableFuture<@Nullable Void> reached = new CompletableFuture<>();
    private volatile long pulseNanos;
    private volatile boolean wasPaused;
    private long pauses; // on the timer's thread
    private final WallClockWatch wallClock;

    /**
     * What a node is told.
     *
     * @param name the name of the node, which no other node has
     * @param maps the names of the maps that all nodes follow
     * @param link how links are made
     * @param layer what lies between their sockets and them
     * @param advertisedHost where other nodes reach this one, or null for where the links listen
     * @param advertisedPort the port to that, or 0 for the one at which the links listen
     */
    public record Config(
            String name,
            Set<String> maps,
            LinkConfig link,
            LinkLayer layer,
            @Nullable String advertisedHost,
            int advertisedPort,
            NodeTableConfig nodes,
            VisibilityConfig visibility) {}

    /**
     * Creates it; it is in no table yet and has no links.
     *
     * @param onLost told when the cluster holds this process for dead, or when it is cut off from what it needs or its wall clock is set
     *     back while it {@link #serving serves} clients: it is to close its connections, and may begin anew; must not block
     */
    public ClusterNode(Config config, ClusterRecorder recorder, LinkRecorder linkRecorder, Consumer<Loss> onLost) {
        this.config = config;
        this.recorder = recorder;
        this.linkRecorder = linkRecorder;
        this.onLost = onLost;
        executor = new ScheduledThreadPoolExecutor(1, ClusterNode::thread, new ThreadPoolExecutor.DiscardPolicy());
        timer = ClusterTimer.on(executor);
        // Others leave a node out that is behind for so long; it must know before.
        longestPauseNanos = config.visibility().leaveOut().toNanos() / 4;
        knowledgeAge = config.visibility().leaveOut().multipliedBy(9).dividedBy(10);
        pulseNanos = timer.nanos();
        wallClock = new WallClockWatch(System::currentTimeMillis, timer::nanos);
        visibility = new ClusterVisibility(config.maps(), config.visibility(), timer, new Progress());
        owners = new ShardTraffic(this::others, this::isCurrent, this::knowsAll, executor, format);
        shared = new SharedTraffic(timer, format);
        transients = new TransientTraffic(owners, shared, timer, format, recorder);
        peerFigures = new PeerFigures(timer::nanos);
        timer.after(LOOK_NANOS, this::pulse);
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "tributary-cluster");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * The time of the cluster: that of the server that keeps the node table, which each heartbeat of any node tells, whatever
     * this machine's wall clock says.
     */
    public InstantSource clock() {
        return clock;
    }

    /** In which format this node writes, as the table says what the others read. */
    public RecordFormat format() {
        return format;
    }

    /** Knows how far the maps are on all nodes; the maps are to be opened with it. */
    public Visibility visibility() {
        return visibility;
    }

    /**
     * Reads the node table and chooses this process's number. Blocks for some seconds when the table has a process of this
     * name that seems alive.
     *
     * @param newNodes the map that holds the table; nobody else follows it
     * @return this process
     */
    public CompletionStage<NodeId> open(ReplicatedMap newNodes) {
        nodes = newNodes;
        NodeTable opened = new NodeTable(
                config.name(), format, newNodes, config.nodes(), timer, System::currentTimeMillis, new Others());
        table = opened;
        cutOff = new CutOff(opened, config.nodes(), timer);
        return opened.open().thenApply(chosen -> {
            id = chosen;
            return chosen;
        });
    }

    /**
     * Begins to listen for links, enters this process into the table as joining, and connects with the others. Blocks until it
     * listens.
     *
     * @param newShards the shards of this node, with which owners elsewhere talk; prepared
     * @param transientReceiver takes what other nodes hand over for transient sessions
     * @param members takes what other nodes hand over for members of shared subscriptions of applications
     * @param newCaughtUp completes when this node has read all that the maps have at the time of the call
     * @param newGone told of each process that is over, by the name that an {@code Attach} has
     * @return completes when all live nodes know this one
     */
    public CompletionStage<@Nullable Void> connect(
            Shards newShards,
            TransientReceiver transientReceiver,
            MemberTarget members,
            Supplier<CompletionStage<@Nullable Void>> newCaughtUp,
            Consumer<String> newGone) {
        shards = newShards;
        gone = newGone;
        caughtUp = newCaughtUp;
        storeReach = new StoreReach(
                timer,
                newShards.count(),
                newShards::reachStore,
                missing -> tellAll(new StoreMisses(missing)),
                newShards::takePart);
        owners.serve(newShards);
        transients.serve(transientReceiver);
        shared.serve(members);
        NodeLinks listening = NodeLinks.start(id(), config.link(), config.layer(), new Frames(), linkRecorder);
        links = listening;
        link();
        return table().join(address(listening.address()));
    }

    /**
     * Completes when this process, which is {@link #connect connected}, reaches all nodes without which it is to serve no clients;
     * {@link #obstacles} names those that it does not reach meanwhile.
     */
    public CompletionStage<@Nullable Void> reached() {
        return reached;
    }

    /** The nodes that {@link #reached} waits for, with commas between. */
    public String obstacles() {
        CutOff watching = cutOff;
        return watching == null ? "" : watching.obstacles();
    }

    /** Clients may be connected from now on, or no more: only then it matters that this process is cut off. */
    public void serving(boolean now) {
        serving = now;
    }

    /** Says that this process serves clients: from now on others wait for it, and it is not to miss what they acknowledge. */
    public CompletionStage<@Nullable Void> live() {
        return table().live();
    }

    /** Says that this process sends its clients away. */
    public CompletionStage<@Nullable Void> leaving() {
        return table().leaving();
    }

    /** Takes leave: the others know at once that nothing of this process is left. */
    public CompletionStage<@Nullable Void> leave() {
        return table().leave();
    }

    /** This process. */
    public NodeId id() {
        return Objects.requireNonNull(id, "open() has not completed");
    }

    /** How shards talk with the connections and owners of other nodes. */
    public OtherNodes otherNodes() {
        return owners;
    }

    /** How messages reach transient sessions of other nodes. */
    public NodeInbox inbox() {
        return transients;
    }

    /** Whether a process is over, as {@link NodeTable#isDead} says it. */
    public boolean isDead(String node) {
        return table().isDead(node);
    }

    /** Whether a process is over that the table has, as {@link NodeTable#isKnownDead} says it. */
    public boolean isKnownDead(String node) {
        return table().isKnownDead(node);
    }

    /** How many processes are in the table and not over, this one among them. */
    public int liveNodes() {
        return table().alive().size();
    }

    /** How many names of nodes the table has, those of dead ones too. */
    public int knownNodes() {
        return table().knownNames();
    }

    /** All processes that are in the table and not over, this one among them. */
    public List<Member> members() {
        return table().states().entrySet().stream()
                .map(node -> new Member(node.getKey(), node.getValue(), peerFigures.of(node.getKey())))
                .toList();
    }

    /**
     * Tells all nodes with which there is a link what this one says of itself, for their {@link #members}; to be called once a
     * second. Where nothing else is on its way, it takes the place of a link's heartbeat.
     *
     * @param figures at most {@value Figures#MAX_BYTES} bytes; not to be changed any more
     */
    public void tell(byte[] figures) {
        tellAll(new Figures(figures));
    }

    private void tellAll(NodeMessage message) {
        NodeLinks listening = links;
        if (listening != null) {
            byte[] frame = FrameBuilder.frameOf(message, format);
            table().alive().keySet().forEach(node -> listening.send(node, frame));
        }
    }

    /** Looks whether this node reaches the store of the shards' state as others do; to be called about once a second. */
    public void tick() {
        StoreReach reach = storeReach;
        if (reach != null && serving) {
            reach.tick();
        }
    }

    /** Whether this node owns no shards, for others reach more of the store of their state. */
    public boolean isCutOffFromStore() {
        StoreReach reach = storeReach;
        return reach != null && reach.isCutOff();
    }

    /** Whether this node does what is enough once in the cluster, as {@link NodeTable#isFirst} says it. */
    public boolean isFirst() {
        return table().isFirst();
    }

    /**
     * {@inheritDoc}
     *
     * <p>So not after a pause of this process that was so long that others may have left it out, until it has caught up.
     */
    @Override
    public boolean isCurrent() {
        return !over
                && !wasPaused
                && timer.nanos() - pulseNanos <= longestPauseNanos
                && !visibility.isBehind()
                && !format.isTooOld()
                && table().isCurrent(knowledgeAge);
    }

    /** Why this node does not know what the others do, in words; null while it {@link #isCurrent}. */
    public @Nullable String problem() {
        if (isCurrent()) {
            return null;
        }
        if (!table().isCurrent(knowledgeAge)) {
            return "Kafka does not answer, or too slowly";
        }
        String tooNew = format.unreadRecord();
        if (tooNew != null) {
            return "a newer version has written what this one cannot read (" + tooNew + ")";
        }
        return visibility.isBehind()
                ? "this node is behind the others with subscriptions or retained messages"
                : "this node was paused, and reads what it has missed";
    }

    /** On the timer's thread: a gap between two of these is a pause of this process. */
    private void pulse() {
        long now = timer.nanos();
        if (now - pulseNanos > longestPauseNanos) {
            wasPaused = true;
            pauses++;
            catchUp(pauses);
            cutOff().ifPresent(CutOff::paused);
        }
        pulseNanos = now;
        timer.after(LOOK_NANOS, this::pulse);
        cutOff().ifPresent(this::look);
        lose(wallClock.look());
    }

    private void look(CutOff watching) {
        Loss loss = watching.look();
        if (links != null && !reached.isDone() && watching.mayServe()) {
            reached.complete(null);
        }
        lose(loss);
    }

    private void lose(@Nullable Loss loss) {
        if (loss != null && serving) {
            serving = false;
            if (!loss.canLeave()) {
                over = true;
                table().stop();
            }
            onLost.accept(loss);
        }
    }

    private Optional<CutOff> cutOff() {
        return Optional.ofNullable(cutOff);
    }

    private void catchUp(long pause) {
        CompletionStage<Void> _ = caughtUp.get()
                .thenRun(() -> executor.execute(() -> {
                    if (pause == pauses) {
                        wasPaused = false;
                    }
                }));
    }

    @Override
    public void onCurrent(Runnable action) {
        if (isCurrent()) {
            action.run();
        } else {
            timer.after(LOOK_NANOS, () -> onCurrent(action));
        }
    }

    /** Ends links and heartbeats, without a word to the table. Blocks for a moment. */
    @Override
    public void close() {
        over = true;
        NodeTable opened = table;
        if (opened != null) {
            opened.stop();
        }
        visibility.close();
        transients.close();
        NodeLinks listening = links;
        if (listening != null) {
            listening
                    .close(LINK_PATIENCE)
                    .toCompletableFuture()
                    .completeOnTimeout(null, 2 * LINK_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
        }
        executor.shutdownNow();
    }

    private NodeTable table() {
        return Objects.requireNonNull(table, "open() was not called");
    }

    private Collection<String> others() {
        NodeTable opened = table;
        return opened == null
                ? List.of()
                : opened.alive().keySet().stream()
                        .filter(node -> !node.equals(id))
                        .map(NodeId::toString)
                        .toList();
    }

    private CompletionStage<@Nullable Void> knowsAll() {
        return Objects.requireNonNull(nodes, "open() was not called").caughtUp();
    }

    private synchronized void link() {
        NodeLinks listening = links;
        if (listening != null) {
            listening.peers(table().alive());
        }
    }

    private InetSocketAddress address(InetSocketAddress listening) {
        String host = config.advertisedHost();
        return InetSocketAddress.createUnresolved(
                host == null ? listening.getAddress().getHostAddress() : host,
                config.advertisedPort() == 0 ? listening.getPort() : config.advertisedPort());
    }

    /** Follows the table. */
    private final class Others implements NodeTableListener {
        @Override
        public void onAlive(NodeId node, InetSocketAddress address) {
            LOG.info("node {} is there, its links listen at {}", node, address);
            link();
        }

        @Override
        public void onLive(NodeId node) {
            visibility.live(node);
        }

        @Override
        public void onGone(NodeId node) {
            LOG.info("node {} is gone", node);
            visibility.gone(node);
            link();
            Shards own = shards;
            if (own != null) {
                own.gone(node.toString());
            }
            gone.accept(node.toString());
        }

        @Override
        public void onSilent(NodeId node, Duration silent) {
            NodeLinks listening = links;
            if (listening != null) {
                listening.send(node, FrameBuilder.frameOf(new Unheard(silent.toMillis()), format));
            }
        }

        @Override
        public int links() {
            return cutOff().map(CutOff::links).orElse(0);
        }

        @Override
        public void onDeclaredDead() {
            over = true;
            recorder.onDeclaredDead();
            onLost.accept(new Loss("the cluster holds this node for dead", false));
        }

        @Override
        public void onTime(long timeMillis) {
            clock.observed(timeMillis);
        }
    }

    /** Sends what {@link ClusterVisibility} tells. */
    private final class Progress implements VisibilityListener {
        @Override
        public void send(Collection<NodeId> to, MapProgress progress) {
            NodeLinks listening = links;
            if (listening != null) {
                byte[] frame = FrameBuilder.frameOf(progress, format);
                to.forEach(node -> listening.send(node, frame));
            }
        }

        @Override
        public void onBehind(boolean behind) {
            LOG.debug(
                    behind
                            ? "this node is behind what others have acknowledged"
                            : "this node has caught up with the others");
        }

        @Override
        public void onLeftOut(NodeId node, String map) {
            LOG.warn("node {} is behind in {}: changes do not wait for it any more until it has caught up", node, map);
            recorder.onLeftOut();
        }

        @Override
        public void onRefused(String map) {
            recorder.onVisibilityRefused();
        }
    }

    /** Takes what comes over links. */
    private final class Frames implements LinkReceiver {
        @Override
        public void onUp(Link link) {
            transients.onUp(link);
            shared.onUp(link);
            owners.onUp(link);
            visibility.linkUp(link.peer());
            cutOff().ifPresent(watching -> watching.linkUp(link.peer()));
        }

        @Override
        public void onFrame(Link link, byte[] frame) {
            for (NodeMessage message : NodeMessageCodec.decode(frame)) {
                switch (message) {
                    case OwnerMessage fromOwner -> owners.take(link, fromOwner);
                    case ToOwner toOwner -> owners.take(link, toOwner);
                    case MapProgress progress -> visibility.received(link.peer(), progress);
                    case Transient handedOver -> transients.take(link, handedOver);
                    case Taken taken -> transients.take(link, taken);
                    case Shared handedOver -> shared.take(link, handedOver);
                    case SharedAnswer answer -> shared.take(link, answer);
                    case QosZero qosZero -> owners.take(qosZero);
                    case Unheard(long millis) ->
                        cutOff().ifPresent(watching -> watching.unheard(TimeUnit.MILLISECONDS.toNanos(millis)));
                    case StoreMisses(int missing) -> {
                        StoreReach reach = storeReach;
                        if (reach != null) {
                            reach.received(link.peer(), missing);
                        }
                    }
                    case Figures said -> peerFigures.received(link.peer(), said.figures());
                }
            }
        }

        @Override
        public void onFramesRead(Link link) {
            transients.answer(link);
        }

        @Override
        public void onDown(Link link) {
            visibility.linkDown(link.peer());
            cutOff().ifPresent(watching -> watching.linkDown(link.peer()));
            peerFigures.linkDown(link.peer());
            StoreReach reach = storeReach;
            if (reach != null) {
                reach.linkDown(link.peer());
            }
            owners.onDown(link);
            transients.onDown(link);
            shared.onDown(link);
        }
    }
}
