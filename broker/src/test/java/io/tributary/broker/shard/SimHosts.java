package io.tributary.broker.shard;

import io.tributary.broker.delivery.Endpoint;
import io.tributary.broker.delivery.MemberReply;
import io.tributary.broker.delivery.NodeInbox;
import io.tributary.broker.delivery.NodeView;
import io.tributary.broker.fake.InMemoryReplicatedMap;
import io.tributary.broker.group.ApplicationGroups;
import io.tributary.broker.group.GroupHosts;
import io.tributary.broker.group.GroupRecorder;
import io.tributary.broker.group.GroupServices;
import io.tributary.broker.retained.RetainedLimits;
import io.tributary.broker.retained.RetainedMessages;
import io.tributary.broker.routing.MessagePriorities;
import io.tributary.broker.routing.PublishPolicy;
import io.tributary.broker.routing.RouteCallback;
import io.tributary.broker.routing.RouteOutcome;
import io.tributary.broker.routing.Router;
import io.tributary.broker.routing.RouterOutputs;
import io.tributary.broker.routing.RouterRecorder;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.subscription.Routes;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.subscription.SubscriptionLimits;
import io.tributary.broker.subscription.Subscriptions;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.mqtt.Message;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/** The part of a process that knows subscriptions, routes messages and hosts groups. */
final class SimHosts {
    private static final int TICK_MILLIS = 100;
    private static final int SECOND_MILLIS = 1000;

    final SimFront front;
    final Subscriptions subscriptions;
    final Router router;
    final ApplicationGroups groups;
    final SimThread thread;
    private final SimGroups world;
    private final List<SimMap.View> maps = new ArrayList<>();
    private final SimPeers peers;
    private long hostNumber;
    private long leavingSinceMillis = Long.MAX_VALUE;
    private boolean dead;

    /** One that has hosted the group, by its connection number. */
    record Host(String front, long number) {}

    SimHosts(SimGroups world, SimFront front) {
        this.world = world;
        this.front = front;
        thread = new SimThread(world.clock, 2);
        peers = new SimPeers(world, this);
        Routes routes = world.faults.contains(SimFault.CLUSTER)
                ? new Routes(view(world.routes), front.name(), RecordFormat.alone())
                : Routes.NONE;
        subscriptions = new Subscriptions(
                view(world.subscriptions),
                routes,
                new SubscriptionLimits(100, 100, 1 << 20, 1024, 1 << 30, 0),
                world.choice,
                _ -> 0,
                world.shards.log.shards(),
                front::shardOf);
        subscriptions.start().toCompletableFuture().join();
        router = router();
        GroupServices services = new GroupServices(
                front.name(),
                new Shards(),
                subscriptions,
                front.registry(),
                peers,
                this::publishKept,
                world.limits,
                GroupRecorder.NONE,
                this::nanos,
                () -> Instant.ofEpochMilli(front.clock.millis()));
        groups = new ApplicationGroups(
                new GroupHosts(front.registry(), GroupRecorder.NONE, new Ticking(), this::nanos), services);
        subscriptions.watch(this::verify);
        groups.start();
        tick();
    }

    private SimMap.View view(SimMap map) {
        SimMap.View view = map.view();
        maps.add(view);
        return view;
    }

    private Router router() {
        RetainedMessages retained = new RetainedMessages(
                new InMemoryReplicatedMap(), RetainedLimits.defaults(), InstantSource.system(), RecordFormat.alone());
        retained.start().toCompletableFuture().join();
        return new Router(
                front.name(),
                NodeView.STANDALONE,
                subscriptions,
                retained,
                new PublishPolicy(Authorizer.allowAll(), List.of(), 1 << 20),
                MessagePriorities.NONE,
                new RouterOutputs(
                        front.registry(),
                        NodeInbox.NONE,
                        (message, recipients, _, callback) -> front.publish(message, recipients, callback),
                        (_, _, _) -> {
                            throw new Violation("nobody publishes with QoS 2");
                        }),
                RouterRecorder.NONE);
    }

    private long nanos() {
        return front.clock.monotonicMillis() * 1_000_000;
    }

    /** The latest host of the group here. */
    Host host() {
        return new Host(front.name(), hostNumber);
    }

    /** What hands a message of the group to a member: the host here, or one elsewhere whose way it came. */
    Host hostOf(MemberReply reply) {
        return reply instanceof SimPeers.Answer answer ? answer.host() : host();
    }

    /** Whether a host of the group is here, or asks for the session. */
    boolean hasHost() {
        return front.registry().persistent(SimGroups.CLIENT) != null;
    }

