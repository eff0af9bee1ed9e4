package io.tributary.broker.shard;

import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.delivery.MessageRouting;
import io.tributary.broker.delivery.SessionObserver;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.StoredSession;
import io.tributary.common.event.TenantNames;
import io.tributary.common.time.SteadyClock;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.shard.AppendCallback;
import io.tributary.persistence.shard.ShardLog;
import io.tributary.persistence.shard.ShardStore;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shards as sessions use them: appends to their logs, and acknowledgements to their owners. Every method
 * may be called from any thread and never blocks; calls from one thread for one client keep their order.
 *
 * <p>Appends are always accepted. When the log cannot keep up, {@link #isCongested} says so; a connection stops reading
 * from its socket until {@link #onRoom}, which bounds what is waiting here.
 */
public final class Shards implements ClientShards, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Shards.class);
    private static final int CLOSE_PATIENCE_SECONDS = 10;
    private static final long TOPICS_INTERVAL_MILLIS = 600_000;

    private final ShardLog log;
    private final WatchedStore store;
    private final AppTopics topics;
    private final SteadyClock intervals = new SteadyClock();
    private final LogAppender appender;
    private final Relays relays;
    private final WaitingAttaches waitingAttaches;
    private final Node node;
    private final LocalConnections connections;
    private final ShardDrivers drivers;
    private final CompletableFuture<@Nullable Void> allOwned = new CompletableFuture<>();
    private final Qos0Backlog waitingQos0 = new Qos0Backlog();
    private boolean mayOwn = true; // guarded by this
    private boolean isLeaving; // guarded by this
    /** Confined to the first thread. */
    private long topicsDueMillis;

    /**
     * Creates the shards of a node; {@link #start} sets them going.
     *
     * @param log where the shards' events go
     * @param store where the shards' state goes
     * @param topics where the messages of applications go
     * @param clock the time by which messages expire, the same on all nodes
     * @param appends the way to the same log and the same topics
     */
    public Shards(
            ShardConfig config,
            ShardLog log,
            ShardStore store,
            AppTopics topics,
            InstantSource clock,
            ShardAppends appends,
            Node node) {
        this.log = log;
        this.store = new WatchedStore(store, System::nanoTime);
        this.topics = topics;
        this.node = node;
        appender = appends.appender();
        relays = appends.relays();
        waitingAttaches = new WaitingAttaches(log.shardCount(), this::isOwned, System::nanoTime);
        connections = new LocalConnections(node.connections(), relays, appender::shardOf, log.shardCount());
        ShardEnvironment environment = new ShardEnvironment(
                config,
                node.name(),
                node.deadNodes(),
                log,
                this.store,
                topics,
                appender,
                new AllNodes(),
                node.routing(),
                node.observer(),
                new DeliveryMemory(config.deliveryBytes()),
                new DeliveryMemory(config.willBytes()),
                intervals::millis,
                clock::millis,
                node.recorder(),
                _ -> completeIfAllOwned());
        drivers = new ShardDrivers(log.shardCount(), environment);
    }

    /**
     * The node that the shards work for.
     *
     * @param name this node and its incarnation
     * @param deadNodes tells of another node or incarnation that it is gone for good
     * @param others the other nodes of the cluster
     * @param isWritable whether the shards' logs take events at the moment; any thread
     */
    public record Node(
            String name,
            Predicate<String> deadNodes,
            ConnectionRegistry connections,
            MessageRouting routing,
            SessionObserver observer,
            OtherNodes others,
            BooleanSupplier isWritable,
            ShardRecorder recorder) {}

    /** Lets connections and owners elsewhere talk with the shards; once, {@link #own} follows. */
    public void start() {
        drivers.start();
        ShardThread first = drivers.threadOf(0);
        first.everyTick(this::completeIfAllOwned);
        first.everyTick(this::lookForTopics);
        first.everyTick(waitingAttaches::look);
    }

    /** Begins to own shards: once what their owners need is there, subscriptions above all. */
    public void own() {
        log.start(new ShardReader(log, drivers));
    }

    /**
     * Completes when once every shard was served by some node, this one or one that it can reach; on a shard thread.
     */
    public CompletionStage<@Nullable Void> allOwned() {
        return allOwned;
    }

    /** How many shards there are. */
    public int count() {
        return log.shardCount();
    }

    /** How many shards are served by no node that this node can reach, as far as it knows. */
    public int unowned() {
        return count(shard -> !isOwned(shard));
    }

    private boolean isOwned(int shard) {
        return drivers.isLive(shard) || node.others().isOwned(shard);
    }

    /** How many of the {@link #unowned} shards another node serves, which is alive but cannot be reached from here. */
    public int outOfReach() {
        return count(shard -> !drivers.isLive(shard) && node.others().isOutOfReach(shard));
    }

    /** How many shards this node serves. */
    public int ownedShards() {
        return count(drivers::isLive);
    }

    /** The epoch of this node's ownership of a shard, -1 while it does not serve the shard. */
    public long ownEpoch(int shard) {
        return drivers.of(shard).liveEpoch();
    }

    private int count(IntPredicate which) {
        return (int) IntStream.range(0, drivers.count()).filter(which).count();
    }

    /** The store's trouble with shards of this node at the moment, or null. */
    public @Nullable StoreTrouble storeTrouble() {
        return store.trouble();
    }

    /** Completes when the store answers for a shard of any owner. */
    public CompletionStage<?> reachStore(int shard) {
        return store.applied(shard);
    }

    /** Has this node own shards, as after {@link #own}, or no more: then others take them over. */
    public synchronized void takePart(boolean wanted) {
        mayOwn = wanted;
        log.takePart(mayOwn && !isLeaving);
    }

    /** Hands the shards of this node over to others, and keeps it from owning any, whatever else; or no more. */
    public synchronized void handOver(boolean all) {
        isLeaving = all;
        log.takePart(mayOwn && !isLeaving);
    }

    /** Troubles other than the store's that keep shards of this node from being served, a sentence each. */
    public List<String> problems() {
        return drivers.problems();
    }

    /** Whether this node serves the shard of a client. */
    @Override
    public boolean owns(String clientId) {
        return drivers.isLive(shardOf(clientId));
    }

    /** Finds topics whose sessions ended while no node could delete them. */
    private void lookForTopics() {
        long now = intervals.millis();
        if (now < topicsDueMillis) {
            return;
        }
        topicsDueMillis = now + TOPICS_INTERVAL_MILLIS;
        CompletionStage<?> _ = topics.deletable()
                .thenAccept(found -> found.forEach(topic -> drivers.tell(
                        shardOf(topic.clientId()), driver -> driver.ask(service -> service.topicFound(topic)))));
    }

    private void completeIfAllOwned() {
        if (!allOwned.isDone() && unowned() == 0) {
            allOwned.complete(null);
        }
    }

    /** The shard of a client identifier. */
    public int shardOf(String clientId) {
        return appender.shardOf(clientId);
    }

    /**
     * Whether a client may ask for its session: not while its shard has been without an owner for 10 s, nor when too
     * many wait for theirs in its shard already, 10,000, or 1,000 where it has no owner; one of a tenant not while a
     * live node is too old for tenants.
     */
    @Override
    public boolean mayAttach(String clientId) {
        return waitingAttaches.hasRoom(shardOf(clientId))
                && (!TenantNames.isTenants(clientId) || appender.writes(TenantNames.FIRST_FORMAT));
    }

    /** Whether the shards' logs take events at the moment: not while the disk of a standalone broker is full. */
    @Override
    public boolean isWritable() {
        return node.isWritable().getAsBoolean();
    }

    /** A client that asked for its session is answered, or waits no longer; once for each {@link #attach}. */
    @Override
    public void attachAnswered(String clientId) {
        waitingAttaches.answered(shardOf(clientId));
    }

    /**
     * Asks for a session. The answer comes to the connection through {@code Endpoint.attached}; for a client,
     * {@link #attachAnswered} is to follow. Hosts of shared subscriptions have a limit of their own.
     *
     * @param appended told the offset of the {@code Attach} when it is in the log, perhaps after the answer; not told
     *     when Kafka does not know the offset, for the record was sent twice
     */
    @Override
    public void attach(ShardEvent.Attach attach, LongConsumer appended) {
        int shard = shardOf(attach.clientId());
        if (!GroupIdentifier.isGroup(attach.clientId())) {
            waitingAttaches.asked(shard);
        }
        appender.append(shard, attach, (offset, failure) -> {
            if (failure == null && offset >= 0) { // it fails when the node is closing
                appended.accept(offset);
            }
        });
    }

    /**
     * Tells that a connection ended.
     *
     * @param logged told when it is in the log, or never will be because the node is closing
     */
    @Override
    public void detach(ShardEvent.Detach detach, Runnable logged) {
        int shard = shardOf(detach.clientId());
        relays.ended(shard, detach.epoch());
        appender.append(shard, detach, (offset, failure) -> logged.run());
    }

    /** Appends a publisher's PUBREL; PUBCOMP waits for the callback. */
    @Override
    public void release(ShardEvent.Release release, AppendCallback callback) {
        appender.append(shardOf(release.clientId()), release, callback);
    }

    /**
     * Tells the owner that deliveries are done with: acknowledged with PUBACK, PUBCOMP or an error, or dropped. Makes
     * room in the window. Callers collect what one turn of their event loop brought.
     *
     * @param epoch the epoch of the connection
     */
    @Override
    public void settle(String clientId, long epoch, long[] sequences) {
        int shard = shardOf(clientId);
        if (!node.others().settle(shard, clientId, epoch, sequences)) {
            settledElsewhere(shard, clientId, epoch, sequences);
        }
    }

    /** Tells the owner of PUBRECs; {@code Endpoint.receivedLogged} follows when they are logged. */
    @Override
    public void received(String clientId, long epoch, long[] sequences) {
        int shard = shardOf(clientId);
        if (!node.others().received(shard, clientId, epoch, sequences)) {
            receivedElsewhere(shard, clientId, epoch, sequences);
        }
    }

    /** A connection has told this node that deliveries are done with, taking it for the owner of the shard. */
    public void settledElsewhere(int shard, String clientId, long epoch, long[] sequences) {
        ShardDriver driver = drivers.of(shard);
        ShardThread thread = drivers.threadOf(shard);
        thread.executeSoon(() -> driver.serve(service -> service.settle(clientId, epoch, sequences)));
        // Otherwise waking the thread would cost more than all else that an acknowledgement does.
        if (driver.isWaitingForRoom()) {
            thread.wake();
        }
    }

    /** Another node has told all acknowledgements of a connection that it knew of when it was asked. */
    public void allSettled(int shard, String clientId, long epoch) {
        drivers.tell(shard, 1, driver -> driver.serve(service -> service.allSettled(clientId, epoch)));
    }

    /** A connection has told this node of PUBRECs, taking it for the owner of the shard. */
    public void receivedElsewhere(int shard, String clientId, long epoch, long[] sequences) {
        ShardDriver driver = drivers.of(shard);
        drivers.threadOf(shard).execute(1, () -> driver.serve(service -> service.received(clientId, epoch, sequences)));
    }

    /**
     * Passes a message of QoS 0 for a persistent session on to the node of its connection, if this node owns the
     * session's shard and it has one. What comes faster than that is dropped, and counted.
     *
     * @param session the identity of the session; another session of the client gets nothing
     */
    public void qos0(int shard, String clientId, long session, QueueEntry.Queued message) {
        Runnable leave = waitingQos0.enter(message.message());
        if (leave == null) {
            node.recorder().dropped(ShardRecorder.Drop.OWNER_BUSY);
            return;
        }
        ShardDriver driver = drivers.of(shard);
        drivers.threadOf(shard).execute(1, () -> {
            leave.run();
            driver.ask(service -> service.qos0(clientId, session, message));
        });
    }

    private boolean take(int shard, String clientId, long session, QueueEntry.Queued message) {
        boolean isLive = drivers.isLive(shard);
        if (isLive) {
            qos0(shard, clientId, session, message);
        }
        return isLive;
    }

    /**
     * What the owner of a shard on another node says to connections of this node goes through here; one thread at a
     * time.
     */
    public OwnerTarget from(int shard, long ownerEpoch) {
        return connections.from(shard, ownerEpoch);
    }

    /** Another node can be reached, again or for the first time: owners here tell its connections everything. */
    public void reachable(String other) {
        drivers.tellAll(driver -> driver.reachable(other));
    }

    /** What the owner of a shard told another node may be lost: it tells its connections everything again. */
    public void reachable(int shard, String other) {
        drivers.tell(shard, driver -> driver.reachable(other));
    }

    /** Another node or incarnation is gone for good: owners here detach the sessions of its connections. */
    public void gone(String other) {
        for (int shard = 0; shard < drivers.count(); shard++) {
            ShardDriver driver = drivers.of(shard);
            drivers.threadOf(shard).execute(() -> driver.gone(other));
        }
    }

    /** Has the owner of a session tell its observer when the session is over; within a tenth of a second. */
    public void verify(String clientId, long session) {
        int shard = shardOf(clientId);
        ShardDriver driver = drivers.of(shard);
        drivers.threadOf(shard).executeSoon(() -> driver.ask(service -> service.verify(clientId, session)));
    }

    /**
     * Runs the action on a shard thread, if this node owns the shard of a session that has no connection, as far as the
     * log is folded.
     */
    public void ifAway(String clientId, long session, Runnable action) {
        drivers.tell(shardOf(clientId), driver -> driver.ask(service -> service.ifAway(clientId, session, action)));
    }

    /**
     * A client's session as the owner of its shard has it, as far as the log is folded; empty where there is none, and
     * where this node is not the owner. Completes on a shard thread, and never once this node is closed.
     */
    public CompletionStage<Optional<StoredSession>> look(String clientId) {
        CompletableFuture<Optional<StoredSession>> seen = new CompletableFuture<>();
        drivers.tell(shardOf(clientId), 1, driver -> {
            driver.ask(service -> seen.complete(service.look(clientId)));
            seen.complete(Optional.empty()); // does nothing where that was answered
        });
        return seen;
    }

    /**
     * The shards that are behind by half of the retention of their log, and take no message of a publisher:
     * {@link ShardLog#lagging}.
     */
    public Set<Integer> lagging() {
        return log.lagging();
    }

    /** Whether appends are waiting for room in the log. */
    @Override
    public boolean isCongested() {
        return appender.isCongested();
    }

    /** Runs the action once when {@link #isCongested} has become false; at once when it is. */
    @Override
    public void onRoom(Runnable action) {
        appender.onRoom(action);
    }

    /** How many persistent sessions a tenant has in this node's shards. */
    @Override
    public long sessions(String tenant) {
        return drivers.all()
                .mapToLong(driver -> driver.shares().sessions(tenant))
                .sum();
    }

    /** What tenants hold in this node's shards, for each of them. */
    public Stream<TenantShare> tenantShares() {
        return drivers.all().flatMap(driver -> driver.shares().all().stream());
    }

    /** How much memory messages between queues and connections take, in bytes. */
    public long deliveryBytes() {
        return drivers.deliveryBytes();
    }

    /** How much memory the wills of sessions take, in bytes. */
    public long willBytes() {
        return drivers.willBytes();
    }

    /** Figures of this node's shards, a few seconds old at most. */
    public ShardStats stats() {
        return drivers.stats();
    }

    /**
     * Closes the log, after what waits for room in it has found some, with which this node's shards become another's;
     * then ends the threads of the shards. The log has everything that the next owner needs. Blocks until done, for a
     * log that takes nothing no longer than a few seconds.
     */
    @Override
    public void close() {
        CountDownLatch room = new CountDownLatch(1);
        appender.onRoom(room::countDown);
        try {
            if (!room.await(CLOSE_PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("the log took no more events; how the last connections ended is not known at the next start");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        drivers.letGo(CLOSE_PATIENCE_SECONDS);
        log.close();
        drivers.stop();
    }

    /** The ways to this node and the others. */
    private final class AllNodes implements OwnerTarget.Directory {
        @Override
        public OwnerTarget of(String name, int shard, long ownerEpoch) {
            if (!name.equals(node.name())) {
                return node.others().of(name, shard, ownerEpoch, () -> reachable(shard, name));
            }
            node.others()
                    .ownedHere(shard, ownerEpoch, (client, session, message) -> take(shard, client, session, message));
            return connections.from(shard, ownerEpoch);
        }

        @Override
        public boolean isCurrent() {
            return node.others().isCurrent();
        }

        @Override
        public CompletionStage<@Nullable Void> caughtUp() {
            return node.others().caughtUp();
        }

        @Override
        public Collection<String> alive() {
            List<String> all = new ArrayList<>(node.others().alive());
            all.add(node.name());
            return all;
        }
    }
}
