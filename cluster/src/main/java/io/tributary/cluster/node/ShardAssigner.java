package io.tributary.cluster.node;

import io.tributary.cluster.link.NodeId;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.persistence.replicated.ReplicatedMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shares out the shards among the nodes by the node table, which all read in the same order. Of the processes that take
 * shards the one with the smallest name writes an {@link Assignment} whenever the newest one does not fit any more:
 * at once where a process that has shards is over or suspected, and a few shards at a time where one that is alive
 * leaves or takes none any more, or has too few. Should that process be gone, the next one writes.
 *
 * <p>A shard that goes over from a process that is alive is begun with once that process has let go of it, or after a
 * second; the next ones go over once it is served. All methods may be called from any thread.
 *
 * <p>Decided in docs/decisions/0018-the-node-table-assigns-shards.md.
 */
final class ShardAssigner {
    /**
     * How many shards go over at a time from processes that are alive: clients of one wait for as long as it takes to
     * let go of all of them, and to begin with them. More where there are so many that each is small.
     */
    static final int MOVES = 2;

    private static final int SHARDS_OF_A_MOVE = 32;

    /** After what time the next go over, if those before are not served sooner. */
    static final Duration PACE = Duration.ofSeconds(1);

    /** How long a process that was suspected gets no shards for the balance. */
    static final Duration STEADY = Duration.ofSeconds(30);

    /** How long a shard is waited for that its process before does not let go of. */
    static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(ShardAssigner.class);

    private final KnownNodes known;
    private final Suspects suspects;
    private final ReplicatedMap map;
    private final LongSupplier nanos;
    private final Told told;

    // Guarded by this.
    private Assignment current;
    private @Nullable NodeId self;
    private boolean isWilling;
    private @Nullable Long suspectedNanos;
    /** What this process has written and not read back. */
    private @Nullable Assignment writing;
    /** The highest version that was read. */
    private long newest;

    private long movableNanos;
    /** The shards that went over with what this process wrote last. */
    private List<Move> moving = List.of();

    private @Nullable ShardReading reading;
    private Set<Integer> reads = Set.of();
    /** The version of the assignment that {@link #reads} is of. */
    private long readVersion;

    private int releasing;
    private long released;
    /** The shards that this node waits for. */
    private final Map<Integer, Awaited> awaited = new HashMap<>();
    /** Whom most other nodes take for gone, or this one where most are gone, at the last look. */
    private List<NodeId> suspected = List.of();

    private volatile ShardPart part = ShardPart.NONE;

    /** A shard's process before, which is to let go of it first. */
    private record Awaited(NodeId before, long version, long untilNanos) {}

    /** A shard on its way to another process. */
    private record Move(int shard, NodeId to) {}

    /** Told what comes of it; not with a lock held. */
    interface Told {
        /** {@link #part} is another one. */
        void partChanged();

        /** Most other nodes take this one for gone. */
        void suspected();

        /** Whether a process serves a shard; asked with a lock held. */
        boolean isServed(int shard, NodeId by);
    }

    /** Creates it; {@link #joins} is to follow. */
    ShardAssigner(int shards, KnownNodes known, Suspects suspects, ReplicatedMap map, LongSupplier nanos, Told told) {
        this.known = known;
        this.suspects = suspects;
        this.map = map;
        this.nanos = nanos;
        this.told = told;
        current = Assignment.none(shards);
        movableNanos = nanos.getAsLong();
    }

    /** This node's part, for its next record. */
    ShardPart part() {
        return part;
    }

    /** This process is about to enter the table. */
    synchronized void joins(NodeId process) {
        self = process;
    }

    /** Sets what reads the shards of this node; once. */
    void reads(ShardReading newReading) {
        synchronized (this) {
            reading = newReading;
        }
        look();
    }

    /** Has this node take shards, or no more. */
    void takePart(boolean wanted) {
        synchronized (this) {
            isWilling = wanted;
        }
        look();
    }

