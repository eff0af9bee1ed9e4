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
    private final Map<String, HostInbox> byName = new HashMap<>();
    /** Those that are not over, and a few that are. */
    private final Set<HostInbox> inboxes = new HashSet<>();
    /** Those that a SUBSCRIBE of a client brought about, by client. */
    private final Map<String, Set<HostInbox>> byClient = new HashMap<>();

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
        HostInbox inbox = byName.get(name);
        return inbox == null ? null : inbox.host;
    }

    List<GroupHost> all() {
        assert thread.isCaller();
        return byName.values().stream().map(inbox -> inbox.host).toList();
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
        Set<HostInbox> its = byClient.getOrDefault(clientId, Set.of());
        int most = Math.max(1, mostShared); // what it has from before is hosted in any case
        return its.size() < most
                || its.stream().filter(inbox -> !inbox.host.hasMembers()).count() < most;
    }

    /**
     * Adds a host, which asks for its session.
     *
     * @param clientId the member for which that is done; null when it is to end a session without members
     */
    void host(String name, @Nullable String clientId, GroupServices services) {
        assert thread.isCaller();
        long number = connections.nextNumber();
        HostInbox inbox = new HostInbox(number, clientId, new GroupHost(name, number, services, thread));
        byName.put(name, inbox);
        inboxes.add(inbox);
        if (clientId != null) {
            byClient.computeIfAbsent(clientId, _ -> new HashSet<>()).add(inbox);
        }
        connections.add(number, inbox);
        connections.addPersistent(inbox);
        inbox.host.open();
    }

    /** About once a second. */
    void tick(long nowNanos) {
        assert thread.isCaller();
        notBeforeNanos.values().removeIf(until -> nowNanos - until >= 0);
        all().forEach(GroupHost::tick);
        List.copyOf(inboxes).stream().filter(inbox -> inbox.host.isOver()).forEach(this::forget);
    }

    /** Gives all sessions up, for other nodes to take them. */
    void leave() {
        assert thread.isCaller();
        all().forEach(GroupHost::leave);
        byName.values().forEach(connections::removePersistent);
        byName.clear();
    }

    private void lose(HostInbox inbox) {
        assert thread.isCaller();
        inbox.host.leave();
        if (forget(inbox)) {
            notBeforeNanos.put(inbox.host.name(), nanos.getAsLong() + PATIENCE_NANOS);
        }
    }

    /** Gives whether it was the host of its shared subscription still. */
    private boolean forget(HostInbox inbox) {
        assert thread.isCaller();
        inboxes.remove(inbox);
        if (inbox.cause != null) {
            byClient.computeIfPresent(inbox.cause, (_, its) -> its.remove(inbox) && its.isEmpty() ? null : its);
        }
        connections.remove(inbox.number);
        return byName.remove(inbox.host.name(), inbox);
    }

    /** Where other threads find a host. Any thread. */
    private final class HostInbox implements Endpoint {
        private final long number;
        private final @Nullable String cause;
        private final GroupHost host;
        private final String clientId;

        private HostInbox(long number, @Nullable String cause, GroupHost host) {
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
                if (inboxes.contains(this)) {
                    what.run();
                }
            });
        }
    }
}
