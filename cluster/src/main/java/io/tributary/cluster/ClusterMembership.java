package io.tributary.cluster;

import io.tributary.broker.BrokerStartException;
import io.tributary.broker.deployment.ClusterStatus;
import io.tributary.broker.deployment.FormatStatus;
import io.tributary.broker.deployment.IngestStatus;
import io.tributary.broker.deployment.Membership;
import io.tributary.broker.shard.Shards;
import io.tributary.broker.shard.StoreTrouble;
import io.tributary.broker.subscription.Subscriptions;
import io.tributary.broker.sys.ClusterStats;
import io.tributary.broker.sys.NodeStats;
import io.tributary.broker.tls.CertificateWatch;
import io.tributary.cluster.ingest.Ingest;
import io.tributary.cluster.link.LinkListenException;
import io.tributary.cluster.link.NodeId;
import io.tributary.cluster.link.Refusal;
import io.tributary.cluster.node.ClusterLinks;
import io.tributary.cluster.node.ClusterNode;
import io.tributary.cluster.node.Member;
import io.tributary.cluster.node.NodeState;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.persistence.ingest.IngestSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node among the others of its cluster, from its first link until it leaves. */
final class ClusterMembership implements Membership {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterMembership.class);
    private static final String TAKES_NOTHING = "; this node takes no PUBLISH and no SUBSCRIBE until that has passed";
    /** An append that waits for longer is worth a warning, as it is for the alert of docs/prometheus/alerts.yaml. */
    private static final Duration LATE_APPEND = Duration.ofSeconds(30);

    private static final Duration REACH_PATIENCE = Duration.ofSeconds(15);
    private static final Duration LEAVE_PATIENCE = Duration.ofSeconds(3);

    /** For how long a node that leaves waits until others serve its shards, and how often it looks. */
    private static final Duration HAND_OVER_PATIENCE = Duration.ofSeconds(5);

    private static final Duration HAND_OVER_LOOK = Duration.ofMillis(10);

    /** For how long a node that had other rules, and is away, counts as one that has them. */
    private static final Duration LONGEST_RESTART = Duration.ofMinutes(10);

    private final ClusterNode cluster;
    private final NodeId id;
    private final ClusterLinks links;
    private final ClusterStorage storage;
    private final Shards shards;
    private final Subscriptions subscriptions;
    private final @Nullable Ingest ingest;
    private final @Nullable CertificateWatch certificates;
    private final Runnable joined;
    private @Nullable String toldProblem; // on the thread of tick

    /** What other nodes have said of their rules, which a process does not change; on the thread of tick. */
    private final Map<NodeId, Long> rules = new HashMap<>();

    /** When a node, by its name, was seen with others the last time: it may come back with them. */
    private final Map<String, Long> differedNanos = new HashMap<>();

    /** @param joined run once this node is in the node table: may find that it must not go on */
    ClusterMembership(
            ClusterNode cluster,
            NodeId id,
            ClusterLinks links,
            ClusterStorage storage,
            Shards shards,
            Subscriptions subscriptions,
            @Nullable Ingest ingest,
            @Nullable CertificateWatch certificates,
            Runnable joined) {
        this.cluster = cluster;
        this.id = id;
        this.links = links;
        this.storage = storage;
        this.shards = shards;
        this.subscriptions = subscriptions;
        this.ingest = ingest;
        this.certificates = certificates;
        this.joined = joined;
    }

    @Override
    public CompletionStage<@Nullable Void> connect() {
        try {
            return links.connect();
        } catch (LinkListenException e) {
            throw new BrokerStartException(String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public void awaitReached() {
        joined.run();
        try {
            cluster.reached().toCompletableFuture().get(REACH_PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            Refusal refusal = links.refusal();
            throw new BrokerStartException(
                    "this node cannot reach " + cluster.obstacles() + ", which serves clients: "
                            + (refusal == null
                                    ? "let each node reach the port for links of each other one"
                                    : refusal.words()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BrokerStartException("interrupted", e);
        }
    }

    /** What others acknowledged before they began to wait for this node is in the maps by then. */
    @Override
    public CompletionStage<@Nullable Void> live() {
        return cluster.live().thenCompose(known -> storage.caughtUp());
    }

    @Override
    public boolean isFirst() {
        return cluster.isFirst();
    }

    @Override
    public void tick() {
        links.tick();
        tellOfProblem(cluster.problem());
        if (cluster.isCurrent()) {
            subscriptions.sweep(cluster::isKnownDead, isFirst());
        }
    }

    private void tellOfProblem(@Nullable String problem) {
        if (problem != null && !problem.equals(toldProblem)) {
            LOG.warn("{}{}", problem, TAKES_NOTHING);
        } else if (problem == null && toldProblem != null) {
            LOG.info("this node knows again what the others do, and takes PUBLISH and SUBSCRIBE");
        }
        toldProblem = problem;
    }

    @Override
    public void tell(Supplier<NodeStats> own) {
        cluster.tell(own.get().encode());
    }

    @Override
    public void tellTenants(List<byte[]> reports) {
        reports.forEach(cluster::tellTenants);
    }

    @Override
    public void onTenants(BiConsumer<String, byte[]> listener) {
        cluster.onTenants(listener);
    }

    @Override
    public List<String> liveOthers() {
        return cluster.members().stream()
                .filter(member ->
                        member.state() == NodeState.LIVE && !member.id().equals(id))
                .map(member -> member.id().name())
                .toList();
    }

    @Override
    public ClusterStats stats(NodeStats own) {
        NodeState state = NodeState.JOINING;
        List<ClusterStats.Node> others = new ArrayList<>();
        List<String> silent = new ArrayList<>();
        for (Member member : cluster.members()) {
            NodeStats stats = figuresOf(member);
            if (member.id().equals(id)) {
                state = member.state();
            } else if (stats == null) {
                silent.add(member.id().name());
            } else {
                others.add(new ClusterStats.Node(member.id().name(), word(member.state()), stats));
            }
        }
        ClusterStats.Node here = new ClusterStats.Node(id.name(), word(state), own);
        return new ClusterStats(here, others, silent, cluster.knownNodes(), shards.count(), shards.unowned());
    }

    @Override
    public FormatStatus formats(NodeStats own) {
        int upTo = cluster.format().toWrite();
        List<FormatStatus.Node> nodes = new ArrayList<>();
        for (Member member : cluster.members()) {
            NodeStats stats = figuresOf(member);
            if (member.id().equals(id)) {
                upTo = member.format();
            } else {
                nodes.add(new FormatStatus.Node(
                        member.id().name(), stats == null ? null : stats.version(), member.format()));
            }
        }
        nodes.sort(Comparator.comparing(FormatStatus.Node::name));
        nodes.addFirst(new FormatStatus.Node(id.name(), own.version(), upTo));
        RecordFormat format = cluster.format();
        return new FormatStatus(format.toWrite(), format.newest(), nodes);
    }

    @Override
    public CompletionStage<@Nullable Void> finishUpgrade() {
        return cluster.finishUpgrade();
    }

    @Override
    public List<String> withOtherRules(long digest) {
        List<Member> others = cluster.members().stream()
                .filter(member -> !member.id().equals(id) && member.state() != NodeState.JOINING)
                .toList();
        rules.keySet().retainAll(others.stream().map(Member::id).toList());
        long now = System.nanoTime();
        for (Member other : others) {
            NodeStats stats = figuresOf(other);
            if (stats != null) {
                rules.put(other.id(), stats.rules());
            }
            if (Objects.equals(rules.get(other.id()), digest)) {
                differedNanos.remove(other.id().name());
            } else {
                differedNanos.put(other.id().name(), now);
            }
        }
        differedNanos.values().removeIf(seen -> now - seen > LONGEST_RESTART.toNanos());
        return differedNanos.keySet().stream().sorted().toList();
    }

    /** Null also where a version that is too new for this one has said it. */
    private static @Nullable NodeStats figuresOf(Member member) {
        byte[] stats = member.stats();
        try {
            return stats == null ? null : NodeStats.decode(stats);
        } catch (UnreadableRecordException e) {
            LOG.debug("what {} says of itself cannot be read", member.id(), e);
            return null;
        }
    }

    private static String word(NodeState state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public void serving() {
        cluster.serving(true);
        IngestSource source = storage.ingest();
        if (ingest != null && source != null) {
            source.start(ingest);
        }
    }

    @Override
    public void stopServing() {
        cluster.serving(false);
        IngestSource source = storage.ingest();
        if (source != null) {
            source.close();
        }
    }

    @Override
    public void leaving(Duration longest) {
        int othersUnowned = shards.unowned();
        if (waitBriefly("leaving", cluster.leaving())) {
            awaitHandOver(othersUnowned, longest.compareTo(HAND_OVER_PATIENCE) < 0 ? longest : HAND_OVER_PATIENCE);
        }
    }

    /**
     * Waits until others serve this node's shards, if others take any: to send clients away meanwhile would take
     * processor time from what all clients of those shards wait for.
     *
     * @param othersUnowned how many shards nobody served before
     */
    private void awaitHandOver(int othersUnowned, Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        try {
            while (shards.ownedShards() + shards.unowned() > othersUnowned && othersTakeShards()) {
                if (System.nanoTime() - deadline >= 0) {
                    LOG.warn(
                            "this node leaves though others do not serve all of its shards yet: {} are still its own, {} have no owner",
                            shards.ownedShards(),
                            shards.unowned());
                    return;
                }
                TimeUnit.NANOSECONDS.sleep(HAND_OVER_LOOK.toNanos());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean othersTakeShards() {
        return cluster.members().stream()
                .anyMatch(member -> member.state() == NodeState.LIVE
                        && member.takesShards()
                        && !member.id().equals(id));
    }

    @Override
    public void leave() {
        boolean _ = waitBriefly("gone", cluster.leave());
    }

    /** The others find out by themselves, only later; false if they must. */
    private static boolean waitBriefly(String what, CompletionStage<?> stage) {
        try {
            stage.toCompletableFuture().get(LEAVE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("the other nodes were not told that this one is {}: {}", what, e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    @Override
    public ClusterStatus status() {
        String problem = cluster.problem();
        int outOfReach = shards.outOfReach();
        int unowned = Math.max(0, shards.unowned() - outOfReach);
        StoreTrouble trouble = shards.storeTrouble();
        Duration oldestAppend = storage.oldestAppend();
        return new ClusterStatus(
                links.port(),
                cluster.liveNodes(),
                shards.ownedShards(),
                unowned,
                trouble == null ? 0 : trouble.shards(),
                shards.lagging().size(),
                oldestAppend,
                problem != null,
                cluster.holdsFormats(),
                problems(problem),
                warnings(unowned, outOfReach, oldestAppend),
                ingestStatus());
    }

    private List<String> problems(@Nullable String problem) {
        List<String> problems = new ArrayList<>();
        if (problem != null) {
            problems.add(problem + TAKES_NOTHING);
        }
        if (links.isCutOffFromStore()) {
            problems.add("this node reaches less of Redis than others do: it owns no shards until that has passed");
        }
        return problems;
    }

    private List<String> warnings(int unowned, int outOfReach, Duration oldestAppend) {
        List<String> warnings = new ArrayList<>(shards.problems());
        warnings.addAll(storage.topicFaults());
        if (certificates != null) {
            warnings.addAll(certificates.warnings());
        }
        int lagging = shards.lagging().size();
        StoreTrouble trouble = shards.storeTrouble();
        if (trouble != null) {
            warnings.add(
                    ("Redis does not work for %d shards of this node, for %d s: what comes for their persistent sessions"
                                    + " is safe in Kafka, and may have to wait there (%s)")
                            .formatted(trouble.shards(), trouble.duration().toSeconds(), trouble.failure()));
        }
        if (oldestAppend.compareTo(LATE_APPEND) > 0) {
            warnings.add("Kafka has not acknowledged a record for %d s: publishers of what is behind it wait"
                    .formatted(oldestAppend.toSeconds()));
        }
        if (outOfReach > 0) {
            warnings.add("%d shards are another node's, which this one cannot reach: their clients wait here"
                    .formatted(outOfReach));
        }
        if (unowned > 0) {
            warnings.add("%d shards have no owner: their clients wait".formatted(unowned));
        }
        if (lagging > 0) {
            warnings.add(
                    ("%d shards are behind by more than half of the retention: what is published for their persistent sessions is"
                                    + " refused, and records of back-ends wait")
                            .formatted(lagging));
        }
        return warnings;
    }

    private @Nullable IngestStatus ingestStatus() {
        IngestSource source = storage.ingest();
        return source == null ? null : new IngestStatus(source.partitions(), source.lag(), source.problem());
    }

    @Override
    public void close() {
        links.close();
    }
}
