package io.tributary.broker.group;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.delivery.DeliveryTarget;
import io.tributary.broker.delivery.SessionTarget;
import io.tributary.broker.group.GroupRecorder.Drop;
import io.tributary.broker.shard.ShardThread;
import io.tributary.broker.subscription.SharedGroup;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.QueueKind;
import io.tributary.common.topic.TopicFilter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shared subscriptions of applications. The members of one have, besides their own sessions, a session together, which is an
 * application's like any other: it has the shared subscription, a topic of its own in which messages wait, and a position. Its
 * connection is a {@link GroupHost} on one of the nodes that have members, which hands the messages out. Where two nodes want to
 * be the host, the shard's order decides, as it does between two connections of a client.
 *
 * <p>Stands before the connections of the node: what owners say to a host's connection ends here, all else goes on to them. Any
 * thread; never blocks.
 */
public final class ApplicationGroups implements SessionTarget, DeliveryTarget, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ApplicationGroups.class);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** How long other nodes leave it to the first one to host. */
    private static final long OTHERS_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long SHARE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int MOST_HOSTED = 10_000;
    private static final int ORPHANS_EACH_TICKS = 60;
    private static final int MOST_WAITING_QOS0 = 10_000;

    private final SessionTarget sessions;
    private final DeliveryTarget connections;
    private final ShardThread thread = new ShardThread("tributary-groups");
    private final ConcurrentMap<Long, GroupHost> byConnection = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, GroupHost> hosts = new ConcurrentHashMap<>();
    private final AtomicInteger waitingQos0 = new AtomicInteger();

    private volatile @Nullable GroupServices services;

    // Confined to the thread.
    private final Map<String, Long> notBeforeNanos = new HashMap<>();
    /** Since when this node has seen that nobody hosts a group of its members. */
    private final Map<String, Long> unhostedSinceNanos = new HashMap<>();

    private final Map<String, List<Sharing>> sharing = new HashMap<>();
    private long lastConnection;
    private long ticks;
    private boolean closed;

    /** Somebody who waits until the session of a shared subscription is there. */
    private static final class Sharing {
        final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        final long sinceNanos = System.nanoTime();
    }

    /**
     * Creates them, before the connections that they stand before.
     *
     * @param sessions the connections, as owners talk to them
     * @param connections the same, as the router hands them what no log has
     */
    public ApplicationGroups(SessionTarget sessions, DeliveryTarget connections) {
        this.sessions = sessions;
        this.connections = connections;
    }

    /** Begins to host; once, when subscriptions are loaded. */
    public void start(GroupServices newServices) {
        services = newServices;
        thread.start();
        thread.everyTick(this::proceed);
        newServices.subscriptions().applications().watch(name -> thread.execute(() -> check(name)));
    }

    /**
     * A member has subscribed: completes when the session that it has together with others is there, so that nothing that is
     * published from then on passes the group by. Fails when the node is closing, hosts too many already, or it takes too long.
     *
     * @param filter the shared subscription
     */
    public CompletionStage<@Nullable Void> share(TopicFilter filter) {
        Sharing waits = new Sharing();
        thread.execute(() -> share(filter.toString(), waits));
        return waits.done;
    }

    /** Looks after the shared subscriptions; about once a second. */
    public void tick() {
        thread.execute(this::lookAfter);
    }

    /**
     * Gives all sessions up for other nodes to host, when members elsewhere have acknowledged what they have, or some seconds have
     * passed. Blocks until that is on its way.
     */
    @Override
    public void close() {
        if (services == null) {
            return; // never started
        }
        CompletableFuture<@Nullable Void> left = new CompletableFuture<>();
        thread.execute(() -> {
            closed = true;
            long sinceNanos = System.nanoTime();
            hosts.values().forEach(GroupHost::stopHandingOut);
            sharing.values().forEach(waiting -> waiting.forEach(each -> fail(each, "the node is closing")));
            sharing.clear();
            thread.everyTick(() -> leave(sinceNanos, left));
            leave(sinceNanos, left);
        });
        try {
            left.get(2 * PATIENCE_NANOS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("the hosts of shared subscriptions have not left", e);
        }
        thread.stop();
    }

    private void leave(long sinceNanos, CompletableFuture<@Nullable Void> left) {
        boolean isLate = System.nanoTime() - sinceNanos > PATIENCE_NANOS;
        if (isLate || hosts.values().stream().allMatch(GroupHost::isIdle)) {
            hosts.values().forEach(GroupHost::leave);
            hosts.clear();
            left.complete(null);
        }
    }

    private void share(String name, Sharing waits) {
        if (closed) {
            fail(waits, "the node is closing");
        } else if (!hosts.containsKey(name) && hosts.size() >= MOST_HOSTED) {
            fail(waits, "this node hands out " + MOST_HOSTED + " shared subscriptions of applications already");
        } else {
            sharing.computeIfAbsent(name, _ -> new ArrayList<>()).add(waits);
            proceed(name);
        }
    }

    private static void fail(Sharing waits, String why) {
        waits.done.completeExceptionally(new IllegalStateException(why));
    }

    private void proceed() {
        long now = System.nanoTime();
        sharing.values().removeIf(waiting -> {
            waiting.removeIf(each -> {
                boolean isLate = now - each.sinceNanos > SHARE_NANOS;
                if (isLate) {
                    fail(each, "the session of the shared subscription is not there in time");
                }
                return isLate;
            });
            return waiting.isEmpty();
        });
        List.copyOf(sharing.keySet()).forEach(this::proceed);
    }

    private void proceed(String name) {
        GroupServices with = services;
        List<Sharing> waiting = sharing.get(name);
        if (with == null || waiting == null) {
            return;
        }
        GroupHost here = hosts.get(name);
        if (here == null ? isHosted(with, name) : here.isReady()) {
            sharing.remove(name);
            waiting.forEach(each -> each.done.complete(null));
        } else if (here == null) {
            hostIfWanted(with, name);
        }
    }

    /** Members of a shared subscription have come or gone, or can be reached in another way. */
    private void check(String name) {
        GroupServices with = services;
        GroupHost here = hosts.get(name);
        if (here != null) {
            here.changed();
        } else if (with != null) {
            hostIfWanted(with, name);
        }
    }

    /** Of the nodes that have members the one whose name comes first does it at once, the others when it has not for a while. */
    private void hostIfWanted(GroupServices with, String name) {
        SharedGroup group = with.subscriptions().applications().find(name);
        if (group == null || !group.hasMemberHere() || isHosted(with, name)) {
            unhostedSinceNanos.remove(name);
            return;
        }
        long now = System.nanoTime();
        long sinceNanos = unhostedSinceNanos.computeIfAbsent(name, _ -> now);
        boolean isFirst = !with.subscriptions().applications().isOnlineBefore(with.node(), group);
        if ((isFirst || now - sinceNanos > OTHERS_NANOS) && mayHost(name)) {
            host(with, name);
        }
    }

    private void lookAfter() {
        GroupServices with = services;
        if (with == null || closed) {
            return;
        }
        long now = System.nanoTime();
        notBeforeNanos.values().removeIf(until -> now - until >= 0);
        unhostedSinceNanos.keySet().removeIf(name -> hosts.containsKey(name) || isHosted(with, name));
        hosts.values().forEach(GroupHost::tick);
        hosts.values().removeIf(GroupHost::isOver);
        byConnection.values().removeIf(GroupHost::isOver);
        with.subscriptions().applications().names().forEach(this::check);
        if (++ticks % ORPHANS_EACH_TICKS == 0) {
            with.subscriptions().sharedNames().forEach(name -> adopt(with, name));
        }
    }

    /** All members have gone while no node was host: somebody has to end the session. */
    private void adopt(GroupServices with, String name) {
        if (with.subscriptions().sessionOf(name) != null
                && with.subscriptions().applications().find(name) == null
                && with.shards().owns(GroupIdentifier.of(name))
                && !hosts.containsKey(name)
                && !isHosted(with, name)
                && mayHost(name)) {
            host(with, name);
        }
    }

    private static boolean isHosted(GroupServices with, String name) {
        Subscriber session = with.subscriptions().sessionOf(name);
        return session != null && with.subscriptions().isOnline(session);
    }

    /** Who has just lost a session does not take it back before it could know who has it. */
    private boolean mayHost(String name) {
        Long notBefore = notBeforeNanos.get(name);
        return !closed && hosts.size() < MOST_HOSTED && (notBefore == null || System.nanoTime() - notBefore >= 0);
    }

    private void host(GroupServices with, String name) {
        GroupHost host = new GroupHost(name, --lastConnection, with, thread);
        hosts.put(name, host);
        byConnection.put(lastConnection, host);
        host.open();
    }

    private void lose(long connection, GroupHost host) {
        host.takenOver();
        byConnection.remove(connection, host);
        if (hosts.remove(host.name(), host)) {
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
    public void refused(long connection, QueueKind existing) {
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
        GroupHost host = hosts.get(GroupIdentifier.groupOf(clientId));
        GroupServices with = services;
        if (host == null || !host.has(session) || with == null) {
            return false;
        }
        if (waitingQos0.incrementAndGet() > MOST_WAITING_QOS0) {
            waitingQos0.decrementAndGet();
            with.recorder().dropped(Drop.BUSY);
        } else {
            thread.execute(() -> {
                waitingQos0.decrementAndGet();
                host.qos0(message);
            });
        }
        return true;
    }
}
