package io.tributary.broker.group;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.delivery.Endpoint;
import io.tributary.broker.group.GroupRecorder.Drop;
import io.tributary.broker.shard.Qos0Backlog;
import io.tributary.broker.shard.TickingThread;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.thread.RoomQueue;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The hosts that this node has for shared subscriptions of applications, each an {@link Endpoint} among the connections
 * of the node. Confined to its thread; calls of owners and publishers to a host cross over to that thread.
 */
public final class GroupHosts {
    /** How many a node has at most. */
    static final int MOST = 10_000;

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final ConnectionRegistry connections;
    private final GroupRecorder recorder;
    private final TickingThread thread;
    private final LongSupplier nanos;
    private final Map<String, Door> byName = new HashMap<>();
    /** Those that are not over, and a few that are. */
    private final Set<Door> doors = new HashSet<>();
    /** Of those the ones that a client brought about. */
    private final Map<String, Set<Door>> byClient = new HashMap<>();

    private final Qos0Backlog waitingQos0 = new Qos0Backlog();
    private final Map<String, Long> notBeforeNanos = new HashMap<>();

    /**
     * Creates it, without a host.
     *
     * @param thread the thread of all hosts, which has nothing else to do; not started yet
     * @param nanos a clock for intervals
     */
    public GroupHosts(
            ConnectionRegistry connections, GroupRecorder recorder, TickingThread thread, LongSupplier nanos) {
        this.connections = connections;
        this.recorder = recorder;
        this.thread = thread;
        this.nanos = nanos;
    }

    /** The thread of all hosts, which {@link ApplicationGroups} starts and stops. */
    TickingThread thread() {
        return thread;
    }

    /** The host of a shared subscription, if it is here. */
    @Nullable
    GroupHost of(String name) {
        assert thread.isCaller();
        Door door = byName.get(name);
        return door == null ? null : door.host;
    }

    List<GroupHost> all() {
        assert thread.isCaller();
        return byName.values().stream().map(door -> door.host).toList();
    }

    /** Whether there are as many as there may be. */
    boolean isFull() {
        assert thread.isCaller();
        return byName.size() >= MOST;
    }

    /**
     * Whether there may be one more; a node that has just lost a session does not take it back before it could know the
     * new host.
     */
    boolean mayHost(String name) {
        assert thread.isCaller();
        Long notBefore = notBeforeNanos.get(name);
        return !isFull() && (notBefore == null || nanos.getAsLong() - notBefore >= 0);
    }

    /**
     * Whether a client may bring one more about: not while the most shared subscriptions that it may have are here that
     * it brought about and that have no members any more, or it could go on for ever by unsubscribing. Those that have
     * members do not count against it.
     */
    boolean hasRoomFor(String clientId, int mostShared) {
        assert thread.isCaller();
        Set<Door> its = byClient.getOrDefault(clientId, Set.of());
        int most = Math.max(1, mostShared); // what it has from before is hosted in any case
        return its.size() < most
                || its.stream().filter(door -> !door.host.hasMembers()).count() < most;
    }

    /**
     * Adds a host, which asks for its session.
     *
     * @param clientId the member for which that is done; null when it is to end a session without members
     */
    void host(String name, @Nullable String clientId, GroupServices services) {
        assert thread.isCaller();
        long number = connections.nextNumber();
        Door door = new Door(number, clientId, new GroupHost(name, number, services, thread));
        byName.put(name, door);
        doors.add(door);
        if (clientId != null) {
            byClient.computeIfAbsent(clientId, _ -> new HashSet<>()).add(door);
        }
        connections.add(number, door);
        connections.addPersistent(door);
        door.host.open();
    }

    /** About once a second. */
    void tick(long nowNanos) {
        assert thread.isCaller();
        notBeforeNanos.values().removeIf(until -> nowNanos - until >= 0);
        all().forEach(GroupHost::tick);
        List.copyOf(doors).stream().filter(door -> door.host.isOver()).forEach(this::forget);
    }

    /** Gives all sessions up, for other nodes to take them. */
    void leave() {
        assert thread.isCaller();
        all().forEach(GroupHost::leave);
        byName.values().forEach(connections::removePersistent);
        byName.clear();
    }

    private void lose(Door door) {
        assert thread.isCaller();
        door.host.takenOver();
        if (forget(door)) {
            notBeforeNanos.put(door.host.name(), nanos.getAsLong() + PATIENCE_NANOS);
        }
    }

    /** Gives whether it was the host of its shared subscription still. */
    private boolean forget(Door door) {
        assert thread.isCaller();
        doors.remove(door);
        if (door.cause != null) {
            byClient.computeIfPresent(door.cause, (_, its) -> its.remove(door) && its.isEmpty() ? null : its);
        }
        connections.remove(door.number);
        return byName.remove(door.host.name(), door);
    }

    /** Where other threads find a host. Any thread. */
    private final class Door implements Endpoint {
        private final long number;
        private final @Nullable String cause;
        private final GroupHost host;
        private final String clientId;

        private Door(long number, @Nullable String cause, GroupHost host) {
            this.number = number;
            this.cause = cause;
            this.host = host;
            clientId = GroupIdentifier.of(host.name());
        }

        @Override
        public String clientId() {
            return clientId;
        }

        @Override
        public void attached(Attached attached) {
            tell(() -> host.attached(attached));
        }

        @Override
        public void takenOver() {
            tell(() -> lose(this));
        }

        @Override
        public boolean isAttachedUpTo(long offset) {
            return host.isAttachedUpTo(offset);
        }

        @Override
        public boolean has(long session) {
            return host.has(session);
        }

        @Override
        public void deliver(List<Delivery> deliveries) {
            tell(() -> host.deliver(deliveries));
        }

        /** Not for {@link #tell}: what waits is counted. */
        @Override
        public @Nullable RoomQueue offer(Queued message) {
            Runnable leave = waitingQos0.enter(message.message());
            if (leave == null) {
                recorder.dropped(Drop.BUSY);
                return null;
            }
            thread.execute(() -> {
                leave.run();
                host.qos0(message);
            });
            return null;
        }

        private void tell(Runnable what) {
            thread.execute(() -> {
                if (doors.contains(this)) {
                    what.run();
                }
            });
        }
    }
}
