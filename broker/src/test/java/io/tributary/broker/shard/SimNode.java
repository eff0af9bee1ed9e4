package io.tributary.broker.shard;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.delivery.DeliveryTarget;
import io.tributary.broker.delivery.SessionObserver;
import io.tributary.common.event.QueueEntry;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/** A process that owns shards: the drivers, on one thread, with the log and the store as this process sees them. */
final class SimNode {
    private static final int TICK_MILLIS = 100;

    final SimThread thread;
    final SimLog.View log;
    private final SimStore.View store;
    private final SimWorld world;
    private final List<ShardDriver> drivers = new ArrayList<>();
    private boolean dead;

    SimNode(SimWorld world) {
        this.world = world;
        thread = new SimThread(world.clock, 2);
        log = world.log.view();
        store = world.store.view();
        LogAppender appender = new LogAppender(log);
        for (int shard = 0; shard < world.log.shards(); shard++) {
            drivers.add(new ShardDriver(shard, environment(shard, appender), thread));
        }
        log.start(new Reader());
        world.clock.after(TICK_MILLIS, this::tick);
    }

    private ShardEnvironment environment(int shard, LogAppender appender) {
        String name = world.front.name();
        return new ShardEnvironment(
                world.config,
                name,
                other -> !other.equals(name),
                log,
                store,
                appender,
                new Target(shard),
                world.routing,
                new Observer(),
                world.clock::nowMillis,
                world.recorder,
                _ -> {});
    }

    ShardDriver driver(int shard) {
        return drivers.get(shard);
    }

    boolean isDead() {
        return dead;
    }

    /** Dies without a word. */
    void die() {
        dead = true;
        thread.die();
        log.die();
        store.die();
    }

    private void tick() {
        if (!dead) {
            drivers.forEach(driver -> thread.execute(driver::tick));
            world.clock.after(TICK_MILLIS, this::tick);
        }
    }

    private final class Reader implements ShardLog.Reader {
        @Override
        public void onAssigned(int shard) {
            thread.execute(drivers.get(shard)::assigned);
        }

        @Override
        public void onRevoked(int shard) {
            thread.execute(drivers.get(shard)::revoked);
        }

        @Override
        public void onRecords(int shard, long from, List<LogRecord> records) {
            thread.execute(() -> drivers.get(shard).records(from, records));
        }
    }

    private final class Observer implements SessionObserver {
        @Override
        public void sessionEnded(String clientId, long session) {
            world.routing.ended(clientId, session);
        }

        @Override
        public void shardLive(int shard, ToLongFunction<String> sessionOf) {}
    }

    /** The way to the connections, which refuse an owner that is older than one that they have heard of. */
    private final class Target implements DeliveryTarget {
        private final int shard;

        private Target(int shard) {
            this.shard = shard;
        }

        private void tell(long connection, Consumer<SimConnection> what) {
            world.front.tell(shard, drivers.get(shard).ownerEpoch(), connection, what);
        }

        @Override
        public void attached(long connection, Attached attached) {
            tell(connection, to -> to.attached(attached));
        }

        @Override
        public void takenOver(long connection) {
            tell(connection, SimConnection::takenOver);
        }

        @Override
        public void deliver(long connection, List<Delivery> deliveries) {
            tell(connection, to -> to.deliver(deliveries));
        }

        @Override
        public void received(long connection, long[] sequences) {
            tell(connection, to -> to.received(sequences));
        }

        @Override
        public void deliverTransient(long connection, QueueEntry.Queued message) {}

        @Override
        public boolean deliverQos0(String clientId, long session, QueueEntry.Queued message) {
            return false;
        }
    }
}
