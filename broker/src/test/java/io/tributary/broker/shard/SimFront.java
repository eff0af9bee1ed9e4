package io.tributary.broker.shard;

import io.tributary.common.event.Recipient;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.shard.AppendCallback;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** A process that holds the clients' connections; it dies on its own never, but with all nodes. */
final class SimFront {
    private final SimWorld world;
    private final String name;
    private final SimThread loop;
    private final SimLog.View log;
    private final LogAppender appender;
    private final long[] latestOwner;
    private final TreeMap<Long, SimConnection> connections = new TreeMap<>();
    private long lastConnection;

    SimFront(SimWorld world, String name) {
        this.world = world;
        this.name = name;
        loop = new SimThread(world.clock, 2);
        log = world.log.view();
        appender = new LogAppender(log);
        latestOwner = new long[world.log.shards()];
    }

    String name() {
        return name;
    }

    Collection<SimConnection> connections() {
        return connections.values();
    }

    SimConnection connect(SimClient client, SimConnection.Connect connect) {
        if (connections.values().stream().anyMatch(one -> one.client() == client)) {
            world.fault(); // the broker does not know yet that the last one has ended
        }
        SimConnection connection = new SimConnection(world, this, client, ++lastConnection, connect);
        connections.put(lastConnection, connection);
        append(client.name, connection.attach(), (_, _) -> {});
        return connection;
    }

    void forget(SimConnection connection) {
        connections.remove(connection.number());
    }

    /** Tells a connection something in the name of a shard's owner. */
    void tell(int shard, long ownerEpoch, long connection, Consumer<SimConnection> what) {
        loop.execute(() -> {
            latestOwner[shard] = Math.max(latestOwner[shard], ownerEpoch);
            SimConnection to = connections.get(connection);
            if (to != null && ownerEpoch == latestOwner[shard]) {
                what.accept(to);
            }
        });
    }

    void append(String clientId, ShardEvent event, AppendCallback callback) {
        appender.append(appender.shardOf(clientId), event, onLoop(callback));
    }

    void publish(Message message, List<Recipient> recipients, AppendCallback callback) {
        appender.publish(message, recipients, _ -> null, onLoop(callback));
    }

    void relay(ShardEvent.Relay relay, AppendCallback callback) {
        AppendCallback answer = onLoop(callback);
        if (world.ownerOf(appender.shardOf(relay.clientId())) == null) {
            answer.onAppended(-1, new IllegalStateException("nobody owns the shard"));
        }
        ask(relay.clientId(), (node, driver) -> node.thread.execute(() -> driver.expectRelay(relay, answer)));
        append(relay.clientId(), relay, (_, _) -> {});
    }

    /** Has the owner of a client's shard do something, if it has one; what is asked of another one gets lost. */
    void ask(String clientId, BiConsumer<SimNode, ShardDriver> what) {
        int shard = appender.shardOf(clientId);
        SimNode owner = world.ownerOf(shard);
        if (owner != null) {
            what.accept(owner, owner.driver(shard));
        }
    }

    /** A node died: what waits for its answer is given up. */
    void nodeDied() {
        List.copyOf(connections.values()).forEach(SimConnection::giveUpRelays);
    }

    void die() {
        loop.die();
        log.die();
        List.copyOf(connections.values()).forEach(SimConnection::die);
    }

    private AppendCallback onLoop(AppendCallback callback) {
        return (offset, failure) -> loop.execute(() -> callback.onAppended(offset, failure));
    }
}
