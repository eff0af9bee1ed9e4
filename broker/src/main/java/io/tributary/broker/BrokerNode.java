package io.tributary.broker;

import io.tributary.broker.canary.Canary;
import io.tributary.broker.canary.CanaryGate;
import io.tributary.broker.connection.AccessControl;
import io.tributary.broker.connection.Backend;
import io.tributary.broker.connection.ClientConnections;
import io.tributary.broker.connection.ConnectionServices;
import io.tributary.broker.connection.Extensions;
import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.delivery.SessionObserver;
import io.tributary.broker.deployment.Deployment;
import io.tributary.broker.deployment.DeploymentSource;
import io.tributary.broker.deployment.Loss;
import io.tributary.broker.deployment.Membership;
import io.tributary.broker.deployment.Stages;
import io.tributary.broker.deployment.Storage;
import io.tributary.broker.embedded.EmbeddedSubscription;
import io.tributary.broker.extension.SubscribeInterceptor;
import io.tributary.broker.group.ApplicationGroups;
import io.tributary.broker.group.GroupHosts;
import io.tributary.broker.group.GroupServices;
import io.tributary.broker.guard.Guard;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.BoundListener;
import io.tributary.broker.network.ListenException;
import io.tributary.broker.network.ListenerTls;
import io.tributary.broker.network.Listeners;
import io.tributary.broker.retained.RetainedMessages;
import io.tributary.broker.routing.Router;
import io.tributary.broker.routing.RouterOutputs;
import io.tributary.broker.security.EnhancedAuthenticator;
import io.tributary.broker.security.Revocations;
import io.tributary.broker.security.store.SecurityStore;
import io.tributary.broker.shard.ShardAppends;
import io.tributary.broker.shard.ShardConfig;
import io.tributary.broker.shard.ShardStats;
import io.tributary.broker.shard.ShardThread;
import io.tributary.broker.shard.Shards;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.subscription.SubscriptionCount;
import io.tributary.broker.subscription.Subscriptions;
import io.tributary.broker.sys.Announced;
import io.tributary.broker.sys.NodeStats;
import io.tributary.broker.sys.SysConfig;
import io.tributary.broker.sys.SysStats;
import io.tributary.broker.sys.SysTopics;
import io.tributary.broker.tenant.Tenants;
import io.tributary.common.event.TenantNames;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A broker from one start to its stop; in a cluster, until it is declared dead at the latest. All its memory goes with
 * it: the next start begins with the stored state.
 */
