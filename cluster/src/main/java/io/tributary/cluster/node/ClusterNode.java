package io.tributary.cluster.node;

import io.tributary.broker.delivery.NodeInbox;
import io.tributary.broker.delivery.NodeView;
import io.tributary.broker.deployment.Loss;
import io.tributary.broker.security.store.OwnerLink;
import io.tributary.broker.shard.OtherNodes;
import io.tributary.cluster.link.LinkConfig;
import io.tributary.cluster.link.LinkLayer;
import io.tributary.cluster.link.NodeId;
import io.tributary.cluster.node.NodeMessage.Stats;
import io.tributary.cluster.node.NodeMessage.TenantsReport;
import io.tributary.cluster.node.NodeMessage.Unheard;
import io.tributary.common.event.Exhausted;
import io.tributary.common.event.RecordFormat;
import io.tributary.persistence.replicated.ReplicatedMap;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process as one of the nodes of a cluster, from its start until it stops or is declared dead: its place in the
 * node table, its messages to other nodes, and whether it knows what the other nodes know. The steps of a start are,
 * each after the one before: {@link #open}, {@link ClusterLinks#connect}, {@link #live}; those of a stop {@link
 * #leaving}, {@link #leave}, {@link ClusterLinks#close}.
 *
 * <p>All methods may be called from any thread.
 */
public final class ClusterNode implements NodeView, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterNode.class);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    // ClusterLinks uses these, too.
    final ClusterRuntime runtime;
    final NodeTable table;
    final CutOff cutOff;
    final ShardTraffic owners;
    final SharedTraffic shared;
    final OwnerQuestions questions;
    final TransientTraffic transients;
    final PeerStats peerStats;
    volatile BiConsumer<String, byte[]> tenants = (_, _) -> {};

    private final ReplicatedMap nodes;
    private final Supplier<CompletionStage<@Nullable Void>> caughtUp;
    private final ClusterRecorder recorder;
    private final Consumer<Loss> onLost;
    private final ClusterTimer timer;
    private final ClusterVisibility visibility;
    private final RecordFormat format;
    private final long longestPauseNanos;
    private final Duration knowledgeAge;
    private final List<Watcher> watchers = new CopyOnWriteArrayList<>();

    private final AtomicBoolean willLookAtShards = new AtomicBoolean();
    private volatile boolean over;
    private volatile boolean serving;
    private final CompletableFuture<@Nullable Void> reached = new CompletableFuture<>();
    private volatile long pulseNanos;
    private volatile boolean wasPaused;
    private long pauses; // on the timer's thread
    private final WallClockWatch wallClock;

    /**
     * The configuration of a node.
     *
     * @param name the name of the node, which no other node has
     * @param maps the names of the maps that all nodes follow
     * @param link how links are made
     * @param layer what lies between their sockets and them
     * @param advertisedHost where other nodes reach this one, or null for where the links listen
     * @param advertisedPort the port to that, or 0 for the one at which the links listen
     * @param formats when the cluster is to write a newer format
     * @param shards how many shards there are
     * @param publishersWait whether publishers are to wait for clients of this node that cannot keep up
     */
    public record Config(
            String name,
            Set<String> maps,
            LinkConfig link,
            LinkLayer layer,
            @Nullable String advertisedHost,
            int advertisedPort,
            NodeTableConfig nodes,
            VisibilityConfig visibility,
            Formats formats,
            int shards,
            boolean publishersWait) {}

    /** Told of processes that come and go, after the queries of the table answer accordingly; on the map's thread. */
    interface Watcher {
        /** There is another process. */
        void onAlive();

        /** A process is over. */
        void onGone(NodeId node);
    }

    /**
     * Creates it; it is in no table yet and has no links.
     *
     * @param nodes the map that holds the table; nobody else follows it
     * @param caughtUp completes when this node has read all that the other maps have at the time of the call
     * @param shardOf the shard of a client identifier
     * @param onLost told when the cluster holds this process for dead, or when it is cut off from what it needs or its
     *     wall clock is set back while it {@link #serving serves} clients: it is to close its connections, and may
     *     begin anew; must not block
     */
    public ClusterNode(
            Config config,
            ClusterRuntime runtime,
            ReplicatedMap nodes,
            Supplier<CompletionStage<@Nullable Void>> caughtUp,
            ToIntFunction<String> shardOf,
            ClusterRecorder recorder,
            Consumer<Loss> onLost) {
        this.runtime = runtime;
        this.nodes = nodes;
        this.caughtUp = caughtUp;
        this.recorder = recorder;
        this.onLost = onLost;
        timer = runtime.timer();
        visibility = runtime.visibility();
        format = runtime.format();
        // Other nodes leave a node out when it is behind for longer than leaveOut; the node has to notice before.
        longestPauseNanos = config.visibility().leaveOut().toNanos() / 4;
        knowledgeAge = config.visibility().leaveOut().multipliedBy(9).dividedBy(10);
        wallClock = new WallClockWatch(System::currentTimeMillis, timer::nanos);
        table = new NodeTable(
                config.name(),
                format,
                config.formats(),
                config.shards(),
                nodes,
                config.nodes(),
                timer,
                System::currentTimeMillis,
                new Others());
        cutOff = new CutOff(table, config.nodes(), timer);
        owners = new ShardTraffic(this::others, this::isCurrent, nodes::caughtUp, shardOf, runtime.executor(), format);
        owners.onServed(this::lookAtShards);
        shared = new SharedTraffic(timer, format);
        questions = new OwnerQuestions(owners, format);
        transients = new TransientTraffic(owners, shared, timer, format, config.publishersWait(), recorder);
        peerStats = new PeerStats(timer::nanos);
        pulseNanos = timer.nanos();
    }

    /**
     * Reads the node table and chooses this process's number. Blocks for some seconds when the table has a process of
     * this name that seems alive.
     *
     * @return this process
     */
    public CompletionStage<NodeId> open() {
        pulseNanos = timer.nanos();
        timer.after(LOOK_NANOS, this::pulse);
        return table.open();
    }

    /** Sets the listener that is told of processes that come and go from now on. */
    void watch(Watcher watcher) {
        watchers.add(watcher);
    }

    /**
     * Completes when this process, which is {@link ClusterLinks#connect connected}, reaches all nodes without which it
     * is to serve no clients; {@link #obstacles} names those that it does not reach meanwhile.
     */
    public CompletionStage<@Nullable Void> reached() {
        return reached;
    }

    /** The nodes that {@link #reached} waits for, with commas between. */
    public String obstacles() {
        return cutOff.obstacles();
    }

    /** Clients may be connected from now on, or no more: only then it matters that this process is cut off. */
    public void serving(boolean now) {
        serving = now;
    }

    boolean isServing() {
        return serving;
    }

    /**
     * Announces that this process serves clients: from now on the other nodes' writes wait for it.
     */
    public CompletionStage<@Nullable Void> live() {
        return table.live();
    }

    /** Says that this process sends its clients away. */
    public CompletionStage<@Nullable Void> leaving() {
        return table.leaving();
    }

    /** Takes leave: the others know at once that nothing of this process is left. */
    public CompletionStage<@Nullable Void> leave() {
        return table.leave();
    }

    /** Sets what reads the shards of this node, which takes none before {@link #takePart}; once. */
    public void reads(ShardReading reading) {
        table.shards().reads(reading);
    }

    /** Has this process take shards, or no more; then others get those that it has. */
    public void takePart(boolean wanted) {
        table.shards().takePart(wanted);
    }

    /** How shards talk with the connections and owners of other nodes. */
    public OtherNodes otherNodes() {
        return owners;
    }

    /** How this node asks the owner of shard 0. */
    public OwnerLink ownerLink() {
        return questions;
    }

    /** How messages reach transient sessions of other nodes. */
    public NodeInbox inbox() {
        return transients;
    }

    /** Whether a process is over, as {@link NodeTable#isDead} says it. */
    public boolean isDead(String node) {
        return table.isDead(node);
    }

    /** Whether a process is over that the table has, as {@link NodeTable#isKnownDead} says it. */
    public boolean isKnownDead(String node) {
        return table.isKnownDead(node);
    }

    /** How many processes are in the table and not over, this one among them. */
    public int liveNodes() {
        return table.alive().size();
    }

    /** How many names of nodes the table has, those of dead ones too. */
    public int knownNodes() {
        return table.knownNames();
    }

    /** All processes that are in the table and not over, this one among them. */
    public List<Member> members() {
        return table.records().entrySet().stream()
                .map(node -> new Member(
                        node.getKey(),
                        node.getValue().state(),
                        node.getValue().format(),
                        node.getValue().part().isWilling(),
                        peerStats.of(node.getKey())))
                .toList();
    }

    /**
     * Tells all nodes with which there is a link what this one says of itself, for their {@link #members}; to be called
     * once a second. Where nothing else is on its way, it takes the place of a link's heartbeat.
     *
     * @param stats at most {@value Stats#MAX_BYTES} bytes; not to be changed any more
     */
    public void tell(byte[] stats) {
        tellAll(new Stats(stats));
    }

    /** Tells all nodes with which there is a link what tenants use here, once all of them can read that. */
    public void tellTenants(byte[] report) {
        if (format.toWrite() >= Exhausted.FIRST) {
            tellAll(new TenantsReport(report));
        }
    }

    /** Sets the listener for what other nodes say of tenants. */
    public void onTenants(BiConsumer<String, byte[]> listener) {
        tenants = listener;
    }

    void tellAll(NodeMessage message) {
        byte[] frame = FrameBuilder.frameOf(message, format);
        table.alive().keySet().forEach(node -> runtime.links().send(node, frame));
    }

    /** In which format this process writes, and up to which it reads. */
    public RecordFormat format() {
        return format;
    }

    /** Whether it keeps the cluster from writing formats that it reads itself, until {@link #finishUpgrade}. */
    public boolean holdsFormats() {
        return table.holdsFormats();
    }

    /** Ends that at all nodes, as {@link NodeTable#finishUpgrade} does. */
    public CompletionStage<@Nullable Void> finishUpgrade() {
        return table.finishUpgrade();
    }

    /** Whether this node does what is enough once in the cluster, as {@link NodeTable#isFirst} says it. */
    public boolean isFirst() {
        return table.isFirst();
    }

    /**
     * {@inheritDoc}
     *
     * <p>So not after a pause of this process that was so long that others may have left it out, until it has caught
     * up.
     */
    @Override
    public boolean isCurrent() {
        return !over
                && !wasPaused
                && timer.nanos() - pulseNanos <= longestPauseNanos
                && !visibility.isBehind()
                && !format.isTooOld()
                && table.isCurrent(knowledgeAge);
    }

    /** Why this node is not current, in words; null while it {@link #isCurrent}. */
    public @Nullable String problem() {
        if (isCurrent()) {
            return null;
        }
        if (!table.isCurrent(knowledgeAge)) {
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
            cutOff.paused();
        }
        pulseNanos = now;
        timer.after(LOOK_NANOS, this::pulse);
        look();
        lose(wallClock.look());
        if (visibility.ask()) {
            nodes.caughtUp()
                    .thenCombine(caughtUp.get(), (_, _) -> true)
                    .whenComplete((_, failure) -> visibility.asked(failure == null));
        }
    }

    /** Soon, once for all shards that are served at a time. */
    private void lookAtShards() {
        if (willLookAtShards.compareAndSet(false, true)) {
            runtime.executor().execute(() -> {
                willLookAtShards.set(false);
                table.shards().look();
            });
        }
    }

    private void look() {
        Loss loss = cutOff.look();
        if (!reached.isDone() && cutOff.mayServe()) {
            reached.complete(null);
        }
        lose(loss);
    }

    private void lose(@Nullable Loss loss) {
        if (loss != null && serving) {
            serving = false;
            if (!loss.canLeave()) {
                over = true;
                table.stop();
            }
            onLost.accept(loss);
        }
    }

    private void catchUp(long pause) {
        CompletionStage<Void> _ = caughtUp.get()
                .thenRun(() -> runtime.executor().execute(() -> {
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

    /** Ends heartbeats without a record in the table, and fails writes that wait for other nodes. */
    void stop() {
        over = true;
        table.stop();
        visibility.close();
        transients.close();
    }

    @Override
    public void close() {
        stop();
        runtime.close();
    }

    private Collection<String> others() {
        return table.others().keySet().stream().map(NodeId::toString).toList();
    }

    /** Follows the table. */
    private final class Others implements NodeTableListener {
        @Override
        public void onAlive(NodeId node, InetSocketAddress address) {
            LOG.info("node {} is there, its links listen at {}", node, address);
            watchers.forEach(Watcher::onAlive);
        }

        @Override
        public void onLive(NodeId node) {
            visibility.live(node);
        }

        @Override
        public void onGone(NodeId node) {
            LOG.info("node {} is gone", node);
            visibility.gone(node);
            watchers.forEach(watcher -> watcher.onGone(node));
        }

        @Override
        public void onSilent(NodeId node, Duration silent) {
            runtime.links().send(node, FrameBuilder.frameOf(new Unheard(silent.toMillis()), format));
        }

        @Override
        public void onSuspected() {
            LOG.warn(
                    "most other nodes take this one for gone, and have its shards: it was silent, or cannot be reached");
            recorder.onSuspected();
        }

        @Override
        public boolean isServed(int shard, NodeId by) {
            return owners.isServedBy(shard, by.toString(), by.name().equals(table.name()));
        }

        @Override
        public int links() {
            return cutOff.links();
        }

        @Override
        public void onDeclaredDead() {
            over = true;
            recorder.onDeclaredDead();
            onLost.accept(new Loss("the cluster holds this node for dead", false));
        }

        @Override
        public void onTime(long timeMillis) {
            runtime.observed(timeMillis);
        }
    }
}
