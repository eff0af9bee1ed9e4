package io.tributary.broker.shard;

import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.common.event.EventCodec;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.shard.AppendCallback;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/** The part of a process that holds clients' connections. */
final class SimFront {
    private final SimWorld world;
    private final String name;
    final SimProcessClock clock;
    private final SimThread loop;
    /** The way to the owners of shards, which may be slower than the log. */
    private final SimThread link;

    private final SimLog.View log;
    private final SimTopics.View topics;
    private final LogAppender appender;
    private final Relays relays;
    private final LocalConnections told;
    private final ConnectionRegistry registry = new ConnectionRegistry();
    private final TreeMap<Long, SimConnection> connections = new TreeMap<>();
    private long lastConnection;

    SimFront(SimWorld world, String name) {
        this.world = world;
        this.name = name;
        clock = world.processClock();
        loop = new SimThread(world.clock, 2);
        link = new SimThread(world.clock, 20);
        log = world.log.view();
        topics = world.topics.view();
        appender = new LogAppender(log, topics, Duration.ZERO, clock::millis, RecordFormat.alone());
        relays = new Relays(world.log.shards());
        told = new LocalConnections(registry, relays, appender::shardOf, world.log.shards());
    }

    String name() {
        return name;
    }

    ConnectionRegistry registry() {
        return registry;
    }

    int shardOf(String clientId) {
        return appender.shardOf(clientId);
    }

    Relays relays() {
        return relays;
    }

    Collection<SimConnection> connections() {
        return connections.values();
    }

    SimConnection connect(SimClient client, SimConnection.Connect connect) {
        if (world.fronts().stream()
                .flatMap(front -> front.connections.values().stream())
                .anyMatch(one -> one.client() == client)) {
            world.fault(); // the broker does not know yet that the last one has ended
        }
        SimConnection connection = new SimConnection(world, this, client, ++lastConnection, connect);
        connections.put(lastConnection, connection);
        registry.add(lastConnection, connection);
        append(client.name, connection.attach(), (offset, _) -> connection.appended(offset));
        return connection;
    }

    /** Somebody else connects with the client's identifier. */
    void intrude(SimClient client, boolean cleanStart, long expirySeconds) {
        SimStranger stranger = new SimStranger(this, client, ++lastConnection);
        registry.add(lastConnection, stranger);
        append(client.name, stranger.attach(cleanStart, expirySeconds), (offset, _) -> stranger.appended(offset));
    }

    /** Whether a session of the client's name, named by the offset of its first Attach, was begun by a stranger. */
    boolean isBegunByStranger(SimClient client, long session) {
        return world.log.records(world.shardOf(client)).stream()
                .filter(record -> record.offset() == session)
                .map(record -> EventCodec.decode(record.value()))
                .anyMatch(event -> event instanceof ShardEvent.Attach attach && SimStranger.is(attach));
    }

    void forget(SimConnection connection) {
        connections.remove(connection.number());
        registry.remove(connection.number(), connection);
    }

    /** A way of the owner of a shard to the connections. */
    OwnerTarget from(int shard, long ownerEpoch) {
        return told.from(shard, ownerEpoch);
    }

    /** Has something done in a while, in order. */
    void execute(Runnable what) {
        loop.execute(what);
    }

    /** Has something done later, if the process lives then. */
    void after(long millis, Runnable what) {
        world.clock.after(millis, () -> loop.execute(what));
    }

    void append(String clientId, ShardEvent event, AppendCallback callback) {
        appender.append(appender.shardOf(clientId), event, onLoop(callback));
    }

    void publish(Message message, List<Recipient> recipients, AppendCallback callback) {
        appender.publish(message, recipients, _ -> null, onLoop(callback));
    }

    void relay(ShardEvent.Relay relay, AppendCallback callback) {
        int shard = appender.shardOf(relay.clientId());
        relays.expect(shard, relay.epoch(), relay.packetId(), onLoop(callback));
        append(relay.clientId(), relay.to(appender.bounded(relay.destinations())), (offset, failure) -> {
            if (failure == null) {
                relays.appended(shard, relay.epoch(), relay.packetId(), offset);
            }
        });
    }

    void detach(ShardEvent.Detach detach) {
        relays.ended(appender.shardOf(detach.clientId()), detach.epoch());
        append(detach.clientId(), detach, (_, _) -> {});
    }

    /** Has the owner of a client's shard do something, if it has one and can be reached; otherwise that gets lost. */
    void ask(String clientId, BiConsumer<SimNode, ShardDriver> what) {
        int shard = appender.shardOf(clientId);
        SimNode owner = world.ownerOf(shard);
        if (owner != null) {
            tell(owner, () -> what.accept(owner, owner.driver(shard)));
        }
    }

    /** Has something done at an owner behind all that was asked for before, if it can be reached then. */
    void tell(SimNode owner, Runnable what) {
        link.execute(() -> {
            if (owner.reaches(this)) {
                what.run();
            }
        });
    }

    /** Does not reach the log for a while, and goes on with its clients. */
    void cutOff(long millis) {
        log.cutOff(millis);
    }

    /** Whether the log has everything that was appended. */
    boolean isLogged() {
        return log.isIdle() && !appender.isCongested();
    }

    void die() {
        loop.die();
        link.die();
        log.die();
        topics.die();
        List.copyOf(connections.values()).forEach(SimConnection::die);
        List.copyOf(connections.values()).forEach(this::forget);
    }

    private AppendCallback onLoop(AppendCallback callback) {
        return (offset, failure) -> loop.execute(() -> callback.onAppended(offset, failure));
    }
}
