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
import java.util.Objects;
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
 * <p>A shard that goes over from a process that is alive is kept and served by that process until the other one is
 * prepared for it, for {@link #PREPARATION} at most; the other one begins with it when nobody keeps it any more. The
 * next ones go over once it is served. All methods may be called from any thread.
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

    /** How long a process keeps a shard for another one that is not prepared for it yet. */
    static final Duration PREPARATION = Duration.ofSeconds(3);

    /** How long a shard is waited for besides, that its process before does not let go of. */
    static final Duration PATIENCE = Duration.ofSeconds(1);

    /** After what time the next go over, if those before are not served sooner. */
    static final Duration PACE = PREPARATION;

    /** How long a process that was suspected gets no shards for the balance. */
    static final Duration STEADY = Duration.ofSeconds(30);

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
    /** Whether the reader takes this process for the only one. */
    private boolean isOnlyNode;
    /** The shards that are being let go of, and how many times. */
    private final Map<Integer, Integer> lettingGo = new HashMap<>();
    /** The shards that this node waits for. */
    private final Map<Integer, Awaited> awaited = new HashMap<>();
    /** Those among them for which it is not prepared, and since which version. */
    private final Map<Integer, Long> preparing = new HashMap<>();
    /** The shards that this node keeps until other processes are prepared for them. */
    private final Map<Integer, Leaving> leaving = new HashMap<>();
    /** The newest version that gave shards to this process or took some from it. */
    private long seen;
    /** Whom most other nodes take for gone, or this one where most are gone, at the last look. */
    private List<NodeId> suspected = List.of();

    private volatile ShardPart part = ShardPart.NONE;

    /** A shard's process before, which is to let go of it first. */
    private record Awaited(NodeId before, long version, long untilNanos) {}

    /** A shard of which another process has been the owner since a version. */
    private record Leaving(NodeId to, long version, long untilNanos) {}

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
        Set<Integer> coming = Set.of();
        Set<Integer> going = Set.of();
        ShardReading reader;
        synchronized (this) {
            reader = reading;
            if (next.owners().size() == current.owners().size()) {
                if (!next.shardsOf(self).equals(current.shardsOf(self))) {
                    seen = next.version();
                }
                coming = await(next);
                going = keep(next);
                current = next;
                newest = Math.max(newest, next.version());
                writing = next.equals(writing) ? null : writing;
            }
        }
        if (reader != null) {
            going.forEach(reader::leave);
            coming.forEach(shard -> reader.expect(shard, () -> prepared(shard, next.version())));
        }
        look();
    }

    /** Waits for the shards that come from other processes; gives those for which there is time to prepare. */
    private Set<Integer> await(Assignment next) {
        Set<Integer> mine = next.shardsOf(self);
        awaited.keySet().retainAll(mine);
        Set<Integer> coming = new TreeSet<>();
        for (int shard : mine) {
            NodeId before = current.owners().get(shard);
            if (before == null || before.equals(self) || reads.contains(shard)) {
                continue; // or it comes back before it was let go of
            }
            long until = nanos.getAsLong() + PREPARATION.plus(PATIENCE).toNanos();
            Awaited await = new Awaited(before, next.version(), until);
            awaited.put(shard, await);
            if (reading != null && !isFree(shard, await)) {
                coming.add(shard);
                preparing.put(shard, next.version());
            }
        }
        return coming;
    }

    /** Keeps the shards that go to other processes; gives these. */
    private Set<Integer> keep(Assignment next) {
        Set<Integer> going = new TreeSet<>(reads);
        going.removeIf(shard -> next.owners().get(shard) == null
                || Objects.equals(next.owners().get(shard), self)
                || Objects.equals(next.owners().get(shard), current.owners().get(shard)));
        leaving.keySet().removeAll(next.shardsOf(self));
        for (int shard : going) {
            long until = nanos.getAsLong() + PREPARATION.toNanos();
            leaving.put(shard, new Leaving(next.owners().get(shard), next.version(), until));
        }
        return going;
    }

    /** This process is prepared for a shard that a version has given it. */
    private void prepared(int shard, long version) {
        synchronized (this) {
            preparing.remove(shard, version);
        }
        look();
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
            ShardPart now = new ShardPart(
                    isWilling,
                    suspectedNanos == null,
                    seen,
                    keeps(process),
                    preparing.keySet(),
                    suspects.look(known, process.name()));
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

    /**
     * Has this node read the shards that are assigned to it, without those that it still waits for, and with those that
     * it keeps for others.
     */
    private void assign(NodeId process) {
        long now = nanos.getAsLong();
        awaited.entrySet()
                .removeIf(entry -> entry.getValue().untilNanos - now <= 0 || isFree(entry.getKey(), entry.getValue()));
        preparing.keySet().retainAll(awaited.keySet());
        leaving.entrySet()
                .removeIf(entry -> entry.getValue().untilNanos - now <= 0
                        || suspected.contains(process)
                        || isTaken(entry.getKey(), entry.getValue()));
        ShardReading reader = reading;
        boolean isNow = alive((_, _) -> true).equals(List.of(process));
        if (reader != null && isNow != isOnlyNode) {
            isOnlyNode = isNow;
            reader.onlyNode(isNow);
        }
        Set<Integer> mine = current.shardsOf(process);
        mine.removeAll(awaited.keySet());
        mine.addAll(leaving.keySet());
        if (reader == null || mine.equals(reads)) {
            return;
        }
        Set<Integer> lost = new TreeSet<>(reads);
        lost.removeAll(mine);
        reads = mine;
        lost.forEach(shard -> lettingGo.merge(shard, 1, Integer::sum));
        reader.assign(Set.copyOf(mine), lost.isEmpty() ? () -> {} : () -> letGo(lost));
    }

    /** Whether this node may begin with a shard: its process before knows, and nobody keeps it. */
    private boolean isFree(int shard, Awaited await) {
        NodeRecord before = known.get(await.before.name());
        boolean isKnown =
                before == null || !isThere(await.before) || before.part().seen() >= await.version;
        return isKnown
                && alive((process, node) -> !process.equals(self)
                                && !suspected.contains(process)
                                && node.part().keeps().contains(shard))
                        .isEmpty();
    }

    /** Whether a process is prepared for a shard that this node keeps, or has begun with it. */
    private boolean isTaken(int shard, Leaving kept) {
        NodeRecord to = known.get(kept.to.name());
        boolean isPrepared = to != null
                && to.incarnation() == kept.to.incarnation()
                && to.part().seen() >= kept.version
                && !to.part().prepares().contains(shard);
        return isPrepared || told.isServed(shard, kept.to);
    }

    /** Whether a process is alive and nobody takes it for gone. */
    private boolean isThere(NodeId process) {
        NodeRecord there = known.get(process.name());
        return there != null
                && there.incarnation() == process.incarnation()
                && !there.state().isFinal()
                && !suspected.contains(process);
    }

    /** The shards of other processes of which this one has not let go. */
    private Set<Integer> keeps(NodeId process) {
        Set<Integer> keeps = new TreeSet<>(reads);
        keeps.addAll(lettingGo.keySet());
        keeps.removeAll(current.shardsOf(process));
        return keeps;
    }

    private void letGo(Set<Integer> shards) {
        synchronized (this) {
            shards.forEach(shard -> lettingGo.computeIfPresent(shard, (_, times) -> times == 1 ? null : times - 1));
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
        return !isThere(move.to) || told.isServed(move.shard, move.to);
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