final class BrokerNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerNode.class);
    private static final Duration FAREWELL = Duration.ofSeconds(5);
    private static final StopConfig AT_ONCE = new StopConfig(0, FAREWELL, null);
    /** How much longer than planned all clients may take to go. */
    private static final Duration CLOSE_PATIENCE = Duration.ofMinutes(1);

    private static final Duration CANARY_PATIENCE = Duration.ofSeconds(2);
    private static final Duration EXPIRY_GRACE = Duration.ofMinutes(1);
    private static final int SAY_EACH_TICKS = 10;

    private final BrokerConfig config;
    private final BrokerMetrics metrics;
    private final Deployment deployment;
    final ConnectionRegistry connections = new ConnectionRegistry();
    private final ClientConnections clientConnections = new ClientConnections(connections);
    final Subscriptions subscriptions; // Sessions asks these
    private final RetainedMessages retained;
    private final Router router;
    final Shards shards;
    final SessionEndings endings;
    private final ApplicationGroups groups;
    final Membership membership; // Upgrade asks it, too
    private final SecurityStore security;
    private final Expulsions expulsions;
    private final SecurityDuties duties;
    private final SharedBans sharedBans;
    private final SysConfig sys;
    private final SysTopics sysTopics;
    private final ListenerTls tls;
    private final Guard guard;
    private final Listeners listeners;
    private final @Nullable Canary canary;
    private final ScheduledExecutorService timer;
    private final RuleChanges ruleChanges;
    private final ConfiguredRules configuredRules;
    private final long rulesDigest;
    private final Tenants tenants;
    private final TenantFigures tenantFigures;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final long startedNanos = System.nanoTime();

    private volatile List<BoundListener> bound = List.of();
    private volatile boolean ready;
    private volatile Announced announced = Announced.NOTHING;
    private long ticks; // on the timer's thread

    /** Each part after all that it calls; {@link #open} starts them. */
    private BrokerNode(
            BrokerConfig config,
            BrokerExtensions extensions,
            BrokerMetrics metrics,
            ListenerTls tls,
            Guard guard,
            CanaryGate gate,
            Deployment deployment) {
        this.config = config;
        this.tls = tls;
        this.guard = guard;
        this.metrics = metrics;
        this.deployment = deployment;
        Storage storage = deployment.storage();
        ShardConfig ofShards = config.shards();
        ShardAppends appends =
                new ShardAppends(ofShards, storage.log(), storage.topics(), deployment.clock(), deployment.format());
        GroupHosts hosts =
                new GroupHosts(connections, metrics.groups(), new ShardThread("tributary-groups"), System::nanoTime);
        tenants = new Tenants(metrics.tenants());
        Publishing publishing = Publishing.of(
                config, extensions, metrics, deployment, appends, connections, clientConnections, tenants);
        subscriptions = publishing.subscriptions();
        retained = publishing.retained();
        router = publishing.router();
        shards = new Shards(
                ofShards,
                storage.log(),
                storage.store(),
                storage.topics(),
                deployment.clock(),
                appends,
                nodeOfShards());
        endings = new SessionEndings(deployment.node(), shards, connections);
        groups = new ApplicationGroups(hosts, groupServices());
        membership = deployment.membership(shards, router, subscriptions, connections);
        membership.onTenants(tenants::told);
        tenantFigures = new TenantFigures(tenants, shards, subscriptions, retained, membership, metrics.tenants());
        security = Objects.requireNonNull(extensions.security());
        expulsions = new Expulsions(security, clientConnections::expel);
        Revocations revocations = new Revocations(config.onRevocation(), metrics.revocations());
        rulesDigest = extensions.authorizer().digest();
        configuredRules =
                new ConfiguredRules(() -> membership.withOtherRules(rulesDigest), revocations, System::nanoTime);
        duties = new SecurityDuties(config.nodeName(), security, expulsions, revocations);
        ruleChanges = new RuleChanges(
                extensions.authorizer(),
                subscriptions,
                clientConnections,
                shards,
                deployment.view()::isCurrent,
                revocations,
                duties.thread());
        sharedBans = new SharedBans(security, guard, deployment.clock());
        sys = SysConfig.every(config.sysInterval());
        sysTopics = new SysTopics(sys, () -> membership.stats(stats()), retained, router);
        Backend backend =
                Backend.of(shards, appends::publish, deployment.view(), router, subscriptions, groups::share, retained);
        listeners = new Listeners(
                config.listeners(),
                config.network(),
                connectionServices(extensions, backend, revocations),
                clientConnections,
                metrics.network());
        canary = config.canary().isOff() ? null : canary(appends::publish, publishing.uncounted(), gate);
        timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().name("tributary-timer").daemon().factory());
    }

    private Canary canary(RouterOutputs.SessionAppender appends, Router uncounted, CanaryGate gate) {
        Backend backend =
                Backend.of(shards, appends, deployment.view(), uncounted, subscriptions, groups::share, retained);
        return new Canary(
                config.canary(),
                deployment.isAlone() ? "this" : config.nodeName(),
                deployment.node(),
                backend,
                connections,
                listeners.loop(),
                deployment.clock(),
                new Canary.Surroundings(
                        membership::liveOthers, () -> deployment.format().toWrite() >= TenantNames.FIRST_FORMAT),
                gate,
                metrics.canary());
    }

    private Shards.Node nodeOfShards() {
        return new Shards.Node(
                deployment.node(),
                deployment::isDead,
                connections,
                router,
                new Ends(subscriptions),
                deployment.others(),
                () -> deployment.storage().problem() == null,
                metrics.shards());
    }

    private GroupServices groupServices() {
        return new GroupServices(
                deployment.node(),
                shards,
                subscriptions,
                connections,
                deployment.inbox(),
                router::publishKept,
                new GroupServices.Limits(
                        config.shards().windowMessages(),
                        config.shards().windowBytes(),
                        config.maxDeliveries(),
                        config.subscriptions().sharedPerClient()),
                metrics.groups(),
                System::nanoTime,
                deployment.clock());
    }

    private ConnectionServices connectionServices(
            BrokerExtensions extensions, Backend backend, Revocations revocations) {
        Map<String, EnhancedAuthenticator> enhanced = extensions.enhanced().stream()
                .collect(Collectors.toMap(EnhancedAuthenticator::method, Function.identity()));
        return new ConnectionServices(
                deployment.node(),
                backend,
                new AccessControl(
                        extensions.authenticator(),
                        enhanced,
                        extensions.authorizer(),
                        config.clientRules(),
                        config.takeover(),
                        Objects.requireNonNull(extensions.security()).bans(),
                        revocations,
                        deployment.backEnds()),
                new Extensions(SubscribeInterceptor.chain(extensions.subscribe()), extensions.listeners()),
                metrics.clients(),
                guard,
                tenants,
                deployment.clock());
    }

    /**
     * Starts one; returns when every listener accepts and, in a cluster, every shard has an owner. Blocks until then.
     *
     * @param tls the certificates of listeners with TLS, which outlive this node
     * @param guard who connects too often, or is banned; it outlives this node, too
     * @param gate what the first rounds of the canary open; it outlives this node as well
     * @param onLost told, at least once, when this node must not go on and is to be closed; on a thread that must not
     *     be blocked
     * @param givenUp fails when the start is not to be waited for any more
     * @throws BrokerStartException when it cannot, in words for the operator
     */
    static BrokerNode start(
            BrokerConfig config,
            BrokerExtensions extensions,
            BrokerMetrics metrics,
            ListenerTls tls,
            Guard guard,
            CanaryGate gate,
            DeploymentSource deployments,
            Consumer<Loss> onLost,
            CompletableFuture<?> givenUp) {
        Deployment deployment = deployments.open(onLost, givenUp);
        BrokerNode node;
        try {
            node = new BrokerNode(config, extensions, metrics, tls, guard, gate, deployment);
        } catch (RuntimeException | Error e) {
            deployment.close();
            throw startException(e);
        }
        try {
            node.open(givenUp);
            return node;
        } catch (RuntimeException | Error e) {
            node.close();
            throw startException(e);
        }
    }

    private static BrokerStartException startException(Throwable e) {
        return switch (e) {
            case BrokerStartException known -> known;
            case Error defect -> throw defect;
            default -> new BrokerStartException(String.valueOf(e.getMessage()), e);
        };
    }

    private void open(CompletableFuture<?> givenUp) {
        shards.start();
        Stages.await(membership.connect());
        membership.awaitReached();
        // First, for the rules in it decide about subscriptions and wills.
        Stages.await(security.open(
                deployment.storage().security(),
                new SecurityStore.Node(
                        () -> shards.ownEpoch(0),
                        deployment.ownerLink(),
                        deployment.clock(),
                        deployment.format(),
                        deployment.view()::isCurrent,
                        deployment.storage().audit()),
                (table, before, now) -> {
                    tenants.changed(before, now);
                    expulsions.changed(table, before, now);
                    sharedBans.changed(table, before, now);
                }));
        Stages.await(subscriptions.start());
        Stages.await(retained.start());
        subscriptions.watch(subscriber -> shards.verify(subscriber.clientId(), subscriber.identity()));
        groups.start();
        shards.own();
        configuredRules.tick();
        ScheduledFuture<?> _ = timer.scheduleWithFixedDelay(this::tick, 0, 1, TimeUnit.SECONDS);
        duties.start(ruleChanges);
        Stages.await(membership.live());
        Stages.await(shards.allOwned(), givenUp);
        security.begin();
        expulsions.begin();
        guard.watch(sharedBans);
        sysTopics.start(timer);
        try {
            bound = listeners.start(tls);
        } catch (ListenException e) {
            throw new BrokerStartException(String.valueOf(e.getMessage()), e);
        }
        ready = true;
        membership.serving();
        if (canary != null) {
            canary.start();
        }
    }

    private void tick() {
        try {
            ticks++;
            if (!ready && ticks % SAY_EACH_TICKS == 0) {
                LOG.info("still starting: {} of {} shards have no owner yet", shards.unowned(), shards.count());
                shards.problems().forEach(problem -> LOG.warn("still starting: {}", problem));
            }
            membership.tick();
            membership.tell(this::stats);
            configuredRules.tick();
            tenantFigures.tick();
            sharedBans.tick();
            if (!deployment.view().isCurrent()) {
                return; // subscriptions that it would remove may be newer than it knows
            }
            subscriptions.repair(shards::owns);
            subscriptions.lookForStuck(clientConnections::flow);
            groups.tick();
            if (membership.isFirst()) {
                retained.expire(deployment.clock().millis() - expiryGraceMillis());
            }
        } catch (RuntimeException | Error e) {
            LOG.error("what is done each second failed; this is a defect", e); // the timer would stop silently
        }
    }

    /**
     * In a cluster, the successor of an expired message may be on its way; a later removal of the expired message would
     * remove the successor.
     */
    private long expiryGraceMillis() {
        return deployment.isAlone() ? 0 : EXPIRY_GRACE.toMillis();
    }

    Router router() {
        return router;
    }

    Tenants tenants() {
        return tenants;
    }

    /** Whether it is closed, or is being closed. */
    boolean isClosed() {
        return closed.get();
    }

    /** Whether this node knows what the others know. */
    boolean isCurrent() {
        return deployment.view().isCurrent();
    }

    /** How late tasks of the event loops begin, the longest delay of the last second. */
    Duration loopLag() {
        return Duration.ofNanos(listeners.lagNanos());
    }

    /** How many connections have sent nothing yet. */
    int silentConnections() {
        return listeners.silentConnections();
    }

    /** This node, for those who have its clients and shards go to others. */
    Departure departure() {
        return new Departure(
                deployment,
                listeners,
                clientConnections,
                shards,
                config.stop().serverReference(),
                () -> membership.stats(stats()),
                said -> announced = said);
    }

    /**
     * Serves a subscription of the embedding application until either ends; blocks until it is made, and retained
     * messages are handed out. Does nothing once this node is over.
     */
    void serve(EmbeddedSubscription subscription) {
        subscription.subscribeTo(connections, subscriptions, retained, Stages::await, closed::get);
    }

    /** Where the listeners listen, in the order of the configuration. */
    List<BoundListener> listeners() {
        return bound;
    }

    BrokerStatus status() {
        ShardStats stats = shards.stats();
        SubscriptionCount subscribed = subscriptions.count();
        return new BrokerStatus(
                ready && !closed.get(),
                null,
                deployment.storage().problem(),
                bound.stream().map(BoundListener::toString).toList(),
                clientConnections.size(),
                stats.persistentSessions(),
                subscribed.plain(),
                subscribed.shared(),
                new MemoryUse(subscriptions.sizeBytes(), config.subscriptions().totalBytes()),
                retained.count(),
                retained.bytes(),
                stats.queuedMessages(),
                shards.deliveryBytes(),
                new MemoryUse(shards.willBytes(), config.shards().willBytes()),
                deployment.storage().queuedBytes(),
                deployment.storage().memoryBytes(),
                Stream.of(listeners.warnings(), tls.warnings(), security.problems(), configuredRules.warnings())
                        .flatMap(List::stream)
                        .toList(),
                membership.status());
    }

    /** The figures that this node reports of itself. */
    NodeStats stats() {
        ShardStats kept = shards.stats();
        SysStats stats = new SysStats(
                new SysStats.Clients(
                        clientConnections.size(),
                        kept.offlineSessions(),
                        metrics.mostClients(),
                        metrics.applications()),
                metrics.traffic(),
                new SysStats.StoredStats(
                        kept.queuedMessages(),
                        subscribed(subscriptions.persistentCount()),
                        subscribed(subscriptions.transientCount()),
                        retained.count()));
        long uptimeSeconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startedNanos);
        return new NodeStats(sys.version(), uptimeSeconds, stats, rulesDigest, announced);
    }

    private static SysStats.Subscribed subscribed(SubscriptionCount count) {
        return new SysStats.Subscribed(count.plain(), count.shared());
    }

    /**
     * Stops: no more connections are accepted, clients are told and sent away, what is in flight is saved, shards are
     * handed over, and the other nodes are told. Blocks until done; doing it twice does no harm.
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        membership.stopServing();
        if (ready) {
            membership.leaving(config.stop().longest().dividedBy(2));
        }
        try {
            end(config.stop(), FAREWELL, () -> {});
            if (ready) {
                membership.leave();
            }
        } finally {
            membership.close();
            deployment.close();
        }
    }

    /**
     * Ends a node that the cluster holds for dead already: connections first, without a packet to clients or a word to
     * other nodes. Blocks until done.
     */
    void abandon() {
        if (closed.compareAndSet(false, true)) {
            try {
                end(AT_ONCE, Duration.ZERO, membership::stopServing);
            } finally {
                membership.close();
                deployment.close();
            }
        }
    }

    private void end(StopConfig stop, Duration farewell, Runnable withoutClients) {
        try {
            sendAway(stop, farewell);
            withoutClients.run();
        } finally {
            timer.shutdownNow();
            duties.close();
            expulsions.close();
            groups.close();
            shards.close();
            security.close(); // last: without it nobody has rules of its own, by which sessions are judged
        }
    }

    private void sendAway(StopConfig stop, Duration farewell) {
        sysTopics.close();
        endCanary(farewell);
        // Standalone there is no other node that all at once would be too much for.
        int perSecond = deployment.isAlone() ? 0 : stop.drainRate();
        Duration limit = stop.longest().plus(farewell).plus(CLOSE_PATIENCE);
        Stages.await(listeners.close(perSecond, stop.longest(), stop.serverReference(), farewell), limit);
    }

    /** What it leaves behind after a short while goes with the expiry of its session. */
    private void endCanary(Duration farewell) {
        if (canary != null) {
            long patience = Math.min(farewell.toMillis(), CANARY_PATIENCE.toMillis());
            canary.close()
                    .toCompletableFuture()
                    .completeOnTimeout(null, patience, TimeUnit.MILLISECONDS)
                    .join();
        }
    }

    /** Drops the subscriptions of sessions that are over. */
    private record Ends(Subscriptions subscriptions) implements SessionObserver {
        @Override
        public void sessionEnded(String clientId, long session) {
            subscriptions.end(new Subscriber(clientId, true, session));
        }

        @Override
        public Iterator<Runnable> shardLive(int shard, long upTo, ToLongFunction<String> sessionOf) {
            return subscriptions.endOver(shard, upTo, sessionOf);
        }
    }
}
