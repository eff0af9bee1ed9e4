package io.tributary.broker.relocation;

import io.tributary.broker.relocation.RebalanceStatus.Part;
import io.tributary.broker.relocation.RelocationRecorder.Cause;
import io.tributary.broker.sys.ClusterStats;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spreads connections evenly over the nodes of a cluster: a new node stays empty otherwise, for clients stay where they
 * are. Nodes tell each other each second how many clients they have, and the newest order; each node decides for
 * itself, and sends clients away while it has more than the mean and the tolerance. Sessions need no moving.
 *
 * <p>An order is over when no node has had too many for five seconds, when its time is over, or when it is taken back.
 * Clients that are on their way from one node to another count for who goes: by the mean of the largest sum of the last
 * ten seconds. A node that is drained sends nobody away for it, and has no part in the mean; nor has one that got no
 * client for ten seconds though others sent theirs away, for it may not be ready.
 *
 * <p>Any thread; decisions are on one.
 */
public final class Rebalance {
    private static final Logger LOG = LoggerFactory.getLogger(Rebalance.class);
    private static final int CALM_TICKS = 5;
    private static final int SUMS = 10;
    private static final double PERCENT = 100;
    private static final int TICKS_WITHOUT_GAIN = 10;

    private final Host host;
    private final Journal journal;
    private final ScheduledExecutorService thread;
    private final BooleanSupplier isDraining;
    private final RelocationRecorder recorder;
    private volatile RebalanceStatus status = new RebalanceStatus(false, RebalanceOrder.NONE, 0, 0, List.of(), null);

    // Confined to the thread.
    private RebalanceOrder order = RebalanceOrder.NONE;
    private final Deque<Long> sums = new ArrayDeque<>();
    private boolean isOver = true;
    private @Nullable String ended;
    private int calm;
    private final Map<String, Gain> gains = new HashMap<>();

    /** For how many ticks a node has got no clients that it should have got. */
    private record Gain(long connections, int ticks) {}

    /** Creates it. */
    public Rebalance(
            Host host,
            Journal journal,
            ScheduledExecutorService thread,
            BooleanSupplier isDraining,
            RelocationRecorder recorder) {
        this.host = host;
        this.journal = journal;
        this.thread = thread;
        this.isDraining = isDraining;
        this.recorder = recorder;
    }

    /** Begins to look, once a second. */
    public void start() {
        ScheduledFuture<?> _ = thread.scheduleWithFixedDelay(this::tickSafely, 1, 1, TimeUnit.SECONDS);
    }

    /** How connections are spread; of a second ago at most. */
    public RebalanceStatus status() {
        return status;
    }

    /**
     * Has all nodes rebalance their connections.
     *
     * @param rate how many clients each node sends away a second, 1 to 1,000,000
     * @param tolerance how many percent more than the mean a node may have, 0 to 1,000
     * @param longest how long it may take, a second to a day
     * @param by who wants it
     * @param from where that one is
     * @return how they are spread, when the {@link Journal} is done with it; fails with {@link IllegalStateException}
     *     where there can be nothing to do
     * @throws IllegalArgumentException when one of them is out of its range
     */
    public CompletionStage<RebalanceStatus> begin(int rate, int tolerance, Duration longest, String by, String from) {
        RebalanceOrder.check(rate, tolerance, longest.toSeconds());
        return give(by, from, rate, tolerance, (int) longest.toSeconds());
    }

    /** Ends it, at all nodes. */
    public CompletionStage<RebalanceStatus> cancel(String by, String from) {
        return give(by, from, 0, 0, 0);
    }

    private CompletionStage<RebalanceStatus> give(String by, String from, int rate, int tolerance, int seconds) {
        return Answer.after(() -> giveNow(by, from, rate, tolerance, seconds), thread, this::status);
    }

    private CompletionStage<?> giveNow(String by, String from, int rate, int tolerance, int seconds) {
        ServingNode node = host.node();
        if (node == null || node.isAlone()) {
            throw new IllegalStateException(
                    node == null ? "this node serves no clients at the moment" : "this broker runs alone");
        }
        long number = Math.max(order.number() + 1, node.millis());
        take(new RebalanceOrder(number, rate, tolerance, seconds));
        tick();
        return journal.note(
                by,
                from,
                rate == 0 ? "rebalance-end" : "rebalance",
                Map.of("rate", Integer.toString(rate), "tolerance", Integer.toString(tolerance)));
    }

