package io.tributary.broker.relocation;

import io.tributary.broker.relocation.RelocationRecorder.Cause;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Empties a node before its process is ended, so that nobody notices.
 *
 * <pre>
 * phase         goes to       when
 * SERVING       ANNOUNCED     a drain is asked for: from now on the node is not ready
 * ANNOUNCED     SENDING_AWAY  the time for load balancers is over
 * SENDING_AWAY  HANDING_OVER  no client is connected; until then clients go at the rate, and new ones are refused
 * HANDING_OVER  SAFE          other nodes own all shards, if there are others, and this node has left the cluster
 * any           SERVING       the drain is taken back; after SAFE the node begins anew
 * HANDING_OVER  SERVING       the drain is given up: no other node takes any of the shards
 * </pre>
 *
 * <p>It goes on where the node begins anew by itself meanwhile, and is forgotten when the process ends. Any thread; the
 * phases are on one thread, which {@link Host#release} blocks.
 */
public final class Drain {
    private static final Logger LOG = LoggerFactory.getLogger(Drain.class);
    private static final String NOTHING = "nothing";

    /** How long shards that this node has no more may be without an owner until it leaves the cluster all the same. */
    private static final Duration LONGEST_WITHOUT_OWNER = Duration.ofMinutes(1);

    /** How long other nodes may take none of the shards until the drain is given up. */
    static final Duration LONGEST_UNTAKEN = Duration.ofMinutes(2);

    /** How far a drain is. */
    public enum Phase {
        /** The node is not drained. */
        SERVING(0),
        /** The node is not ready any more, and serves its clients. */
        ANNOUNCED(1),
        /** Clients are sent away. */
        SENDING_AWAY(2),
        /** Other nodes take the shards over. */
        HANDING_OVER(3),
        /** The process may be ended in any way: it has nothing that anybody needs. */
        SAFE(4);

        private final int number;

        Phase(int number) {
            this.number = number;
        }

        /** What metrics show. */
        public int number() {
            return number;
        }
    }

    private final String name;
    private final Host host;
    private final Journal journal;
    private final ScheduledExecutorService thread;
    private final LongSupplier nanoTime;
    private final RelocationRecorder recorder;
    private volatile DrainStatus status;

    // Confined to the thread.
    private @Nullable DrainOrder order;
    private @Nullable String givenUp;
    private @Nullable ScheduledFuture<?> ticking;
    private Phase phase = Phase.SERVING;
    private Pace pace = new Pace();
    private long begunNanos;

    /** When this node had a shard the last time. */
    private long handedOverNanos;

    /** The fewest shards that this node has had since it hands them over, and when it came to that. */
    private int fewestShards;

    private long fewestNanos;

    /** Creates it, of a node that is not drained. */
    public Drain(
            String name,
            Host host,
            Journal journal,
            ScheduledExecutorService thread,
            LongSupplier nanoTime,
            RelocationRecorder recorder) {
        this.name = name;
        this.host = host;
        this.journal = journal;
        this.thread = thread;
        this.nanoTime = nanoTime;
        this.recorder = recorder;
        status = new DrainStatus(name, Phase.SERVING, null, 0, 0, 0, NOTHING, null);
    }

    /** How far it is; of a tenth of a second ago at most. */
    public DrainStatus status() {
        return status;
    }

    /**
     * Begins to drain the node. Of a drain that goes on already the rate changes, and the time for load balancers,
     * which counts from its beginning.
     *
     * @return how far it is then, when the {@link Journal} is done with it
     */
    public CompletionStage<DrainStatus> begin(DrainOrder newOrder) {
        return Answer.after(() -> beginNow(newOrder), thread, this::status);
    }

    private CompletionStage<?> beginNow(DrainOrder newOrder) {
        order = newOrder;
        if (phase == Phase.SERVING) {
            givenUp = null;
            begunNanos = nanoTime.getAsLong();
            pace = new Pace();
            phase = Phase.ANNOUNCED;
            ticking = thread.scheduleWithFixedDelay(
                    this::tickSafely, 0, TimeUnit.SECONDS.toMillis(1) / Pace.STEPS, TimeUnit.MILLISECONDS);
        }
        LOG.info(
                "drain: by {} from {}; clients are served for {} s, then sent away at {} a second",
                newOrder.by(),
                newOrder.from(),
                newOrder.serveFor().toSeconds(),
                newOrder.rate() == 0 ? "any number" : newOrder.rate());
        look(phase == Phase.ANNOUNCED ? "load balancers" : status.waitsFor());
        return note(newOrder.by(), newOrder.from(), "drain");
    }

    /**
     * Takes a drain back: the node serves clients again, and becomes ready.
     *
     * @param by who wants it
     * @param from where that one is
     * @return how far it is then, when the {@link Journal} is done with it
     */
    public CompletionStage<DrainStatus> cancel(String by, String from) {
        return Answer.after(() -> cancelNow(by, from), thread, this::status);
    }

    private CompletionStage<?> cancelNow(String by, String from) {
        if (phase == Phase.SERVING) {
            return CompletableFuture.completedStage(null);
        }
        LOG.info("drain: taken back by {} from {}, in phase {}", by, from, phase);
        serveAgain();
        return note(by, from, "undrain");
    }

    private void serveAgain() {
        Phase before = phase;
        Objects.requireNonNull(ticking).cancel(false);
        phase = Phase.SERVING;
        order = null;
        if (before == Phase.SAFE) {
            host.resume();
        }
        ServingNode node = host.node();
        if (node != null) {
            node.handOver(false);
            node.turnAway(false);
        }
        look(NOTHING);
    }

    private CompletionStage<?> note(@Nullable String by, String from, String action) {
        return journal.note(by, from, action, Map.of("node", name, "phase", phase.toString()));
    }

    private void tickSafely() {
        try {
            tick();
        } catch (RuntimeException | Error e) {
            LOG.error("a step of the drain failed; this is a defect", e);
        }
    }

    /** A step. */
    private void tick() {
        DrainOrder now = order;
        if (now == null || phase == Phase.SAFE) {
            return;
        }
        ServingNode node = host.node();
        if (node == null) {
            fewestShards = Integer.MAX_VALUE;
            look("the node, which begins anew");
            return;
        }
        switch (phase) {
            case ANNOUNCED -> announced(node, now);
            case SENDING_AWAY -> sendAway(node, now);
            case HANDING_OVER -> handOver(node, now);
            case SERVING, SAFE -> {}
        }
    }

    private void announced(ServingNode node, DrainOrder now) {
        if (elapsed().compareTo(now.serveFor()) >= 0) {
            LOG.info("drain: {} clients are sent away", node.connections());
            phase = Phase.SENDING_AWAY;
            sendAway(node, now);
        } else {
            look("load balancers");
        }
    }

    private void sendAway(ServingNode node, DrainOrder now) {
        tellSome(node, now);
        int left = node.connections();
        if (left == 0) {
            LOG.info("drain: no client is connected; {} shards are handed over", node.ownedShards());
            phase = Phase.HANDING_OVER;
            handedOverNanos = nanoTime.getAsLong();
            fewestShards = Integer.MAX_VALUE;
            handOver(node, now);
        } else {
            look("clients");
        }
    }

    private void tellSome(ServingNode node, DrainOrder now) {
        node.turnAway(true);
        recorder.sentAway(Cause.DRAIN, node.sendAway(pace.next(now.rate())));
    }

    /**
     * Where others are to own the shards, it waits until they do, as long as they take some. A client may have opened
     * its connection before new ones were refused, and ask for its session now.
     */
    private void handOver(ServingNode node, DrainOrder now) {
        tellSome(node, now);
        node.handOver(true);
        int shards = node.ownedShards();
        if (shards > 0) {
            handedOverNanos = nanoTime.getAsLong();
        }
        if (shards < fewestShards) {
            fewestShards = shards;
            fewestNanos = nanoTime.getAsLong();
        } else if (shards > 0 && isWaitedFor(node) && nanoTime.getAsLong() - fewestNanos >= LONGEST_UNTAKEN.toNanos()) {
            giveUp(shards);
            return;
        }
        boolean isPatient = nanoTime.getAsLong() - handedOverNanos < LONGEST_WITHOUT_OWNER.toNanos();
        if (isWaitedFor(node) && node.ownedShards() + (isPatient ? node.unownedShards() : 0) > 0) {
            look("other nodes, which own all shards but " + (node.ownedShards() + node.unownedShards()));
            return;
        }
        look("the node, which leaves the cluster");
        if (host.release() && host.node() == null) { // else it has begun anew, and lets go once more
            phase = Phase.SAFE;
            Objects.requireNonNull(ticking).cancel(false);
            LOG.info("drain: safe to stop, after {} s", elapsed().toSeconds());
        }
        look(NOTHING);
    }

    /** To leave would have the clients of these shards wait; the node serves them as before. */
    private void giveUp(int shards) {
        givenUp = "other nodes serve clients, and have taken none of the last " + shards + " shards for "
                + LONGEST_UNTAKEN.toSeconds() + " s";
        LOG.warn(
                "the drain was given up: {}; the health of the other nodes says why they take none. This node serves"
                        + " clients again",
                givenUp);
        CompletionStage<?> _ = note(null, name, "drain-given-up");
        serveAgain();
    }

    /** Whether there is a node that can own the shards. */
    private static boolean isWaitedFor(ServingNode node) {
        return !node.isAlone()
                && node.figures().others().stream()
                        .anyMatch(other ->
                                other.isLive() && !other.stats().announced().draining());
    }

    private Duration elapsed() {
        return Duration.ofNanos(nanoTime.getAsLong() - begunNanos);
    }

    private void look(String waitsFor) {
        ServingNode node = host.node();
        status = new DrainStatus(
                name,
                phase,
                order,
                phase == Phase.SERVING ? 0 : elapsed().toSeconds(),
                node == null ? 0 : node.connections(),
                node == null ? 0 : node.ownedShards(),
                waitsFor,
                givenUp);
    }
}
