package io.tributary.cluster.node;

import io.tributary.cluster.link.NodeId;
import io.tributary.common.event.RecordFormat;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** A simulated process of a node: its node table, and what that told it. */
final class SimNode implements NodeTableListener {
    private static final NodeTableConfig TIMES = new NodeTableConfig(
            Duration.ofSeconds(1),
            Duration.ofSeconds(3),
            Duration.ofSeconds(5),
            Duration.ofSeconds(1),
            Duration.ofSeconds(3),
            Duration.ofSeconds(30));

    static final int SHARDS = 12;
    private static final Duration MOMENT = Duration.ofMillis(10);

    final NodeTable table;
    final RecordFormat format;
    final CutOff cutOff;
    final SharedLog.View view;
    final List<String> told = new ArrayList<>();
    final CompletableFuture<NodeId> opened;
    private final ManualTimer timer;
    private final SharedLog log;
    long toldMillis;
    Set<Integer> shards = Set.of();
    boolean letsGo = true;
    private final List<Runnable> unreleased = new ArrayList<>();
    boolean prepares = true;
    private final List<Runnable> unprepared = new ArrayList<>();
    private final Map<NodeId, SimNode> linked = new HashMap<>();
    private boolean killed;

    /** The shards that nobody serves, as this node knows. */
    final Set<Integer> unserved = new HashSet<>();

    SimNode(String name, int newestFormat, SharedLog log, ManualTimer timer) {
        this(name, newestFormat, Formats.AUTOMATIC, log, timer);
    }

    SimNode(String name, int newestFormat, Formats formats, SharedLog log, ManualTimer timer) {
        this.timer = timer;
        view = log.view();
        format = new RecordFormat(newestFormat);
        ClusterTimer mortal = new ClusterTimer() {
            @Override
            public long nanos() {
                return timer.nanos();
            }

            @Override
            public void after(long delayNanos, Runnable task) {
                timer.after(delayNanos, () -> {
                    if (!killed) {
                        task.run();
                    }
                });
            }
        };
        table = new NodeTable(name, format, formats, SHARDS, view, TIMES, mortal, timer::wallMillis, this);
        cutOff = new CutOff(table, TIMES, mortal);
        opened = table.open().toCompletableFuture();
        this.log = log;
        log.nodes().add(this);
        timer.pass(MOMENT);
    }

    /** A process that serves clients and takes shards. */
    static SimNode owning(String name, SharedLog log, ManualTimer timer) {
        SimNode node = joining(name, log, timer);
        node.takeShards();
        return node;
    }

    /** A process that is in the table, and reads what others have written before it serves clients. */
    static SimNode joining(String name, SharedLog log, ManualTimer timer) {
        SimNode node = new SimNode(name, 1, log, timer);
        timer.pass(TIMES.watch());
        node.table.shards().reads(node.new Reading());
        CompletableFuture<?> _ = node.join();
        return node;
    }

    /** Serves clients and takes shards from now on. */
    void takeShards() {
        table.live();
        table.shards().takePart(true);
        timer.pass(MOMENT);
    }

    private final class Reading implements ShardReading {
        @Override
        public void assign(Set<Integer> assigned, Runnable released) {
            shards = assigned;
            log.nodes().forEach(node -> timer.after(1, node.table.shards()::look));
            unreleased.add(released);
            if (letsGo) {
                letGo();
            }
        }

        @Override
        public void expect(int shard, Runnable ready) {
            told.add("expects " + shard);
            unprepared.add(ready);
            if (prepares) {
                prepare();
            }
        }

        @Override
        public void onlyNode(boolean isNow) {
            told.add(isNow ? "is the only node" : "is not the only node");
        }

        @Override
        public void leave(int shard) {
            told.add("leaves " + shard);
        }
    }

    /** Is prepared for what it expects. */
    void prepare() {
        List<Runnable> now = List.copyOf(unprepared);
        unprepared.clear();
        now.forEach(ready -> timer.after(1, ready));
    }

    /** Lets go of the shards that it was to let go of. */
    void letGo() {
        List<Runnable> now = List.copyOf(unreleased);
        unreleased.clear();
        now.forEach(released -> timer.after(1, released));
    }

    /** A process that has joined and serves clients. */
    static SimNode live(String name, SharedLog log, ManualTimer timer) {
        SimNode node = new SimNode(name, 1, log, timer);
        CompletableFuture<?> _ = node.join();
        node.table.live();
        timer.pass(MOMENT);
        return node;
    }

    CompletableFuture<?> join() {
        CompletableFuture<?> joined = table.join(
                        id(), InetSocketAddress.createUnresolved("host-of-" + id().name(), 7000))
                .toCompletableFuture();
        timer.pass(MOMENT);
        return joined;
    }

    /** Makes a link between two nodes. */
    static void link(SimNode one, SimNode other) {
        one.linkTo(other);
        other.linkTo(one);
    }

    /** Breaks the link between two nodes, for good. */
    static void unlink(SimNode one, SimNode other) {
        one.linked.remove(other.id());
        one.cutOff.linkDown(other.id());
        other.linked.remove(one.id());
        other.cutOff.linkDown(one.id());
    }

    private void linkTo(SimNode other) {
        linked.put(other.id(), other);
        cutOff.linkUp(other.id());
    }

    /** As kill -9 does. */
    void kill() {
        killed = true;
        view.kill();
    }

    NodeId id() {
        return opened.join();
    }

    @Override
    public void onAlive(NodeId node, InetSocketAddress address) {
        told.add("alive " + node + " at " + address.getHostString() + ":" + address.getPort());
    }

    @Override
    public void onLive(NodeId node) {
        told.add("live " + node);
    }

    @Override
    public void onGone(NodeId node) {
        told.add("gone " + node);
    }

    @Override
    public void onSilent(NodeId node, Duration silent) {
        SimNode other = linked.get(node);
        if (other != null) {
            timer.after(1, () -> other.cutOff.unheard(silent.toNanos()));
        }
    }

    @Override
    public void onSuspected() {
        told.add("suspected");
    }

    @Override
    public boolean isServed(int shard, NodeId by) {
        return !unserved.contains(shard)
                && log.nodes().stream()
                        .anyMatch(
                                node -> node.shards.contains(shard) && node.id().equals(by));
    }

    @Override
    public int links() {
        return linked.size();
    }

    @Override
    public void onDeclaredDead() {
        told.add("declared dead");
    }

    @Override
    public void onTime(long timeMillis) {
        toldMillis = timeMillis;
    }
}
