package io.tributary.broker.shard;

import io.tributary.common.event.ShardEvent;
import io.tributary.persistence.shard.AppendCallback;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One claim of a shard, from the record that names the owner until the shard is lost or claimed again. An answer that
 * comes later than that is ignored. Confined to the thread of the driver.
 */
final class Tenure implements OwnerAppender {
    private final int shard;
    private final LogAppender appender;
    private final OwnerTarget.Directory nodes;
    private final Executor thread;
    private final Loser loser;
    private final Map<String, OwnerTarget> targets = new HashMap<>();
    private long epoch = -1;
    private boolean isOver;

    /** The driver, which claims the shard again. */
    interface Loser {
        /** This owner's state in memory is not true any more, or may not be. */
        void claimAgainLater(String why);

        /** The store or the log has failed, or refused this owner. */
        void claimAgainLater(Throwable failure);
    }

    Tenure(int shard, ShardEnvironment environment, Executor thread, Loser loser) {
        this.shard = shard;
        appender = environment.appender();
        nodes = environment.nodes();
        this.thread = thread;
        this.loser = loser;
    }

    /** The offset of the record with which this owner took the shard over, -1 while it is not known. */
    long epoch() {
        return epoch;
    }

    void epoch(long offset) {
        epoch = offset;
    }

    /**
     * Whether an owner whose record was folded is the one of this claim; one that came later has the shard now, and
     * ends this claim.
     */
    boolean isOwn(long foldedOwner) {
        if (foldedOwner > epoch) {
            giveUp("another owner has claimed it");
        }
        return foldedOwner == epoch;
    }

    boolean isOver() {
        return isOver;
    }

    /** The shard is lost, or claimed again. */
    void end() {
        isOver = true;
    }

    /** Has the shard claimed again, once. */
    void giveUp(String why) {
        if (!isOver) {
            loser.claimAgainLater(why);
        }
    }

    /** The connections of a node, as this owner talks to them. */
    OwnerTarget targetOf(String node) {
        return targets.computeIfAbsent(node, name -> nodes.of(name, shard, epoch));
    }

    /** Whether this is the way to a node still. */
    boolean isTargetOf(String node, OwnerTarget target) {
        return target.equals(targets.get(node));
    }

    /** The way to a node is broken: the next one is another. */
    void forget(String node) {
        targets.remove(node);
    }

    /** Goes on with an answer while this claim holds; a failure ends it. */
    <T extends @Nullable Object> void onAnswer(CompletionStage<T> stage, Consumer<T> next) {
        stage.whenComplete((answer, failure) -> thread.execute(() -> {
            if (isOver) {
                return;
            }
            if (failure != null) {
                loser.claimAgainLater(failure);
            } else {
                next.accept(answer);
            }
        }));
    }

    void append(ShardEvent event) {
        append(event, () -> {});
    }

    /** Does nothing when this claim is over: the next one finds out by itself. */
    @Override
    public void append(ShardEvent event, Runnable durable) {
        if (isOver) {
            return;
        }
        appender.append(shard, event, appended(_ -> durable.run()));
    }

    /** Goes on with the offset of a record while this claim holds; a record that is not in the log ends it. */
    AppendCallback appended(Consumer<Long> next) {
        return (offset, failure) -> thread.execute(() -> {
            if (failure != null) {
                giveUp("a record of its owner is not in the log: " + failure);
            } else if (!isOver) {
                next.accept(offset);
            }
        });
    }
}
