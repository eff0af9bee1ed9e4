package io.tributary.broker.shard;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.delivery.SessionObserver;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.RecordFormat;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** A process that owns shards: the drivers, on one thread, with the log and the store as this process sees them. */
final class SimNode {
    private static final int TICK_MILLIS = 100;

    final SimThread thread;
    final SimLog.View log;
    final SimStore.View store;
    final SimProcessClock clock;
    private final SimTopics.View topics;
    private final LogAppender appender;
    private final SimWorld world;
    private final List<ShardDriver> drivers = new ArrayList<>();
    private final Map<String, Integer> generations = new HashMap<>();
    private final Set<String> broken = new HashSet<>();
    private boolean dead;

    SimNode(SimWorld world) {
        this.world = world;
        clock = world.processClock();
        thread = new SimThread(world.clock, 2);
        log = world.log.view();
        store = world.store.view();
        topics = world.topics.view();
        appender = new LogAppender(log, topics, Duration.ZERO, clock::millis, RecordFormat.alone());
        for (int shard = 0; shard < world.log.shards(); shard++) {
            drivers.add(new ShardDriver(shard, environment(), thread));
        }
        log.start(new Reader());
        world.clock.after(TICK_MILLIS, this::tick);
    }

    private ShardEnvironment environment() {
        return new ShardEnvironment(
                world.config,
                "owner",
                world::isDead,
                log,
                store,
                topics,
                appender,
                new Ways(),
                world.routing,
                new Observer(),
                new DeliveryMemory(world.config.deliveryBytes()),
                new DeliveryMemory(world.config.willBytes()),
                clock::monotonicMillis,
                clock::millis,
                world.recorder,
                _ -> {});
    }

    ShardDriver driver(int shard) {
        return drivers.get(shard);
    }

    boolean isDead() {
        return dead;
    }

    private int generationOf(String front) {
        return generations.getOrDefault(front, 0);
    }

    /** Whether the link to a process is up. */
    boolean reaches(SimFront front) {
        return !broken.contains(front.name());
    }

    /** The link to a process breaks: what is said from now on is lost. */
    void cut(SimFront front) {
        broken.add(front.name());
        generations.merge(front.name(), 1, Integer::sum);
    }

    /** There is a link again, and the drivers are told. */
    void mend(SimFront front) {
        if (broken.remove(front.name()) && !dead) {
            drivers.forEach(driver -> thread.execute(() -> driver.reachable(front.name())));
        }
    }

    /** A process is known to be gone for good. */
    void gone(String front) {
        drivers.forEach(driver -> thread.execute(() -> driver.gone(front)));
    }

    /** Whether the log has everything that was appended. */
    boolean isLogged() {
        return log.isIdle() && !appender.isCongested();
    }

    /** Dies without a word. */
    void die() {
        dead = true;
        thread.die();
        log.die();
        store.die();
        topics.die();
    }

    private void tick() {
        if (!dead) {
            drivers.forEach(driver -> thread.execute(driver::tick));
            world.clock.after(TICK_MILLIS, this::tick);
        }
    }

    private final class Reader implements ShardLog.Reader {
        @Override
        public void onExpected(int shard, Runnable ready) {
            thread.execute(() -> drivers.get(shard).expected(ready));
        }

        @Override
        public void onLeaving(int shard) {
            thread.execute(drivers.get(shard)::leaving);
        }

        @Override
        public void onAssigned(int shard) {
            thread.execute(drivers.get(shard)::assigned);
        }

        @Override
        public void onRevoked(int shard, Runnable released) {
            thread.execute(() -> drivers.get(shard).revoked(released));
        }

        @Override
        public void onWentBack(int shard, long at) {
            thread.execute(() -> drivers.get(shard).wentBack(at));
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
        public Iterator<Runnable> shardLive(int shard, long upTo, ToLongFunction<String> sessionOf) {
            return world.routing.shardLive(shard, upTo, sessionOf);
        }
    }

    /** The ways to the processes' connections. */
    private final class Ways implements OwnerTarget.Directory {
        @Override
        public OwnerTarget of(String front, int shard, long ownerEpoch) {
            return new NodeTarget(front, shard, ownerEpoch);
        }

        @Override
        public Collection<String> alive() {
            return world.fronts().stream().map(SimFront::name).toList();
        }
    }

    /** The way to a process's connections, until the link to it breaks. */
    private final class NodeTarget implements OwnerTarget {
        private final @Nullable SimFront front;
        private final @Nullable OwnerTarget target;
        private final int shard;
        private final int generation;

        private NodeTarget(String name, int shard, long ownerEpoch) {
            front = world.front(name).orElse(null);
            target = front == null ? null : front.from(shard, ownerEpoch);
            this.shard = shard;
            generation = broken.contains(name) ? -1 : generationOf(name);
        }

        private boolean tell(Consumer<OwnerTarget> what) {
            if (front == null || target == null || generation != generationOf(front.name())) {
                return false;
            }
            front.execute(() -> what.accept(target));
            return true;
        }

        @Override
        public void allAttached(long upTo) {
            tell(to -> to.allAttached(upTo));
        }

        @Override
        public boolean attachedLater(long connection) {
            tell(to -> {
                boolean _ = to.attachedLater(connection);
            });
            return true;
        }

        @Override
        public void attached(long connection, Attached attached) {
            tell(to -> to.attached(connection, attached));
        }

        @Override
        public void refused(long connection, AttachRefusal reason) {
            tell(to -> to.refused(connection, reason));
        }

        @Override
        public boolean takenOver(long connection) {
            return tell(to -> to.takenOver(connection));
        }

        /** Each front is another process, and has said before what its connections had told it. */
        @Override
        public boolean askForAllSettled(String clientId, long epoch) {
            SimFront asked = front;
            if (asked == null || generation != generationOf(asked.name())) {
                return false;
            }
            tell(_ -> asked.tell(
                    SimNode.this,
                    () -> thread.execute(
                            () -> drivers.get(shard).serve(service -> service.allSettled(clientId, epoch)))));
            return true;
        }

        @Override
        public void deliver(long connection, List<Delivery> deliveries) {
            world.ledger.handed(deliveries);
            tell(to -> to.deliver(connection, deliveries));
        }

        @Override
        public void receivedLogged(long connection, long[] sequences) {
            tell(to -> to.receivedLogged(connection, sequences));
        }

        @Override
        public void relayed(long epoch, int packetId) {
            tell(to -> to.relayed(epoch, packetId));
        }

        @Override
        public void qos0(String clientId, long session, QueueEntry.Queued message) {
            tell(to -> to.qos0(clientId, session, message));
        }
    }
}
