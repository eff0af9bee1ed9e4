package io.tributary.cluster.node;

import io.tributary.cluster.link.NodeId;
import io.tributary.cluster.link.OpenLinks;
import io.tributary.cluster.node.NodeMessage.MapProgress;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.time.SteadyClock;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node of a cluster has before it reads anything of the others: its clock, its timer, its format, the links that
 * are up, and how far the maps are on all nodes. The maps are opened with it, and the {@link ClusterNode} is created
 * with it then. Any thread.
 */
public final class ClusterRuntime implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterRuntime.class);

    private final SteadyClock clock = new SteadyClock();
    private final RecordFormat format = new RecordFormat(RecordFormat.NEWEST);
    private final OpenLinks links = new OpenLinks();
    private final ScheduledExecutorService executor;
    private final ClusterTimer timer;
    private final ClusterVisibility visibility;

    /**
     * Creates it, and begins with its timer.
     *
     * @param maps the names of the maps that all nodes follow
     */
    public ClusterRuntime(Set<String> maps, VisibilityConfig config, ClusterRecorder recorder) {
        executor = new ScheduledThreadPoolExecutor(
                1,
                Thread.ofPlatform().daemon().name("tributary-cluster").factory(),
                new ThreadPoolExecutor.DiscardPolicy());
        timer = ClusterTimer.on(executor);
        visibility = new ClusterVisibility(maps, config, timer, new Progress(links, format, recorder));
    }

    /**
     * The time of the cluster: that of the server that keeps the node table, which each heartbeat of any node tells,
     * whatever this machine's wall clock says.
     */
    public InstantSource clock() {
        return clock;
    }

    /** In which format this node writes, as the table says what the others read. */
    public RecordFormat format() {
        return format;
    }

    /** Knows how far the maps are on all nodes; the maps are to be opened with it. */
    public ClusterVisibility visibility() {
        return visibility;
    }

    /** Another clock says that it is so late. */
    void observed(long timeMillis) {
        clock.observed(timeMillis);
    }

    OpenLinks links() {
        return links;
    }

    ScheduledExecutorService executor() {
        return executor;
    }

    ClusterTimer timer() {
        return timer;
    }

    /** Fails what waits for other nodes, and ends the timer. */
    @Override
    public void close() {
        visibility.close();
        executor.shutdownNow();
    }

    /** Sends what {@link ClusterVisibility} tells. */
    private record Progress(OpenLinks links, RecordFormat format, ClusterRecorder recorder)
            implements VisibilityListener {
        @Override
        public void send(Collection<NodeId> to, MapProgress progress) {
            byte[] frame = FrameBuilder.frameOf(progress, format);
            to.forEach(node -> links.send(node, frame));
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
}