    /**
     * The node table has a new value under {@link Assignment#KEY}.
     *
     * @throws UnreadableRecordException when it is none
     */
    void changed(byte @Nullable [] value) {
        if (value == null) {
            return;
        }
        Assignment next = Assignment.decode(value);
        synchronized (this) {
            if (next.owners().size() == current.owners().size()) {
                await(current, next);
                current = next;
                newest = Math.max(newest, next.version());
                writing = next.equals(writing) ? null : writing;
            }
        }
        look();
    }

    private void await(Assignment before, Assignment next) {
        Set<Integer> mine = next.shardsOf(self);
        awaited.keySet().retainAll(mine);
        for (int shard : mine) {
            NodeId owner = before.owners().get(shard);
            if (owner != null && !owner.equals(self)) {
                awaited.put(shard, new Awaited(owner, next.version(), nanos.getAsLong() + PATIENCE.toNanos()));
            }
        }
        boolean loses = before.shardsOf(self).stream().anyMatch(shard -> !mine.contains(shard));
        if (loses && releasing == 0 && reads.stream().allMatch(mine::contains)) {
            released = next.version(); // it had not begun with them
        }
    }

    /** Nobody listens where a process should. */
    void refused(NodeId process) {
        suspects.refused(process);
        look();
    }

    /** There is a link with a process. */
    void linkUp(NodeId process) {
        suspects.linkUp(process);
    }

    /** A record of a process came. */
    void heard(NodeId process) {
        suspects.heard(process);
    }

    /** Looks at the table: some record of it has changed, or time has passed. With each heartbeat of this process. */
    void look() {
        boolean isChanged;
        boolean isNewlySuspected;
        Assignment next;
        synchronized (this) {
            NodeId process = self;
            if (process == null) {
                return;
            }
            lookAtOthers(process);
            isNewlySuspected = lookAtSelf(process);
            assign(process);
            next = lead(process);
            ShardPart now =
                    new ShardPart(isWilling, suspectedNanos == null, released, suspects.look(known, process.name()));
            isChanged = !now.equals(part);
            part = now;
        }
        if (next != null) {
            write(next);
        }
        if (isNewlySuspected) {
            told.suspected();
        }
        if (isChanged) {
            told.partChanged();
        }
    }

    private boolean lookAtSelf(NodeId process) {
        long now = nanos.getAsLong();
        boolean isNew = false;
        if (suspected.contains(process)) {
            isNew = suspectedNanos == null;
            suspectedNanos = now;
        } else if (suspectedNanos != null && now - suspectedNanos >= STEADY.toNanos()) {
            suspectedNanos = null;
        }
        return isNew;
    }

    /** Finds out who is suspected, and says so in the log. */
    private void lookAtOthers(NodeId self) {
        List<NodeId> goneAtOnce = suspects.goneAtOnce(known, self.name());
        List<NodeId> now = alive((process, _) -> known.isSuspected(process) || goneAtOnce.contains(process));
        for (NodeId process : now) {
            if (!suspected.contains(process)) {
                LOG.warn("{} is taken for gone, refusing connections or silent: its shards go to others", process);
            }
        }
        suspected = now;
    }

    /** Has this node read its shards, but for those that another process has not let go of. */
    private void assign(NodeId process) {
        long now = nanos.getAsLong();
        awaited.values().removeIf(await -> await.untilNanos - now <= 0 || hasLetGo(await));
        ShardReading reader = reading;
        Set<Integer> mine = current.shardsOf(process);
        mine.removeAll(awaited.keySet());
        if (reader == null || mine.equals(reads)) {
            return;
        }
        boolean loses = reads.stream().anyMatch(shard -> !mine.contains(shard));
        reads = new TreeSet<>(mine);
        readVersion = current.version();
        releasing += loses ? 1 : 0;
        reader.assign(Set.copyOf(mine), loses ? this::released : () -> {});
    }