    /** Whether a host that is here was told that it has the session. */
    boolean hasSession() {
        Endpoint host = front.registry().persistent(SimGroups.CLIENT);
        Subscriber session = subscriptions.sessionOf(SimGroups.GROUP);
        return host != null && session != null && host.has(session.identity());
    }

    /** Whether the group has a session that is online, as this process sees it. */
    boolean isHosted() {
        Subscriber session = subscriptions.sessionOf(SimGroups.GROUP);
        return session != null && subscriptions.isOnline(session);
    }

    boolean isDead() {
        return dead;
    }

    boolean isLeaving() {
        return leavingSinceMillis != Long.MAX_VALUE;
    }

    SimPeers peers() {
        return peers;
    }

    List<SimMap.View> maps() {
        return maps;
    }

    /** Goes on, with all its threads. */
    void heal() {
        thread.goOn();
        maps.forEach(view -> view.reading.goOn());
    }

    /** Gives the group up, and is gone when it has. */
    void leave() {
        leavingSinceMillis = world.clock.nowMillis();
        CompletableFuture<?> _ = groups.leave().thenRun(() -> front.after(100, () -> world.crash(front)));
    }

    /** Dies without a word. */
    void die() {
        dead = true;
        thread.die();
        maps.forEach(SimMap.View::die);
        peers.die();
    }

    /** What a node does about once a second. */
    private void tick() {
        if (!dead) {
            front.execute(() -> {
                subscriptions.sweep(world.shards::isDead, world.first() == this);
                subscriptions.repair(this::owns);
                groups.tick();
            });
            world.clock.after(SECOND_MILLIS, this::tick);
        }
    }

    /** The processes that own shards are others, but each of them has one that hosts. */
    private boolean owns(String clientId) {
        SimNode owner = world.shards.ownerOf(front.shardOf(clientId));
        return owner != null
                && world.shards.nodes().indexOf(owner) == world.shards.fronts().indexOf(front);
    }

    private void verify(Subscriber subscriber) {
        SimNode owner = world.shards.ownerOf(front.shardOf(subscriber.clientId()));
        if (owner != null && GroupIdentifier.isGroup(subscriber.clientId())) {
            ShardDriver driver = owner.driver(front.shardOf(subscriber.clientId()));
            owner.thread.execute(
                    () -> driver.ask(service -> service.verify(subscriber.clientId(), subscriber.identity())));
        }
    }

    private void publishKept(Message message, RouteCallback callback) {
        Host host = host();
        world.ledger.putAside(host, message);
        router.publishKept(message, outcome -> {
            if (outcome instanceof RouteOutcome.Safe) {
                world.ledger.kept(host, message);
            }
            callback.onRouted(outcome);
        });
    }

    /** The way of the hosts here to the owners of shards. */
    private final class Shards implements ConnectionShards {
        @Override
        public void attach(Attach attach, LongConsumer appended) {
            hostNumber = attach.connection();
            front.append(attach.clientId(), attach, (offset, failure) -> {
                if (failure == null) {
                    appended.accept(offset);
                }
            });
        }

        @Override
        public void detach(Detach detach, Runnable logged) {
            if (detach.sessionExpirySeconds() == 0) {
                world.ledger.ends(detach.epoch());
            } else if (world.clock.nowMillis() - leavingSinceMillis < SimGroups.PATIENCE_MILLIS) {
                world.ledger.leaves(host());
            }
            front.detach(detach);
            logged.run();
        }

        @Override
        public void settle(String clientId, long epoch, long[] sequences) {
            front.ask(
                    clientId,
                    (node, driver) -> node.thread.execute(
                            () -> driver.serve(service -> service.settle(clientId, epoch, sequences))));
        }

        @Override
        public boolean owns(String clientId) {
            return SimHosts.this.owns(clientId);
        }
    }

    /** The thread of the hosts. */
    private final class Ticking implements TickingThread {
        private final List<Runnable> ticks = new ArrayList<>();

        @Override
        public void start() {
            world.clock.after(TICK_MILLIS, this::tick);
        }

        private void tick() {
            if (!dead) {
                thread.execute(() -> List.copyOf(ticks).forEach(Runnable::run));
                world.clock.after(TICK_MILLIS, this::tick);
            }
        }

        @Override
        public void everyTick(Runnable tick) {
            thread.execute(() -> ticks.add(tick));
        }

        @Override
        public boolean isCaller() {
            return thread.isRunning();
        }

        @Override
        public void execute(Runnable task) {
            thread.execute(task);
        }

        @Override
        public void stop() {
            thread.die();
        }
    }
}
