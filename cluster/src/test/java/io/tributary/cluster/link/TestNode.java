package io.tributary.cluster.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.tributary.persistence.contract.Waiting;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A node with links, which keeps what came over them and checks that a receiver is told in the right order. */
final class TestNode implements LinkReceiver, AutoCloseable {
    static final ClusterSecret SECRET = ClusterSecret.of("the secret of all nodes");

    final NodeId id;
    final CountingRecorder counts = new CountingRecorder();
    final OpenLinks open = new OpenLinks();
    private final List<Channel> channels = new CopyOnWriteArrayList<>();
    private final NodeLinks links;
    private final int port;

    // Guarded by this.
    private final List<Link> ups = new ArrayList<>();
    private final Map<String, Link> upNow = new HashMap<>();
    private final Set<Link> down = new HashSet<>();
    private final List<Received> frames = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private int framesRead;

    volatile boolean failing;

    /** A frame, and over which link it came. */
    @SuppressWarnings("ArrayRecordComponent") // never compared or modified
    record Received(Link link, byte[] content) {
        String text() {
            return new String(content, StandardCharsets.UTF_8);
        }
    }

    TestNode(String name, long incarnation) {
        this(name, incarnation, config -> config);
    }

    TestNode(String name, long incarnation, UnaryOperator<LinkConfig> change) {
        this(name, incarnation, change, LinkLayer.PLAIN);
    }

    TestNode(String name, long incarnation, LinkLayer layer) {
        this(name, incarnation, config -> config, layer);
    }

    private TestNode(String name, long incarnation, UnaryOperator<LinkConfig> change, LinkLayer layer) {
        id = new NodeId(name, incarnation);
        LinkLayer remembering = (pipeline, dialing) -> {
            channels.add(pipeline.channel());
            layer.addTo(pipeline, dialing);
        };
        links = new NodeLinks(id, change.apply(config()), remembering, open, this, counts);
        port = links.listen().getPort();
    }

    /** Settings for tests; silence is not noticed while a busy machine keeps a process from running for a moment. */
    static LinkConfig config() {
        LinkTimings timings = new LinkTimings(
                Duration.ofMillis(100), Duration.ofSeconds(15), Duration.ofSeconds(20), Duration.ofSeconds(5));
        return new LinkConfig("cluster", SECRET, "127.0.0.1", 0, 2, 8 * 1024 * 1024, 16, timings);
    }

    /** Links that notice silence after two seconds. */
    static LinkConfig alert() {
        return withTimings(
                config(),
                new LinkTimings(
                        Duration.ofMillis(100), Duration.ofSeconds(2), Duration.ofSeconds(20), Duration.ofSeconds(5)));
    }

    static LinkConfig withTimings(LinkConfig config, LinkTimings timings) {
        return new LinkConfig(
                config.clusterId(),
                config.secret(),
                config.host(),
                config.port(),
                config.eventLoops(),
                config.outboundBytes(),
                config.maxHalfOpen(),
                timings);
    }

    static LinkConfig withLimits(LinkConfig config, long outboundBytes, int maxHalfOpen) {
        return new LinkConfig(
                config.clusterId(),
                config.secret(),
                config.host(),
                config.port(),
                config.eventLoops(),
                outboundBytes,
                maxHalfOpen,
                config.timings());
    }

    static LinkConfig withSecret(LinkConfig config, String clusterId, ClusterSecret secret) {
        return new LinkConfig(
                clusterId,
                secret,
                config.host(),
                config.port(),
                config.eventLoops(),
                config.outboundBytes(),
                config.maxHalfOpen(),
                config.timings());
    }

    /** Makes the nodes the peers of each other, and waits until the links are up. */
    static void connect(TestNode... nodes) {
        introduce(nodes);
        for (TestNode node : nodes) {
            Waiting.until(() -> node.upNow().size() == nodes.length - 1);
        }
    }

