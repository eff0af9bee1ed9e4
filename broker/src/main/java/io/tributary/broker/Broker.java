package io.tributary.broker;

import io.tributary.broker.connection.BoundListener;
import io.tributary.broker.connection.ListenException;
import io.tributary.broker.connection.Listeners;
import io.tributary.broker.delivery.NodeInbox;
import io.tributary.broker.delivery.SessionObserver;
import io.tributary.broker.extension.SubscribeInterceptor;
import io.tributary.broker.metrics.Totals;
import io.tributary.broker.retained.RetainedMessages;
import io.tributary.broker.routing.Outlets;
import io.tributary.broker.routing.PublishPolicy;
import io.tributary.broker.routing.RouteOutcome;
import io.tributary.broker.routing.Router;
import io.tributary.broker.security.EnhancedAuthenticator;
import io.tributary.broker.session.AccessControl;
import io.tributary.broker.session.Extensions;
import io.tributary.broker.session.LocalSessions;
import io.tributary.broker.session.SessionBackend;
import io.tributary.broker.session.SessionServices;
import io.tributary.broker.shard.OtherNodes;
import io.tributary.broker.shard.ShardFigures;
import io.tributary.broker.shard.Shards;
import io.tributary.broker.subscription.Routes;
import io.tributary.broker.subscription.SharedGroups;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.subscription.SubscriptionRequest;
import io.tributary.broker.subscription.Subscriptions;
import io.tributary.broker.sys.SysConfig;
import io.tributary.broker.sys.SysFigures;
import io.tributary.broker.sys.SysTopics;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An MQTT broker in this process. {@link #start} is all that it takes; {@link #close} ends it and leaves on disk what the
 * next start needs. Thread-safe.
 */
public final class Broker implements AutoCloseable {
    private static final Duration FAREWELL = Duration.ofSeconds(5);
    private static final Duration START_LIMIT = Duration.ofMinutes(10);
    private static final int RETAINED_PAGE = 500;
    /** How much the embedding application may have published that is not safe yet. */
    private static final long MOST_UNFINISHED_BYTES = 64L << 20;

    /** What a message that is being published takes beside its own bytes, roughly. */
    private static final int UNFINISHED_OVERHEAD_BYTES = 512;

    private final BrokerConfig config;
    private final BrokerExtensions extensions;
    private final BrokerRecorders recorders;
    private final StandaloneStorage storage;
    private final Totals totals = new Totals();
    private final LocalSessions sessions = new LocalSessions();
    private final InProcessSubscribers inProcess = new InProcessSubscribers(sessions);
    private final Subscriptions subscriptions;
    private final RetainedMessages retained;
    private final Shards shards;
    private final Router router;
    private final ScheduledExecutorService timer;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicLong unfinishedBytes = new AtomicLong();
    /** This start of this node: what an earlier one left attached is known to be gone. */
    private final String incarnation;

    private @Nullable Listeners listeners;
    private @Nullable SysTopics sysTopics;
    private volatile List<BoundListener> bound = List.of();
    private volatile boolean ready;

    private Broker(
            BrokerConfig config, BrokerExtensions extensions, BrokerRecorders recorders, StandaloneStorage storage) {
        this.config = config;
        this.extensions = extensions;
        this.recorders = recorders.heardBy(totals);
        this.storage = storage;
        incarnation = config.nodeName() + "#" + UUID.randomUUID();
        SharedGroups groups = new SharedGroups(config.shared(), sessions::inFlight);
        subscriptions = new Subscriptions(storage.subscriptions(), Routes.NONE, config.subscriptions(), groups);
        retained = new RetainedMessages(storage.retained(), config.retained(), InstantSource.system());
        shards = new Shards(config.shards(), storage.log(), storage.store());
        router = new Router(
                incarnation,
                subscriptions,
                retained,
                new PublishPolicy(extensions.authorizer(), extensions.publish()),
                new Outlets(inProcess, NodeInbox.NONE, shards::publish, shards::relay),
                this.recorders.router());
        timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "tributary-timer");
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Starts a broker; returns when every listener accepts. Blocks until then.
     *
     * @throws BrokerStartException when the data directory or a listener cannot be opened, with words that say which setting
     *     and why
     */
    public static Broker start(BrokerConfig config, BrokerExtensions extensions, BrokerRecorders recorders) {
        Broker broker = new Broker(config, extensions, recorders, StandaloneStorage.open(config, recorders.storage()));
        try {
            broker.open();
            return broker;
        } catch (RuntimeException e) {
            broker.close();
            throw e instanceof BrokerStartException ? e : new BrokerStartException(String.valueOf(e.getMessage()), e);
        }
    }

    /** Starts a broker that nothing hangs into and nothing counts. */
    public static Broker start(BrokerConfig config) {
        return start(config, BrokerExtensions.NONE, BrokerRecorders.NONE);
    }

    private void open() {
        await(subscriptions.start());
        await(retained.start());
        await(shards.start(new Shards.Node(
                incarnation,
                node -> !node.equals(incarnation),
                sessions,
                router,
                new Ends(),
                OtherNodes.NONE,
                recorders.shards())));
        subscriptions.watch(subscriber -> shards.verify(subscriber.clientId(), subscriber.identity()));
        ScheduledFuture<?> _ =
                timer.scheduleWithFixedDelay(() -> retained.expire(System.currentTimeMillis()), 1, 1, TimeUnit.SECONDS);
        sysTopics = new SysTopics(SysConfig.every(config.sysInterval()), this::sysFigures, retained, router);
        sysTopics.start(timer);
        Listeners opening = new Listeners(config.listeners(), config.network(), services(), recorders.connections());
        listeners = opening;
        try {
            bound = opening.start();
        } catch (ListenException e) {
            throw new BrokerStartException(String.valueOf(e.getMessage()), e);
        }
        ready = true;
    }

    private SessionServices services() {
        Map<String, EnhancedAuthenticator> enhanced = extensions.enhanced().stream()
                .collect(Collectors.toMap(EnhancedAuthenticator::method, Function.identity()));
        return new SessionServices(
                incarnation,
                SessionBackend.of(shards, router, subscriptions, retained),
                new AccessControl(extensions.authenticator(), enhanced, extensions.authorizer()),
                new Extensions(SubscribeInterceptor.chain(extensions.subscribe()), extensions.sessions()),
                sessions,
                recorders.sessions(),
                InstantSource.system());
    }

    /**
     * Publishes a message of the embedding application. The stage completes when the message is safe for every persistent
     * subscriber it matched, with whether there was any subscriber; it fails when the message was refused.
     *
     * <p>Any thread; never blocks. Of what is not finished yet about 64 MiB are held; what comes then fails at once with a
     * {@link RejectedExecutionException}, is not published, and may be tried again when earlier stages have completed.
     */
    public CompletionStage<Boolean> publish(Message message) {
        long size = UNFINISHED_OVERHEAD_BYTES + (long) message.sizeBytes();
        long before = unfinishedBytes.getAndAdd(size);
        if (before > 0 && before + size > MOST_UNFINISHED_BYTES) {
            unfinishedBytes.addAndGet(-size);
            return CompletableFuture.failedStage(
                    new RejectedExecutionException("too much is being published: wait for earlier stages to complete"));
        }
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        CompletionStage<Boolean> counted = result.whenComplete((_, _) -> unfinishedBytes.addAndGet(-size));
        router.publish(message, outcome -> {
            switch (outcome) {
                case RouteOutcome.Safe() -> result.complete(true);
                case RouteOutcome.NoSubscribers() -> result.complete(false);
                case RouteOutcome.Refused(var reason, var words) ->
                    result.completeExceptionally(new IllegalStateException(reason + ": " + words));
                case RouteOutcome.Lost() ->
                    result.completeExceptionally(new IllegalStateException("the broker is closing"));
            }
        });
        return counted;
    }

    /**
     * Subscribes the embedding application to a topic filter, until the returned subscription is closed. Retained messages
     * come first. Messages come on threads of the broker: the consumer must not block.
     *
     * @param topicFilter a topic filter, {@code $share/name/...} included
     * @param qos the maximum quality of service; messages are handed over once while the process lives, whatever it is
     */
    public AutoCloseable subscribe(String topicFilter, QoS qos, Consumer<Message> consumer) {
        TopicFilter filter = TopicFilter.parse(topicFilter);
        long number = inProcess.add(consumer);
        Subscriber subscriber = Subscriber.inProcess(number);
        await(subscriptions.subscribe(subscriber, 0, List.of(new SubscriptionRequest(filter, qos, false, true, 0))));
        if (!filter.isShared()) {
            replayRetained(filter, qos, number);
        }
        return () -> {
            subscriptions.end(subscriber);
            inProcess.remove(number);
        };
    }

    private void replayRetained(TopicFilter filter, QoS qos, long number) {
        RetainedMessages.Page page = retained.page(filter, null, RETAINED_PAGE);
        while (true) {
            for (Message message : page.messages()) {
                inProcess.deliverTransient(
                        number, new QueueEntry.Queued(message, message.qos().min(qos), true, List.of(), null));
            }
            if (page.next() == null) {
                return;
            }
            page = retained.page(filter, page.next(), RETAINED_PAGE);
        }
    }

    /** Where the listeners listen, in the order of the configuration. */
    public List<BoundListener> listeners() {
        return bound;
    }

    /** What the broker is doing right now. Cheap enough to be asked every second. */
    public BrokerStatus status() {
        ShardFigures figures = shards.figures();
        return new BrokerStatus(
                ready && !closed.get(),
                storage.problem(),
                bound.stream().map(BoundListener::toString).toList(),
                sessions.size(),
                figures.persistentSessions(),
                subscriptions.count(),
                subscriptions.sharedCount(),
                retained.count(),
                retained.bytes(),
                figures.queuedMessages(),
                storage.queuedBytes());
    }

    private SysFigures sysFigures() {
        Totals.Figures counted = totals.figures();
        ShardFigures kept = shards.figures();
        return new SysFigures(
                new SysFigures.Clients(sessions.size(), kept.offlineSessions(), counted.clientsMaximum()),
                new SysFigures.Traffic(
                        counted.connectionsOpened(),
                        new SysFigures.Flow(counted.packetsReceived(), counted.packetsSent()),
                        new SysFigures.Flow(counted.publishesReceived(), counted.publishesSent()),
                        counted.publishesDropped(),
                        new SysFigures.Flow(counted.bytesReceived(), counted.bytesSent())),
                new SysFigures.Kept(
                        kept.queuedMessages(), subscriptions.count(), subscriptions.sharedCount(), retained.count()));
    }

    /**
     * Stops: no more connections are accepted, MQTT 5 clients are told (0x8B), what is in flight is saved. Blocks until done;
     * doing it twice does no harm.
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        if (sysTopics != null) {
            sysTopics.close();
        }
        try {
            if (listeners != null) {
                await(listeners.close(FAREWELL));
            }
        } finally {
            timer.shutdownNow();
            shards.close();
            storage.close();
        }
    }

    private static void await(CompletionStage<?> stage) {
        stage.toCompletableFuture()
                .orTimeout(START_LIMIT.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    /** Drops the subscriptions of sessions that are over. */
    private final class Ends implements SessionObserver {
        @Override
        public void sessionEnded(String clientId, long session) {
            subscriptions.end(new Subscriber(clientId, true, session));
        }

        @Override
        public void shardLive(int shard, ToLongFunction<String> sessionOf) {
            for (Subscriber subscriber : subscriptions.persistentClients()) {
                String clientId = subscriber.clientId();
                if (shards.shardOf(clientId) == shard && sessionOf.applyAsLong(clientId) != subscriber.identity()) {
                    subscriptions.end(subscriber);
                }
            }
        }
    }
}
