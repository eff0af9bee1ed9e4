package io.tributary.cluster.node;

import io.tributary.cluster.link.NodeId;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether this node is to own shards: not while it reaches the store of their state less than another node
 * does. It asks the store for one shard after the other, a shard a second, and for all of them while one does not
 * answer here or for another node; nodes tell each other for how many it does not. So where the store is away for all
 * nodes, no node lets go of its shards.
 *
 * <p>{@link #tick} is called on one thread, about once a second; all else by any.
 */
final class StoreReach {
    /** How long another node has to reach more of the store than this one, until this one owns no shards. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    /** How long it has to reach no less than the others, until it owns shards again. */
    static final Duration RETURN = Duration.ofSeconds(5);

    private static final Duration ANSWER = Duration.ofSeconds(2);
    private static final Duration FRESH = Duration.ofSeconds(5);
    private static final Logger LOG = LoggerFactory.getLogger(StoreReach.class);

    private final ClusterTimer timer;
    private final int shards;
    private final IntFunction<CompletionStage<?>> store;
    private final IntConsumer tell;
    private final Consumer<Boolean> takePart;
    private final Map<NodeId, Said> others = new ConcurrentHashMap<>();
    private volatile boolean isCutOff;
    /** For how many shards the store did not answer when it was last asked for all. */
    private volatile int missing;

    // Confined to the thread of tick.
    private @Nullable Round running;
    private int next;
    private @Nullable Long lessNanos;
    private @Nullable Long noLessNanos;

    private record Said(int missing, long nanos) {}

    /**
     * Creates it, of a node that owns shards.
     *
     * @param shards how many shards there are
     * @param store asks the store for something small of a shard
     * @param tell tells all other nodes for how many shards the store does not answer
     * @param takePart has this node own shards, or no more
     */
    StoreReach(
            ClusterTimer timer,
            int shards,
            IntFunction<CompletionStage<?>> store,
            IntConsumer tell,
            Consumer<Boolean> takePart) {
        this.timer = timer;
        this.shards = shards;
        this.store = store;
        this.tell = tell;
        this.takePart = takePart;
    }

    /** Whether this node owns no shards, for others reach more of the store. */
    boolean isCutOff() {
        return isCutOff;
    }

    /** Another node says for how many shards the store does not answer. */
    void received(NodeId from, int missingThere) {
        others.put(from, new Said(missingThere, timer.nanos()));
    }

    /** The link with a node is gone: the number that it told does not count any more. */
    void linkDown(NodeId node) {
        others.remove(node);
    }

    /** Asks, tells and decides. */
    void tick() {
        long now = timer.nanos();
        boolean isDoubtful = isCutOff
                || missing > 0
                || others.values().stream().anyMatch(said -> said.missing > 0 && isFresh(said, now));
        if (running == null || running.unanswered.get() == 0) {
            running = isDoubtful ? new Round(0, shards) : new Round(next++ % shards, 1);
            running.begin();
        }
        if (isDoubtful) {
            tell.accept(missing);
        }
        decide(now);
    }

    private void decide(long now) {
        OptionalInt best = others.values().stream()
                .filter(said -> isFresh(said, now))
                .mapToInt(Said::missing)
                .min();
        boolean isLess = best.isPresent() && best.getAsInt() < missing;
        lessNanos = !isLess ? null : lessNanos == null ? Long.valueOf(now) : lessNanos;
        noLessNanos = isLess ? null : noLessNanos == null ? Long.valueOf(now) : noLessNanos;
        if (!isCutOff && lessNanos != null && now - lessNanos >= PATIENCE.toNanos()) {
            LOG.warn(
                    "the store of the shards' state answers for fewer shards here than elsewhere: this node owns none");
            isCutOff = true;
            takePart.accept(false);
        } else if (isCutOff && noLessNanos != null && now - noLessNanos >= RETURN.toNanos()) {
            LOG.info("the store of the shards' state answers here as it does elsewhere: this node owns shards again");
            isCutOff = false;
            takePart.accept(true);
        }
    }

    private static boolean isFresh(Said said, long now) {
        return now - said.nanos <= FRESH.toNanos();
    }

    /** One look at some shards or at all; the next one waits until each call has ended, whichever way. */
    private final class Round {
        private final int first;
        private final int count;
        private final AtomicInteger unanswered;
        private final AtomicInteger failed;

        Round(int first, int count) {
            this.first = first;
            this.count = count;
            unanswered = new AtomicInteger(count);
            failed = new AtomicInteger(count);
        }

        void begin() {
            for (int shard = first; shard < first + count; shard++) {
                CompletionStage<?> _ = store.apply(shard).whenComplete((_, failure) -> {
                    if (failure == null) {
                        failed.decrementAndGet();
                    }
                    if (unanswered.decrementAndGet() == 0) {
                        missing = failed.get();
                    }
                });
            }
            timer.after(ANSWER.toNanos(), this::conclude);
        }

        /** Shards that have not answered yet count as failed. */
        private void conclude() {
            if (unanswered.get() > 0) {
                missing = failed.get();
            }
        }
    }
}