    private boolean hasLetGo(Awaited await) {
        NodeRecord before = known.get(await.before.name());
        return before == null
                || before.incarnation() != await.before.incarnation()
                || before.state().isFinal()
                || before.part().released() >= await.version
                || suspected.contains(await.before);
    }

    private void released() {
        synchronized (this) {
            releasing--;
            if (releasing == 0) {
                // Of a newer one nothing has been let go of yet, where it takes what is still read.
                boolean isUpToDate = self != null && current.shardsOf(self).containsAll(reads);
                released = isUpToDate ? current.version() : readVersion;
            }
        }
        look();
    }

    /** What is to hold next, if it is for this process to write it and something has changed; else null. */
    private @Nullable Assignment lead(NodeId process) {
        List<NodeId> keepers = keepers();
        if (writing != null || keepers.isEmpty() || !keepers.getFirst().equals(process)) {
            return null;
        }
        List<NodeId> steady =
                alive((keeper, node) -> keepers.contains(keeper) && node.part().isSteady());
        List<NodeId> leavers = alive((other, _) -> !keepers.contains(other) && !suspected.contains(other));
        long now = nanos.getAsLong();
        boolean mayMove = now - movableNanos >= 0 || moving.stream().allMatch(this::hasArrived);
        int moves = mayMove ? Math.max(MOVES, current.owners().size() / SHARDS_OF_A_MOVE) : 0;
        Assignment next = current.next(keepers, steady.isEmpty() ? keepers : steady, leavers, moves);
        if (next.equals(current)) {
            return null;
        }
        writing = new Assignment(newest + 1, next.owners());
        movableNanos = now + PACE.toNanos();
        moving = changes(current, writing);
        return writing;
    }

    /** The shards that have another process than before. */
    private static List<Move> changes(Assignment before, Assignment next) {
        List<Move> changes = new ArrayList<>();
        for (int shard = 0; shard < next.owners().size(); shard++) {
            NodeId to = next.owners().get(shard);
            if (to != null
                    && before.owners().get(shard) != null
                    && !to.equals(before.owners().get(shard))) {
                changes.add(new Move(shard, to));
            }
        }
        return changes;
    }

    /** Nobody waits for what goes to a process that is over or taken for gone: it goes to another one at once. */
    private boolean hasArrived(Move move) {
        NodeRecord there = known.get(move.to.name());
        return there == null
                || there.incarnation() != move.to.incarnation()
                || there.state().isFinal()
                || suspected.contains(move.to)
                || told.isServed(move.shard, move.to);
    }

    private void write(Assignment next) {
        map.put(Assignment.KEY, next.encode()).whenComplete((_, failure) -> {
            synchronized (this) {
                if (next.equals(writing)) {
                    writing = null;
                }
            }
            if (failure == null) {
                look();
            } else { // tried again with the next heartbeat
                LOG.warn("the shards could not be assigned anew: {}", failure.toString());
            }
        });
    }

    /**
     * The processes that keep their shards, by name: those that take some, are not about to leave, and are not taken
     * for gone. Where there are none, then those that are about to leave, and then those taken for gone.
     */
    private List<NodeId> keepers() {
        List<NodeId> willing = alive((_, node) -> node.part().isWilling());
        List<NodeId> there =
                willing.stream().filter(process -> !suspected.contains(process)).toList();
        List<NodeId> staying = alive((process, node) -> there.contains(process) && node.state() != NodeState.LEAVING);
        return !staying.isEmpty() ? staying : !there.isEmpty() ? there : willing;
    }

    private List<NodeId> alive(BiPredicate<NodeId, NodeRecord> which) {
        Set<NodeId> found = new TreeSet<>(Comparator.comparing(NodeId::name));
        known.forEachAlive((name, node) -> {
            NodeId process = new NodeId(name, node.incarnation());
            if (which.test(process, node)) {
                found.add(process);
            }
        });
        return List.copyOf(found);
    }
}