    /** Makes the nodes the peers of each other. */
    static void introduce(TestNode... nodes) {
        Map<NodeId, InetSocketAddress> table = new HashMap<>();
        for (TestNode node : nodes) {
            table.put(node.id, node.address());
        }
        for (TestNode node : nodes) {
            node.links.peers(table);
        }
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    void peers(Map<NodeId, InetSocketAddress> nodes) {
        links.peers(nodes);
    }

    /** Waits until there were so many connections, all have ended, and what follows from that is done. */
    void awaitEnded(int connections) {
        Waiting.until(() -> channels.size() == connections);
        for (Channel channel : channels) {
            channel.closeFuture().syncUninterruptibly();
            for (int turn = 0; turn < 2; turn++) { // the event loop tells handlers in the turn after the end
                channel.eventLoop().submit(() -> {}).syncUninterruptibly();
            }
        }
    }

    NodeLinks links() {
        return links;
    }

    /** The link to a node that is up, once there is one with a larger generation. */
    Link awaitLink(NodeId peer, long after) {
        Waiting.until(() -> linkTo(peer, after) != null);
        Link link = linkTo(peer, after);
        assertThat(link).isNotNull();
        return Objects.requireNonNull(link);
    }

    Link awaitLink(NodeId peer) {
        return awaitLink(peer, 0);
    }

    void awaitDown(Link link) {
        Waiting.until(() -> isDown(link));
    }

    synchronized boolean isDown(Link link) {
        return down.contains(link);
    }

    synchronized int ups() {
        return ups.size();
    }

    synchronized List<NodeId> upNow() {
        return upNow.values().stream().map(Link::peer).toList();
    }

    synchronized List<Received> frames() {
        return List.copyOf(frames);
    }

    synchronized int frameCount() {
        return frames.size();
    }

    /** How many frames there were when they were last said to be all. */
    synchronized int framesRead() {
        return framesRead;
    }

    List<String> texts() {
        return frames().stream().map(Received::text).toList();
    }

    /** Reads nothing from the sockets of links that are up, so that what peers send waits there. */
    void pauseReading() {
        setReading(false);
    }

    void resumeReading() {
        setReading(true);
    }

    private void setReading(boolean reading) {
        for (Channel channel : channels) {
            channel.eventLoop()
                    .submit(() -> channel.config().setAutoRead(reading))
                    .syncUninterruptibly();
        }
    }

    /** Sends frames until one is refused. */
    static void fill(Link link, int frameBytes) {
        boolean accepted = true;
        while (accepted) {
            accepted = link.send(new byte[frameBytes]);
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public synchronized void onUp(Link link) {
        Link before = upNow.put(link.peer().name(), link);
        check(before == null, "two links to " + link.peer() + " up at once");
        check(ups.isEmpty() || ups.stream().allMatch(u -> u.generation() != link.generation()), "generation again");
        ups.add(link);
    }

    @Override
    public void onFrame(Link link, byte[] frame) {
        if (failing) {
            throw new IllegalStateException("as the test wants");
        }
        synchronized (this) {
            check(link.equals(upNow.get(link.peer().name())), "a frame over a link that is not up");
            frames.add(new Received(link, frame));
        }
    }

    @Override
    public synchronized void onFramesRead(Link link) {
        check(frames.size() > framesRead, "all frames were handed over, but there was none");
        framesRead = frames.size();
    }

    @Override
    public synchronized void onDown(Link link) {
        check(upNow.remove(link.peer().name(), link), "a link down that was not up");
        down.add(link);
    }

    @Override
    public void close() {
        Waiting.get(links.close(Duration.ofSeconds(2)));
        synchronized (this) {
            assertThat(violations).isEmpty();
            assertThat(upNow).isEmpty();
        }
    }

    private synchronized @Nullable Link linkTo(NodeId peer, long after) {
        Link link = upNow.get(peer.name());
        return link != null && link.peer().equals(peer) && link.generation() > after ? link : null;
    }

    private void check(boolean holds, String violation) {
        if (!holds) {
            violations.add(violation);
        }
    }
}
