package io.tributary.broker;

import io.tributary.broker.canary.CanaryGate;
import io.tributary.broker.deployment.DeploymentSource;
import io.tributary.broker.deployment.Loss;
import io.tributary.broker.embedded.EmbeddedSubscription;
import io.tributary.broker.guard.Guard;
import io.tributary.broker.metrics.BrokerMeters;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.BoundListener;
import io.tributary.broker.network.ListenerTls;
import io.tributary.broker.relocation.Drain;
import io.tributary.broker.relocation.DrainStatus;
import io.tributary.broker.relocation.Host;
import io.tributary.broker.relocation.Rebalance;
import io.tributary.broker.relocation.ServingNode;
import io.tributary.broker.routing.RouteOutcome;
import io.tributary.broker.security.store.SecurityStore;
import io.tributary.broker.tenant.TenantUse;
import io.tributary.broker.tls.CertificateWatch;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import io.tributary.common.topic.TopicLimits;
import io.tributary.common.topic.TopicName;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An MQTT broker in this process. {@link #start} is all that it takes; {@link #close} ends it and keeps the state that
 * the next start needs. Thread-safe.
 *
 * <p>In a cluster it begins anew by itself, as a new node of its name, when the other nodes hold it for dead or Kafka
 * refuses a record for good; clients are disconnected then, and {@link #status} says why until it serves them again.
 */
public final class Broker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Broker.class);
    private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(30);
    private static final int MOST_FIRST_TRIES = 5;
    private static final String STOPPED = "the broker has stopped";
    private static final String UNKNOWN =
            "it is not known whether the message is safe, for the node is behind, its storage"
                    + " failed, or it is closing: publish it again";

    /** How much the embedding application may have published that is not safe yet. */
    private static final long MOST_UNFINISHED_BYTES = 64L << 20;

    private static final double NANOS_A_SECOND = 1e9;

    /** About how many bytes a message that is being published takes besides its own. */
    private static final int UNFINISHED_OVERHEAD_BYTES = 512;

    private final BrokerConfig config;
    private final BrokerExtensions extensions;
    private final BrokerMetrics metrics;
    private final DeploymentSource deployments;
    private final ListenerTls tls;
    private final SecurityStore security;
    private final Guard guard;
    private final CanaryGate gate;
    private final AtomicLong unfinishedBytes = new AtomicLong();
    private final RelocationDuties relocation;
    private final Upgrade upgrade;
    private final Sessions sessions;
    private final Set<EmbeddedSubscription> subscribed = new HashSet<>(); // guarded by itself
    private final CountDownLatch closing = new CountDownLatch(1);

    /** What serves clients at present; null while the broker begins anew. */
    private volatile @Nullable BrokerNode node;

    /** Why it does not, in words. */
    private volatile String problem = "the broker is starting";

    private volatile List<BoundListener> bound = List.of();

    // Guarded by this.
    private @Nullable Thread restart;
    /** Whether that thread has yet to bring the node. */
    private boolean isBeginning;

    private boolean closed;
    /** Fails when the node that is starting is lost, or the broker is closed: the start is not waited for any more. */
    private CompletableFuture<Void> givenUp = new CompletableFuture<>();

    private Broker(
            BrokerConfig config,
            BrokerExtensions extensions,
            BrokerMetrics metrics,
            DeploymentSource deployments,
            Duration certificateInterval) {
        this.config = config;
        this.extensions = extensions;
        this.metrics = metrics;
        this.deployments = deployments;
        SecurityStore given = extensions.security();
        security = given == null ? new SecurityStore(metrics.security()) : given;
        guard = new Guard(config.guard(), metrics.guard(), System::nanoTime, security.clock());
        gate = new CanaryGate(config.canary());
        metrics.gauge(BrokerMeters.UNAUTHENTICATED_MEMORY, () -> guard.memory().heldBytes());
        metrics.gauge(BrokerMeters.SILENT_CONNECTIONS, this::silentConnections);
        metrics.countDeadlines(config.priorities().rules());
        metrics.gauge(BrokerMeters.BANS, () -> guard.bans().size());
        upgrade = new Upgrade(() -> node, security);
        metrics.gauge(BrokerMeters.LOOP_LAG, () -> loopLag().toNanos() / NANOS_A_SECOND);
        relocation = new RelocationDuties(config.nodeName(), new Here(), security, metrics);
        sessions = new Sessions(() -> node, relocation::note);
        try {
            tls = ListenerTls.open(config.listeners(), metrics.tls(), certificateInterval);
        } catch (IllegalArgumentException e) {
            throw new BrokerStartException(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Starts a broker alone in this process; returns when every listener accepts. Blocks until then.
     *
     * @throws BrokerStartException when the data directory or a listener cannot be used, with words that say which and
     *     why
     */
    public static Broker start(BrokerConfig config, BrokerExtensions extensions, BrokerMetrics metrics) {
        return start(config, extensions, metrics, (_, _) -> Standalone.open(config, metrics));
    }

    /**
     * Starts a broker at a place of its own, such as a node of a cluster; returns when every listener accepts and every
     * shard has an owner. Blocks until then.
     *
     * @param deployments opens the place, now and each time the broker begins anew
     * @throws BrokerStartException when a listener, or what the place stands on, cannot be used, with words that say
     *     which and why
     */
    public static Broker start(
            BrokerConfig config, BrokerExtensions extensions, BrokerMetrics metrics, DeploymentSource deployments) {
        return start(config, extensions, metrics, deployments, CertificateWatch.INTERVAL);
    }

    /** The same, and files of certificates are read at another interval: for tests. */
    static Broker start(
            BrokerConfig config,
            BrokerExtensions extensions,
            BrokerMetrics metrics,
            DeploymentSource deployments,
            Duration certificateInterval) {
        Broker broker = new Broker(config, extensions, metrics, deployments, certificateInterval);
        try {
            broker.beginFirst();
        } catch (RuntimeException | Error e) {
            broker.tls.close();
            broker.relocation.close();
            throw e;
        }
        broker.relocation.start();
        return broker;
    }

    /** Starts a broker that nothing hangs into, and whose counters only {@code $SYS} shows. */
    public static Broker start(BrokerConfig config) {
        return start(config, BrokerExtensions.NONE, BrokerMetrics.unregistered());
    }

    /**
     * The first start fails for what an operator has to mend; not because the cluster took a process for dead that was
     * slow to come up on a busy machine.
     */
    private void beginFirst() {
        for (int tries = 1; true; tries++) {
            AtomicReference<@Nullable Loss> lost = new AtomicReference<>();
            try {
                begin(config, lost);
                return;
            } catch (RuntimeException e) {
                Loss loss = lost.get();
                if (loss == null || tries == MOST_FIRST_TRIES) {
                    throw e;
                }
                LOG.warn(
                        "this node begins anew, for it was lost while it started ({}): {}", loss.why(), e.getMessage());
            }
        }
    }

    /** @param lost where it is put, before anything fails for it, that the node must not go on */
    private void begin(BrokerConfig to, AtomicReference<@Nullable Loss> lost) {
        CompletableFuture<BrokerNode> started = new CompletableFuture<>();
        CompletableFuture<Void> startGivenUp = newGivenUp();
        Consumer<Loss> onLost = loss -> {
            lost.set(loss);
            startGivenUp.completeExceptionally(new IllegalStateException("the node was lost: " + loss.why()));
            CompletionStage<Void> _ = started.thenAccept(node -> beginAnew(node, loss));
        };
        BrokerNode begun = BrokerNode.start(
                to, extensions.with(security), metrics, tls, guard, gate, deployments, onLost, startGivenUp);
        bound = begun.listeners();
        try {
            serveSubscribed(begun);
        } catch (RuntimeException | Error e) {
            begun.close();
            throw e;
        }
        started.complete(begun);
    }

    /**
     * Has a node serve the embedding application's subscriptions, and then clients. Consumers get retained messages
     * meanwhile, and may subscribe and end subscriptions: no lock is held.
     */
    private void serveSubscribed(BrokerNode begun) {
        Set<EmbeddedSubscription> served = new HashSet<>();
        while (true) {
            Set<EmbeddedSubscription> others;
            synchronized (subscribed) {
                others = new HashSet<>(subscribed);
                others.removeAll(served);
                if (others.isEmpty()) {
                    synchronized (this) {
                        node = begun;
                        isBeginning = false;
                    }
                    return;
                }
            }
            others.forEach(begun::serve);
            served.addAll(others);
        }
    }

    private synchronized CompletableFuture<Void> newGivenUp() {
        CompletableFuture<Void> fresh = new CompletableFuture<>();
        givenUp = fresh;
        if (closed) {
            fresh.completeExceptionally(new IllegalStateException(STOPPED));
        }
        return fresh;
    }

    /**
     * On a thread that must not be blocked, so that a new one does the work; of several calls for one node, one counts.
     */
    private synchronized void beginAnew(BrokerNode lost, Loss loss) {
        if (closed || !lost.equals(node)) {
            return;
        }
        LOG.error("this node begins anew: {}", loss.why());
        problem = "this node begins anew: " + loss.why();
        node = null;
        isBeginning = true;
        restart = Thread.ofPlatform().name("tributary-restart").daemon().start(() -> restart(lost, loss));
    }

    private void restart(BrokerNode lost, Loss loss) {
        try {
            if (loss.canLeave()) {
                lost.close();
            } else {
                lost.abandon();
            }
        } catch (RuntimeException | Error e) { // else nobody would begin anew
            LOG.error("what was lost could not be closed in order", e);
        }
        beginAgain();
    }

    private void beginAgain() {
        Duration wait = FIRST_RETRY;
        while (closing.getCount() > 0) {
            try {
                begin(config.withPortsOf(bound), new AtomicReference<>());
                LOG.info("this node serves clients again");
                return;
            } catch (RuntimeException | Error e) { // else nobody would try again
                problem = "this node cannot begin anew: " + (e instanceof Error ? e : e.getMessage());
                LOG.error("{}; tried again in {} s", problem, wait.toSeconds(), e);
            }
            try {
                if (closing.await(wait.toMillis(), TimeUnit.MILLISECONDS)) {
                    return;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
            wait = wait.multipliedBy(2).compareTo(LONGEST_RETRY) < 0 ? wait.multipliedBy(2) : LONGEST_RETRY;
        }
    }

    /**
     * Publishes a message of the embedding application. The stage completes when the message is safe for every
     * persistent subscriber it matched, with whether there was any subscriber. It fails with a
     * {@link RejectedExecutionException} at once when about 64 MiB of messages are unfinished, or the broker serves no
     * clients at present: the message is not published, and may be tried again later. It fails with an
     * {@link IllegalStateException} when the message was refused, for the reason code that its words begin with; or
     * when it is not known whether it is safe: published again it may come twice.
     *
     * <p>Any thread; never blocks. What depends on the stage may run on the thread that publishes, a thread of the log
     * or an event loop: it must neither block nor wait for another stage, or uses an {@code ...Async} method.
     *
     * @throws IllegalArgumentException when the topic is not a valid topic name, or begins with U+0000
     */
    public CompletionStage<Boolean> publish(Message message) {
        if (TenantNames.isTenants(message.topic())) {
            throw new IllegalArgumentException("the topic begins with U+0000: name the tenant beside the message");
        }
        checkTopic(message);
        return publishInside(message);
    }

    /**
     * Publishes a message to clients of a tenant, see {@link #publish(Message)}.
     *
     * @param message as clients of the tenant know it: its topic is {@code devices/7}
     * @throws IllegalArgumentException when there can be no such tenant, or the topic is not a valid topic name
     */
    public CompletionStage<Boolean> publish(String tenant, Message message) {
        TenantNames.check(tenant);
        checkTopic(message);
        return publishInside(TenantNames.message(tenant, message));
    }

    /** Clients would close the connection on which such a message comes. */
    private static void checkTopic(Message message) {
        if (!TopicName.isValid(message.topic(), TopicLimits.MQTT)) {
            throw new IllegalArgumentException("not a valid topic name: " + message.topic());
        }
    }

    private CompletionStage<Boolean> publishInside(Message message) {
        long size = UNFINISHED_OVERHEAD_BYTES + message.memoryBytes();
        long before = unfinishedBytes.getAndAdd(size);
        if (before > 0 && before + size > MOST_UNFINISHED_BYTES) {
            unfinishedBytes.addAndGet(-size);
            return CompletableFuture.failedStage(
                    new RejectedExecutionException("too much is being published: wait for earlier stages to complete"));
        }
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        CompletionStage<Boolean> counted = result.whenComplete((_, _) -> unfinishedBytes.addAndGet(-size));
        BrokerNode at = node;
        if (at == null) {
            result.completeExceptionally(new RejectedExecutionException(problem));
            return counted;
        }
        try {
            at.router().publish(message, outcome -> routed(outcome, result));
        } catch (RuntimeException | Error e) { // else the bytes would never be given back
            result.completeExceptionally(e);
        }
        return counted;
    }

    private static void routed(RouteOutcome outcome, CompletableFuture<Boolean> result) {
        switch (outcome) {
            case RouteOutcome.Safe() -> result.complete(true);
            case RouteOutcome.NoSubscribers() -> result.complete(false);
            case RouteOutcome.Refused(var reason, var words) ->
                result.completeExceptionally(new IllegalStateException(reason + ": " + words));
            case RouteOutcome.Lost() -> result.completeExceptionally(new IllegalStateException(UNKNOWN));
        }
    }

    /**
     * Subscribes the embedding application to a topic filter, until the returned subscription is closed. Retained
     * messages come on the caller's thread, before this returns; the others on threads of the broker, those published
     * meanwhile between the retained ones. Of a topic the newest message comes last, and may come twice then. While the
     * broker begins anew this returns at once, and retained messages come later, on a thread of the broker.
     *
     * <p>The consumer is called by several threads at once; what one publisher sends at one QoS comes in its order. It
     * must not block. It may end subscriptions, which waits for nothing, and leaves it to a thread of the application
     * to make others, which in a cluster waits for other nodes. What it throws is logged, and the message is gone.
     *
     * @param topicFilter a topic filter, {@code $share/name/...} included
     * @param qos the maximum quality of service; messages are handed over once while the process lives, whatever it is
     * @throws IllegalArgumentException when the filter is not valid, or larger than a client's may be
     * @throws RuntimeException when the subscription could not be made known to other nodes, for which ten minutes are
     *     waited at most; nothing is left of it
     */
    public BrokerSubscription subscribe(String topicFilter, QoS qos, Consumer<Message> consumer) {
        return subscribe(filter(topicFilter), qos, consumer);
    }

    /**
     * Subscribes the embedding application to what clients of a tenant publish, see {@link #subscribe(String, QoS,
     * Consumer)}. No filter without a tenant matches that.
     *
     * @param topicFilter as clients of the tenant write it
     * @param consumer gets messages as clients of the tenant know them
     * @throws IllegalArgumentException also when there can be no such tenant
     */
    public BrokerSubscription subscribe(String tenant, String topicFilter, QoS qos, Consumer<Message> consumer) {
        TenantNames.check(tenant);
        return subscribe(TenantNames.filter(tenant, filter(topicFilter)), qos, consumer);
    }

    private static TopicFilter filter(String text) {
        try {
            return TopicFilter.parse(text);
        } catch (MqttException e) {
            throw new IllegalArgumentException(e.getMessage() + ": " + text, e);
        }
    }

    /** Looks at the filter before anything is kept: a node that begins anew could not make it either. */
    private BrokerSubscription subscribe(TopicFilter filter, QoS qos, Consumer<Message> consumer) {
        if (!config.subscriptions().admits(filter)) {
            throw new IllegalArgumentException(
                    "the topic filter is larger than tributary.subscriptions allows a client,"
                            + " or no client may have a shared one");
        }
        return serve(new EmbeddedSubscription(filter, qos, consumer));
    }

    BrokerSubscription serve(EmbeddedSubscription one) {
        BrokerNode at;
        synchronized (subscribed) {
            subscribed.add(one);
            at = node; // without one, the next will serve the subscription
        }
        try {
            if (at != null) {
                at.serve(one);
            }
        } catch (RuntimeException | Error e) {
            end(one);
            throw e;
        }
        return () -> end(one);
    }

    private void end(EmbeddedSubscription one) {
        synchronized (subscribed) {
            subscribed.remove(one);
        }
        one.close();
    }

    /** Where the listeners listen, in the order of the configuration. */
    public List<BoundListener> listeners() {
        return bound;
    }

    /** The time by which messages expire, the same on all nodes of a cluster. */
    public InstantSource clock() {
        return security.clock();
    }

    /** Users, device tokens, rule sets, bans and tenants. */
    public SecurityStore security() {
        return security;
    }

    /** Who was refused, and who is banned, at this node. */
    public Guard guard() {
        return guard;
    }

    /**
     * What a tenant that has limits or connections uses of the whole cluster, as this node knows it; nothing while the
     * broker does not serve clients.
     */
    public TenantUse tenantUse(String tenant) {
        BrokerNode at = node;
        return at == null ? TenantUse.NOTHING : at.tenants().use(tenant);
    }

    /** Empties this node before its process is ended. */
    public Drain drain() {
        return relocation.drain();
    }

    /** Which formats the nodes write, and the end of an upgrade. */
    public Upgrade upgrade() {
        return upgrade;
    }

    /** Persistent sessions, to be looked at and ended. */
    public Sessions sessions() {
        return sessions;
    }

    /** Spreads connections over the nodes of the cluster. */
    public Rebalance rebalance() {
        return relocation.rebalance();
    }

    /** How long a task waits for its event loop at present, the longest of the last second. */
    public Duration loopLag() {
        BrokerNode at = node;
        return at == null ? Duration.ZERO : at.loopLag();
    }

    private int silentConnections() {
        BrokerNode at = node;
        return at == null ? 0 : at.silentConnections();
    }

    /**
     * Completes when the first rounds of the canary were good, which the first readiness waits for; without a canary it
     * is complete.
     */
    public CompletionStage<@Nullable Void> canaryPassed() {
        return gate.opened();
    }

    /** What the broker is doing right now. Cheap enough to be asked every second. */
    public BrokerStatus status() {
        BrokerNode at = node;
        DrainStatus drained = drain().status();
        boolean isSafe = drained.phase() == Drain.Phase.SAFE;
        BrokerStatus now = at == null ? BrokerStatus.stopped(isSafe ? null : problem) : at.status();
        if (drained.isDraining()) {
            return now.unready(null);
        }
        String waitsFor = now.ready() ? gate.waitsFor() : null;
        return waitsFor == null ? now : now.unready(waitsFor);
    }

    /**
     * Stops: no more connections are accepted, MQTT 5 clients are told (0x8B), what is in flight is saved, and a
     * cluster is told that this node leaves. Blocks until done; doing it twice does no harm.
     */
    @Override
    public void close() {
        BrokerNode last;
        Thread restarting;
        synchronized (this) {
            closed = true;
            problem = STOPPED;
            restarting = restart;
            givenUp.completeExceptionally(new IllegalStateException(STOPPED));
        }
        closing.countDown();
        relocation.close();
        if (restarting != null) {
            join(restarting);
        }
        last = node;
        if (last != null) {
            last.close();
        }
        tls.close();
    }

    /** Ends the node, and begins none before {@link #resume}; false when one is just beginning. */
    private boolean release() {
        BrokerNode last;
        synchronized (this) {
            if (!closed && node == null && isBeginning) {
                return false;
            }
            last = closed ? null : node;
            if (last != null) {
                problem = "this node is drained";
                node = null;
            }
        }
        if (last != null) {
            try {
                last.close();
            } catch (RuntimeException | Error e) {
                LOG.error("the drained node could not be closed in order", e);
            }
        }
        return true;
    }

    private synchronized void resume() {
        if (!closed && node == null && !isBeginning) {
            problem = "this node begins anew after its drain";
            isBeginning = true;
            restart = Thread.ofPlatform().name("tributary-restart").daemon().start(this::beginAgain);
        }
    }

    /** What drain and rebalancing act on. */
    private final class Here implements Host {
        @Override
        public @Nullable ServingNode node() {
            BrokerNode at = node;
            return at == null ? null : at.departure();
        }

        @Override
        public boolean release() {
            return Broker.this.release();
        }

        @Override
        public void resume() {
            Broker.this.resume();
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