    private void take(RebalanceOrder newer) {
        order = newer;
        isOver = newer.rate() == 0;
        ended = isOver ? "it was taken back" : null;
        calm = 0;
        gains.clear();
        if (isOver) {
            LOG.info("rebalance: ended");
        } else {
            LOG.info(
                    "rebalance: a node with {} % more clients than the mean sends {} a second away",
                    newer.tolerance(), newer.rate());
        }
    }

    private void tickSafely() {
        try {
            tick();
        } catch (RuntimeException | Error e) {
            LOG.error("a look at the connections of all nodes failed; this is a defect", e);
        }
    }

    private void tick() {
        ServingNode node = host.node();
        if (node == null || node.isAlone()) {
            return;
        }
        ClusterStats figures = node.figures();
        for (ClusterStats.Node other : figures.others()) {
            RebalanceOrder theirs = RebalanceOrder.of(other.stats().announced());
            if (theirs.number() > order.number()) {
                take(theirs);
            }
        }
        node.announce(order.announced(isDraining.getAsBoolean()));
        decide(node, figures);
    }

    private void decide(ServingNode node, ClusterStats figures) {
        List<Part> parts = Stream.concat(Stream.of(figures.here()), figures.others().stream())
                .filter(ClusterStats.Node::isLive)
                .map(each -> new Part(each.name(), connections(each), isDrained(each, figures.here())))
                .toList();
        List<Part> takers = takers(parts);
        long sum = takers.stream().mapToLong(Part::connections).sum();
        sums.addLast(sum);
        if (sums.size() > SUMS) {
            sums.removeFirst();
        }
        double mean = mean(sum, takers);
        long most = most(mean);
        if (!isOver && !order.holdsAt(node.millis())) {
            end("its time is over");
        }
        calm = takers.stream().allMatch(part -> part.connections() <= most) ? calm + 1 : 0;
        if (!isOver && calm >= CALM_TICKS) {
            end(RebalanceStatus.EVEN);
        }
        status = new RebalanceStatus(!isOver, order, mean, most, parts, ended);
        long largest = sums.stream().mapToLong(each -> each).max().orElse(0);
        long excess = connections(figures.here()) - most(mean(largest, takers));
        if (!isOver && !isDraining.getAsBoolean() && excess > 0) {
            sendAway((int) Math.min(excess, order.rate()));
        }
    }

    /**
     * Who may have more clients: not who is drained, nor who gets none although others send theirs away, such as a node
     * that is not ready.
     */
    private List<Part> takers(List<Part> parts) {
        List<Part> open = parts.stream().filter(part -> !part.draining()).toList();
        double mean = mean(open.stream().mapToLong(Part::connections).sum(), open);
        boolean isUneven = open.stream().anyMatch(part -> part.connections() > most(mean));
        gains.keySet().retainAll(open.stream().map(Part::node).toList());
        return open.stream()
                .filter(part -> ticksWithoutGain(part, isUneven && part.connections() < mean) < TICKS_WITHOUT_GAIN)
                .toList();
    }

    private int ticksWithoutGain(Part part, boolean shouldGain) {
        Gain before = gains.getOrDefault(part.node(), new Gain(-1, 0));
        boolean isPassedOver = !isOver && shouldGain && part.connections() <= before.connections();
        Gain now = new Gain(part.connections(), isPassedOver ? before.ticks() + 1 : 0);
        gains.put(part.node(), now);
        return now.ticks();
    }

    private static double mean(long sum, List<Part> takers) {
        return sum / (double) Math.max(1, takers.size());
    }

    private long most(double mean) {
        return (long) Math.ceil(mean * (1 + order.tolerance() / PERCENT));
    }

    private boolean isDrained(ClusterStats.Node node, ClusterStats.Node here) {
        return node.equals(here)
                ? isDraining.getAsBoolean()
                : node.stats().announced().draining();
    }

    private static long connections(ClusterStats.Node node) {
        return node.stats().stats().clients().connected();
    }

    private void end(String why) {
        isOver = true;
        ended = why;
        LOG.info("rebalance: {}", why);
    }

    /** Spread over the second that follows. */
    private void sendAway(int clients) {
        RebalanceOrder by = order;
        for (int step = 0; step < Pace.STEPS; step++) {
            int share = (int) ((long) clients * (step + 1) / Pace.STEPS - (long) clients * step / Pace.STEPS);
            if (share > 0) {
                ScheduledFuture<?> _ =
                        thread.schedule(() -> sendAway(share, by), step * 1_000L / Pace.STEPS, TimeUnit.MILLISECONDS);
            }
        }
    }

    private void sendAway(int share, RebalanceOrder by) {
        ServingNode node = host.node();
        if (node != null && by.equals(order) && !isOver) {
            recorder.sentAway(Cause.REBALANCE, node.sendAway(share));
        }
    }
}
