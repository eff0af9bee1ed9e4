package io.tributary.broker.group;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.delivery.DeliveryTarget;
import io.tributary.broker.delivery.SessionTarget;
import io.tributary.broker.group.GroupRecorder.Drop;
import io.tributary.broker.shard.ShardThread;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.QueueEntry.Queued;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The hosts that this node has for shared subscriptions of applications, with connection numbers below zero. Stands before the
 * connections of the node: what owners say to a host's connection ends here, all else goes on to them. Any thread; never blocks.
 * What only {@link ApplicationGroups} calls is confined to its thread.
 */
public final class GroupHosts implements SessionTarget, DeliveryTarget {
    /** How many a node has at most. */
    static final int MOST = 10_000;

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int MOST_WAITING_QOS0 = 10_000;

    private final SessionTarget sessions;
    private final DeliveryTarget connections;
    private final GroupRecorder recorder;
    private final ShardThread thread = new ShardThread("tributary-groups");
    private final ConcurrentMap<Long, GroupHost> byConnection = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, GroupHost> byName = new ConcurrentHashMap<>();
    private final AtomicInteger waitingQos0 = new AtomicInteger();

    // Confined to the thread.
    private final Map<String, Long> notBeforeNanos = new HashMap<>();
    private long lastConnection;

    /**
     * Creates it, without a host.
     *
     * @param sessions the connections, as owners talk to them
     * @param connections the same, as the router hands them what no log has
     */
    public GroupHosts(SessionTarget sessions, DeliveryTarget connections, GroupRecorder recorder) {
        this.sessions = sessions;
        this.connections = connections;
        this.recorder = recorder;
    }

    /** The thread of all hosts, which {@link ApplicationGroups} starts and stops. */
    ShardThread thread() {
        return thread;
    }

    /** The host of a shared subscription, if it is here. */
    @Nullable
    GroupHost of(String name) {
        return byName.get(name);
    }

    Collection<GroupHost> all() {
        return byName.values();
    }

    /** Whether there are as many as there may be. */
    boolean isFull() {
        return byName.size() >= MOST;
    }

    /** Whether there may be one more; a node that has just lost a session does not take it back before it could know the new host. */
    boolean mayHost(String name) {
        Long notBefore = notBeforeNanos.get(name);
        return !isFull() && (notBefore == null || System.nanoTime() - notBefore >= 0);
    }

    /** Adds a host, which asks for its session. */
    void host(String name, GroupServices services) {
        GroupHost host = new GroupHost(name, --lastConnection, services, thread);
        byName.put(name, host);
        byConnection.put(lastConnection, host);
        host.open();
    }

    /** About once a second. */
    void tick(long nowNanos) {
        notBeforeNanos.values().removeIf(until -> nowNanos - until >= 0);
        byName.values().forEach(GroupHost::tick);
        byName.values().removeIf(GroupHost::isOver);
        byConnection.values().removeIf(GroupHost::isOver);
    }

    /** Gives all sessions up, for other nodes to take them. */
    void leave() {
        byName.values().forEach(GroupHost::leave);
        byName.clear();
    }

    private void lose(long connection, GroupHost host) {
        host.takenOver();
        byConnection.remove(connection, host);
        if (byName.remove(host.name(), host)) {
            notBeforeNanos.put(host.name(), System.nanoTime() + PATIENCE_NANOS);
        }
    }

    private void tell(long connection, Consumer<GroupHost> what) {
        thread.execute(() -> {
            GroupHost host = byConnection.get(connection);
            if (host != null) {
                what.accept(host);
            }
        });
    }

    @Override
    public void attached(long connection, Attached attached) {
        if (connection < 0) {
            tell(connection, host -> host.attached(attached));
        } else {
            sessions.attached(connection, attached);
        }
    }

    /** No client has a group's session, so it is never of the other kind. */
    @Override
    public void refused(long connection, ClientKind existing) {
        if (connection >= 0) {
            sessions.refused(connection, existing);
        }
    }

    @Override
    public void takenOver(long connection) {
        if (connection < 0) {
            tell(connection, host -> lose(connection, host));
        } else {
            sessions.takenOver(connection);
        }
    }

    @Override
    public void onlyTheseAttached(Predicate<String> clients, LongPredicate attached, long upTo) {
        sessions.onlyTheseAttached(clients, attached, upTo);
        byConnection.forEach((connection, host) -> {
            boolean isMeant = host.isAttachedUpTo(upTo) && clients.test(GroupIdentifier.of(host.name()));
            if (isMeant && !attached.test(connection)) {
                takenOver(connection);
            }
        });
    }

    @Override
    public void deliver(long connection, List<Delivery> deliveries) {
        if (connection < 0) {
            tell(connection, host -> host.deliver(deliveries));
        } else {
            sessions.deliver(connection, deliveries);
        }
    }

    /** A group's session has no QoS 2. */
    @Override
    public void received(long connection, long[] sequences) {
        if (connection >= 0) {
            sessions.received(connection, sequences);
        }
    }

    @Override
    public void deliverTransient(long connection, Queued message) {
        connections.deliverTransient(connection, message);
    }

    @Override
    public void deliverToMember(String clientId, long connection, Queued message) {
        connections.deliverToMember(clientId, connection, message);
    }

    @Override
    public boolean deliverQos0(String clientId, long session, Queued message) {
        if (!GroupIdentifier.isGroup(clientId)) {
            return connections.deliverQos0(clientId, session, message);
        }
        GroupHost host = byName.get(GroupIdentifier.groupOf(clientId));
        if (host == null || !host.has(session)) {
            return false;
        }
        if (waitingQos0.incrementAndGet() > MOST_WAITING_QOS0) {
            waitingQos0.decrementAndGet();
            recorder.dropped(Drop.BUSY);
        } else {
            thread.execute(() -> {
                waitingQos0.decrementAndGet();
                host.qos0(message);
            });
        }
        return true;
    }
}
