package io.tributary.cluster.node;

import io.tributary.cluster.link.NodeId;
import io.tributary.cluster.node.KnownNodes.Change;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.persistence.replicated.ReplicatedMap;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes of the cluster, and this node's place among them: a replicated map with a {@link NodeRecord} a name. A
 * process calls, each after the stage of the one before, {@link #open}, {@link #join}, {@link #live} once it serves
 * clients, {@link #leaving}, and {@link #leave}. From joining on it writes heartbeats, never more than one ahead of
 * what it has read back.
 *
 * <p>A node that is silent ({@link FailureDetector}) is declared dead: by the {@link #isFirst first} of the others at
 * once, by the rest a moment later, should it still be needed. That is final for the incarnation: what it writes later
 * is ignored by all, and the first node writes the newer record again. Any thread; nothing blocks.
 */
public final class NodeTable {
    /** The name of the map that holds it. */
    public static final String MAP = "nodes";

    private static final Logger LOG = LoggerFactory.getLogger(NodeTable.class);
    private static final int MOST_UNREADABLE = 100;
    private static final int RANDOM_BITS = 12;
    /** How many heartbeats are written without one that is read: while Kafka is away, they wait for it. */
    private static final int MOST_UNREAD = 100;
    /** Whose a record is that is no node's: a later version may keep other things in the table. */
    private static final String NO_NODE = "#";

    private final String name;
    private final ReplicatedMap map;
    private final NodeTableConfig config;
    private final ClusterTimer timer;
    private final LongSupplier wallMillis;
    private final NodeTableListener listener;

    private final KnownNodes known = new KnownNodes();
    private final FormatAgreement agreement;
    private final FailureDetector failureDetector;
    private final ShardAssigner shards;
    private final Verdicts verdicts;

    private volatile boolean first;

    /** Nodes whose newest records could not be read, and how many of them; the map's thread writes. */
    private final Map<String, Integer> unreadable = new ConcurrentHashMap<>();
    /** The same when the table had been read. */
    private volatile Map<String, Integer> unreadableThen = Map.of();

    // Guarded by this.
    private @Nullable NodeRecord own;
    private boolean joined;
    private boolean ended;
    /** When heartbeats were written that have not been read, by their numbers. */
    private final NavigableMap<Long, Long> unread = new TreeMap<>();

    /**
     * Creates it; nothing happens before {@link #open}.
     *
     * @param name the name of this node, which no other node has
     * @param format what this version reads; raised to what all nodes read that are not over
     * @param formats when it is raised
     * @param shardCount how many shards there are to share out
     * @param map what holds the table; nobody else follows it
     * @param wallMillis the wall clock
     */
    public NodeTable(
            String name,
            RecordFormat format,
            Formats formats,
            int shardCount,
            ReplicatedMap map,
            NodeTableConfig config,
            ClusterTimer timer,
            LongSupplier wallMillis,
            NodeTableListener listener) {
        this.name = name;
        agreement = new FormatAgreement(format, known, formats);
        this.map = map;
        this.config = config;
        this.timer = timer;
        this.wallMillis = wallMillis;
        this.listener = listener;
        failureDetector = new FailureDetector(config);
        verdicts = new Verdicts(known, map, config.silence());
        shards = new ShardAssigner(
                shardCount,
                known,
                new Suspects(config.suspicion(), failureDetector::of),
                map,
                timer::nanos,
                new Shared());
    }

    /**
     * The newest format in which there may be records of the cluster. For a cluster none of whose nodes runs.
     *
     * @param entries all that its node table has; what this version cannot read counts for nothing
     */
    public static int newestWritten(Map<String, byte[]> entries) {
        KnownNodes known = new KnownNodes();
        FormatAgreement agreement = new FormatAgreement(RecordFormat.alone(), known, Formats.HOLD);
        entries.forEach((key, value) -> {
            try {
                if (key.equals(FormatAgreement.KEY)) {
                    agreement.finished(value);
                } else if (!key.equals(Assignment.KEY)) {
                    var _ = known.put(key, NodeRecordCodec.decode(value));
                }
            } catch (UnreadableRecordException | IllegalArgumentException e) {
                LOG.warn("the node table has an entry {} that this version cannot read, and ignores", key);
            }
        });
        return agreement.newestAnywhere();
    }

    /**
     * Reads the table, and chooses an incarnation that is larger than all earlier ones of this name. Where the table
     * has a process of this name with a fresh heartbeat, or records that this version cannot read, looks on for a while
     * whether more of them come.
     *
     * @return this process; fails with {@link NodeNameInUseException} when another one is up under this name, with
     *     {@link NodeTooOldException} when the cluster has written what this version cannot read, or a node that is up
     *     writes such records: they would share out the shards in vain, each without the other
     */
    public CompletionStage<NodeId> open() {
        return map.follow(new Changes()).thenCompose(read -> {
            if (agreement.isTooNew()) {
                return CompletableFuture.failedStage(agreement.tooOld());
            }
            NodeRecord earlier = known.get(name);
            unreadableThen = Map.copyOf(unreadable);
            if (unreadableThen.isEmpty() && (earlier == null || !seemsAlive(earlier))) {
                return CompletableFuture.completedStage(identify());
            }
            CompletableFuture<NodeId> identified = new CompletableFuture<>();
            timer.after(config.watch().toNanos(), () -> identifyUnlessUsed(earlier, identified));
            return identified;
        });
    }

    /**
     * Enters this process into the table, as joining, and begins with its heartbeats.
     *
     * @param self this process, as {@link #open} has chosen it
     * @param address where it listens for links, as the other nodes are to know it
     * @return completes when all live nodes know it; fails with {@link NodeNameInUseException} when another process of
     *     this name has joined meanwhile, with {@link NodeTooOldException} as {@link #open} does
     */
    public CompletionStage<@Nullable Void> join(NodeId self, InetSocketAddress address) {
        agreement.join();
        shards.joins(self);
        NodeRecord first = new NodeRecord(
                self.incarnation(),
                address.getHostString(),
                address.getPort(),
                agreement.announced(),
                agreement.agreed(),
                NodeState.JOINING,
                0,
                wallMillis.getAsLong(),
                listener.links(),
                shards.part());
        CompletionStage<@Nullable Void> written = write(first);
        timer.after(config.heartbeat().toNanos(), this::beat);
        return written.thenCompose(seen -> joinedUnlessReplaced());
    }

    /** Says that this process serves clients; completes when all live nodes know it, and wait for this one. */
    public CompletionStage<@Nullable Void> live() {
        return advance(NodeState.LIVE);
    }

    /** Says that this process sends its clients away; completes when all live nodes know it. */
    public CompletionStage<@Nullable Void> leaving() {
        return advance(NodeState.LEAVING);
    }

    /** Takes leave, and ends the heartbeats; completes when all live nodes know it. */
    public CompletionStage<@Nullable Void> leave() {
        return advance(NodeState.GONE);
    }

    /** Ends the heartbeats without a word, as a process does that is declared dead. */
    public synchronized void stop() {
        ended = true;
    }

    /**
     * Whether of all nodes that are heard this one has the smallest name, of those that serve clients if there are any:
     * it does what is enough once in the cluster. For a moment two may hold themselves for it, or none.
     */
    public boolean isFirst() {
        return first;
    }

    /**
     * Whether a process is over: dead, gone, replaced by a newer one, or none that the table knows. The last is certain
     * only of processes that joined before {@link ReplicatedMap#caughtUp} was asked and completed.
     *
     * @param nodeAndIncarnation the process as {@link NodeId#toString} names it
     */
    public boolean isDead(String nodeAndIncarnation) {
        return known.isDead(nodeAndIncarnation);
    }

    /** Whether a process is over that the table has, or has had before a newer one of its name. */
    public boolean isKnownDead(String nodeAndIncarnation) {
        return known.isKnownDead(nodeAndIncarnation);
    }

    /** All processes that are not over, this one too once it has joined, and where they listen; not looked up. */
    public Map<NodeId, InetSocketAddress> alive() {
        return known.addresses();
    }

    /** The newest records of all processes that are not over, this one too once it has joined. */
    Map<NodeId, NodeRecord> records() {
        Map<NodeId, NodeRecord> records = new HashMap<>();
        known.forEachAlive((other, node) -> records.put(new NodeId(other, node.incarnation()), node));
        return records;
    }

    /** The newest record of this process that has come back; null before the first has. */
    @Nullable
    NodeRecord own() {
        NodeRecord newest = known.get(name);
        return newest == null || !isSelf(new NodeId(name, newest.incarnation())) ? null : newest;
    }

    /** Whether this is the process that has joined here. */
    private synchronized boolean isSelf(NodeId id) {
        return own != null && id.name().equals(name) && id.incarnation() == own.incarnation();
    }

    /** The newest records of all other processes that are not over. */
    Map<NodeId, NodeRecord> others() {
        Map<NodeId, NodeRecord> others = new HashMap<>();
        known.forEachAlive((other, node) -> {
            if (!other.equals(name)) {
                others.put(new NodeId(other, node.incarnation()), node);
            }
        });
        return others;
    }

    /** Whether another node has written something of late: it reaches the table, as this one does. */
    boolean isHeard(String other) {
        return failureDetector.isHeard(other, timer.nanos());
    }

    /** The name of this node. */
    String name() {
        return name;
    }

    /** How many names of nodes the table has, those of dead ones too. */
    public int knownNames() {
        return known.count();
    }

    /**
     * Whether a heartbeat of this node has come back that it wrote no longer ago than this: so it knows what the others
     * had written until then. One that does not must not trust what it has replicated.
     */
    public boolean isCurrent(Duration age) {
        return failureDetector.isCurrent(timer.nanos(), age.toNanos());
    }

    private boolean seemsAlive(NodeRecord node) {
        long ageMillis = Math.abs(wallMillis.getAsLong() - node.writtenMillis());
        return !node.state().isFinal() && ageMillis < config.silence().toMillis();
    }

    /**
     * A node that is up and writes records which this version cannot read; null for none. A single one may have been on
     * its way still from a process that has ended.
     */
    private @Nullable String strangeNode() {
        Map<String, Integer> then = unreadableThen;
        for (Map.Entry<String, Integer> other : unreadable.entrySet()) {
            boolean isNode = !other.getKey().equals(NO_NODE);
            if (isNode && other.getValue() - then.getOrDefault(other.getKey(), 0) >= 2) {
                return other.getKey();
            }
        }
        return null;
    }

    private void identifyUnlessUsed(@Nullable NodeRecord earlier, CompletableFuture<NodeId> identified) {
        String strange = strangeNode();
        if (strange != null) {
            identified.completeExceptionally(new NodeTooOldException(strange));
            return;
        }
        NodeRecord now = known.get(name);
        if (now != null
                && !now.state().isFinal()
                && (earlier == null
                        || now.heartbeat() != earlier.heartbeat()
                        || now.incarnation() != earlier.incarnation())) {
            identified.completeExceptionally(new NodeNameInUseException(new NodeId(name, now.incarnation()), now));
        } else {
            identified.complete(identify());
        }
    }

    /**
     * By the wall clock, so that it grows even where the table was lost; and by chance, so that no two are the same.
     */
    private NodeId identify() {
        long timely = (wallMillis.getAsLong() << RANDOM_BITS)
                + ThreadLocalRandom.current().nextInt(1 << RANDOM_BITS);
        NodeRecord earlier = known.get(name);
        return new NodeId(name, earlier == null ? timely : Math.max(timely, earlier.incarnation() + 1));
    }

    private synchronized CompletionStage<@Nullable Void> joinedUnlessReplaced() {
        NodeRecord newest = known.get(name);
        boolean isReplaced = ended || (own != null && newest != null && newest.incarnation() > own.incarnation());
        if (isReplaced && newest != null) {
            ended = true;
            return CompletableFuture.failedStage(
                    new NodeNameInUseException(new NodeId(name, newest.incarnation()), newest));
        }
        String strange = strangeNode();
        if (agreement.isTooNew() || strange != null) {
            CompletionStage<?> _ = advance(NodeState.GONE);
            return CompletableFuture.failedStage(
                    strange == null ? agreement.tooOld() : new NodeTooOldException(strange));
        }
        agreement.joined();
        joined = true;
        return CompletableFuture.completedStage(null);
    }

    private synchronized CompletionStage<@Nullable Void> advance(NodeState state) {
        NodeRecord before = own;
        if (before == null || ended) {
            return CompletableFuture.failedStage(new IllegalStateException("this process is not in the node table"));
        }
        if (before.state().compareTo(state) >= 0) {
            return CompletableFuture.failedStage(new IllegalStateException(before.state() + " comes after " + state));
        }
        return write(beatOf(before.in(state)));
    }

    private synchronized void beat() {
        NodeRecord before = own;
        if (before == null || ended || before.state().isFinal()) {
            return;
        }
        // Kafka may have acknowledged the last one and lost it before anybody read it.
        boolean isLost = unread.size() < MOST_UNREAD
                && !unread.isEmpty()
                && timer.nanos() - unread.lastEntry().getValue()
                        >= config.silence().toNanos() / 2;
        if (unread.isEmpty() || isLost) {
            write(beatOf(before));
        }
        timer.after(config.heartbeat().toNanos(), this::beat);
    }

    private NodeRecord beatOf(NodeRecord before) {
        return before.beat(
                agreement.announced(), agreement.agreed(), wallMillis.getAsLong(), listener.links(), shards.part());
    }

    /** Writes a record if there is something new to be said in it about shards, and none is on its way. */
    private synchronized void tellPart() {
        NodeRecord before = own;
        if (before != null
                && !ended
                && unread.isEmpty()
                && !before.state().isFinal()
                && !before.part().equals(shards.part())) {
            write(beatOf(before));
        }
    }

    /** Whether this process keeps the cluster from writing a format that it reads itself, as it is on hold. */
    public boolean holdsFormats() {
        return agreement.isHeld();
    }

    /**
     * Ends the hold of formats at all nodes, now and when they start again; completes when all live nodes know it. They
     * write the newest format that this version reads some heartbeats later, if all read it by then.
     */
    public CompletionStage<@Nullable Void> finishUpgrade() {
        return map.put(FormatAgreement.KEY, agreement.finish());
    }

    /** Writes this process's record; in the order of the calls, so the map is called with the lock held. */
    private synchronized CompletionStage<@Nullable Void> write(NodeRecord node) {
        own = node;
        unread.put(node.heartbeat(), timer.nanos());
        return map.put(name, NodeRecordCodec.encode(node)).whenComplete((seen, failure) -> {
            if (failure != null) {
                LOG.warn("heartbeat {} of {} was not written: {}", node.heartbeat(), name, String.valueOf(failure));
                notWritten(node);
            }
        });
    }

    private synchronized void notWritten(NodeRecord node) {
        unread.remove(node.heartbeat());
    }

    /** Who shares out the shards. */
    ShardAssigner shards() {
        return shards;
    }

    /** What comes of sharing out the shards. */
    private final class Shared implements ShardAssigner.Told {
        @Override
        public void partChanged() {
            tellPart();
        }

        @Override
        public void suspected() {
            listener.onSuspected();
        }

        @Override
        public boolean isServed(int shard, NodeId by) {
            return listener.isServed(shard, by);
        }
    }

    /** On the map's thread. */
    private final class Changes implements ReplicatedMap.Follower {
        @Override
        public void onChange(String key, byte @Nullable [] value) {
            changed(key, value);
        }

        @Override
        public void onTime(long timeMillis) {
            listener.onTime(timeMillis);
        }
    }

    /** On the map's thread, as all below. */
    private void changed(String key, byte @Nullable [] value) {
        try {
            if (key.equals(FormatAgreement.KEY)) {
                agreement.finished(value);
            } else if (key.equals(Assignment.KEY)) {
                shards.changed(value);
            } else if (value == null) {
                unreadable.remove(key);
                known.remove(key);
            } else {
                NodeRecord node = NodeRecordCodec.decode(value);
                unreadable.remove(key);
                onRecord(new NodeId(key, node.incarnation()), node);
            }
        } catch (UnreadableRecordException | IllegalArgumentException e) {
            unreadable(key, e);
        }
    }

    private void unreadable(String key, RuntimeException reason) {
        String whose = NodeId.isName(key) ? key : NO_NODE;
        boolean isCounted = unreadable.size() < MOST_UNREADABLE || unreadable.containsKey(whose);
        if (isCounted && unreadable.merge(whose, 1, Integer::sum) == 1) {
            LOG.warn(
                    "the node table has a record of {} that this version cannot read, and ignores: {}",
                    whose,
                    reason.getMessage());
        }
    }

    private void onRecord(NodeId id, NodeRecord node) {
        Change change = known.put(id.name(), node);
        if (!change.taken()) {
            if (first && !id.name().equals(name)) {
                verdicts.repair(id, node, change.now());
            }
            return;
        }
        NodeRecord before = change.before();
        if (change.ended() && before != null) {
            over(new NodeId(id.name(), before.incarnation()));
        }
        if (isSelf(id)) {
            ownRecord(node);
            return;
        }
        if (change.began()) {
            listener.onAlive(id, KnownNodes.addressOf(node));
        }
        if (change.becameLive()) {
            listener.onLive(id);
        }
        boolean beats = before == null || change.isNewProcess() || node.heartbeat() > before.heartbeat();
        if (beats && !node.state().isFinal()) {
            failureDetector.heard(id.name(), timer.nanos());
            shards.heard(id);
        }
        if (before == null
                || change.isNewProcess()
                || node.state() != before.state()
                || !node.part().equals(before.part())) {
            shards.look();
        }
    }

    private void over(NodeId id) {
        failureDetector.forget(id.name());
        verdicts.over(id.name());
        if (isSelf(id)) {
            selfOver(id);
        } else {
            listener.onGone(id);
        }
    }

    /** The listener is told before anything fails for it, so that a start that fails knows why. */
    private void selfOver(NodeId self) {
        boolean serves;
        synchronized (this) {
            boolean left = own != null && own.state().isFinal();
            serves = joined && !ended && !left;
        }
        if (serves) {
            LOG.warn("{} was declared dead or replaced by the cluster", self);
            listener.onDeclaredDead();
        }
        stop();
    }

    private void ownRecord(NodeRecord node) {
        agreement.came(node);
        Long written;
        synchronized (this) {
            written = unread.get(node.heartbeat());
            if (written == null || node.state().isFinal()) {
                return;
            }
            unread.headMap(node.heartbeat(), true).clear();
        }
        failureDetector.ownHeartbeat(written, timer.nanos());
        first = isFirst(node);
        shards.look();
        tellPart();
        failureDetector.silentFor(config.silence().dividedBy(2)).forEach(this::tellOfSilence);
        failureDetector
                .silentFor(first ? config.silence() : config.silence().plus(config.late()))
                .forEach(verdicts::declareDead);
    }

    private void tellOfSilence(String other) {
        NodeRecord node = known.get(other);
        if (node != null && !node.state().isFinal()) {
            listener.onSilent(new NodeId(other, node.incarnation()), failureDetector.of(other));
        }
    }

    private boolean isFirst(NodeRecord here) {
        Set<String> silent = Set.copyOf(failureDetector.silentFor(config.silence()));
        boolean[] none = {true};
        known.forEachAlive((other, node) -> {
            boolean isBefore = node.state().isServing() == here.state().isServing()
                    ? other.compareTo(name) < 0
                    : node.state().isServing();
            none[0] &= !isBefore || silent.contains(other);
        });
        return none[0];
    }
}
