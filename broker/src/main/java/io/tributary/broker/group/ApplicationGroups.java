package io.tributary.broker.group;

import io.tributary.broker.shard.TickingThread;
import io.tributary.broker.subscription.Receiver;
import io.tributary.broker.subscription.SharedGroup;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.topic.TopicFilter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shared subscriptions of applications. The members of one have, besides their own sessions, a session together,
 * which is an application's like any other: it has the shared subscription, a topic of its own in which messages wait,
 * and a position. Its connection is a {@link GroupHost} on one of the nodes that have members, which hands the messages
 * out. Where two nodes want to be the host, the shard's order decides, as it does between two connections of a client.
 * Any thread; never blocks.
 */
public final class ApplicationGroups implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ApplicationGroups.class);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** How long other nodes leave it to the first one to host. */
    private static final long OTHERS_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long SHARE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int ORPHANS_EACH_TICKS = 60;

    private final GroupHosts hosts;
    private final GroupServices services;
    private final TickingThread thread;
    private volatile boolean started;

    // Confined to the thread.
    /** Since when this node has seen that no node hosts a group of its members. */
    private final Map<String, Long> unhostedSinceNanos = new HashMap<>();

    private final Map<String, List<Sharing>> sharing = new HashMap<>();
    private long ticks;
    private boolean closed;

    /** A SUBSCRIBE that waits until the session of a shared subscription is there. */
    private static final class Sharing {
        final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        final long sinceNanos;

        Sharing(long sinceNanos) {
            this.sinceNanos = sinceNanos;
        }
    }

    /** Creates them; nothing is hosted before {@link #start}. */
    public ApplicationGroups(GroupHosts hosts, GroupServices services) {
        this.hosts = hosts;
        this.services = services;
        thread = hosts.thread();
    }

    /** Begins to host; once, when subscriptions are loaded. */
    public void start() {
        started = true;
        thread.start();
        thread.everyTick(this::proceed);
        services.subscriptions().applications().watch(name -> thread.execute(() -> check(name)));
    }

    /**
     * A member has subscribed: completes when the session that it has together with others is there, so that nothing
     * that is published from then on passes the group by. Fails when the node is closing, hosts too many already, for
     * all or for the client, or it takes too long.
     *
     * @param filter the shared subscription
     */
    public CompletionStage<@Nullable Void> share(TopicFilter filter) {
        Sharing waits = new Sharing(now());
        thread.execute(() -> share(filter.toString(), waits));
        return waits.done;
    }

    /** Looks after the shared subscriptions; about once a second. */
    public void tick() {
        thread.execute(this::lookAfter);
    }

    /**
     * Gives all sessions up for other nodes to host, when members elsewhere have acknowledged what they have, or some
     * seconds have passed; nothing is hosted any more. Only after {@link #start}.
     *
     * @return completes when that is on its way
     */
    public CompletableFuture<@Nullable Void> leave() {
        CompletableFuture<@Nullable Void> left = new CompletableFuture<>();
        thread.execute(() -> {
            closed = true;
            long sinceNanos = now();
            hosts.all().forEach(GroupHost::stopHandingOut);
            sharing.values().forEach(waiting -> waiting.forEach(each -> fail(each, "the node is closing")));
            sharing.clear();
            thread.everyTick(() -> leaveIfIdle(sinceNanos, left));
            leaveIfIdle(sinceNanos, left);
        });
        return left;
    }

    /** Has left, as {@link #leave} says, or tried to for some seconds. Blocks until then. */
    @Override
    public void close() {
        if (!started) {
            return;
        }
        try {
            leave().get(2 * PATIENCE_NANOS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("the hosts of shared subscriptions have not left", e);
        }
        thread.stop();
    }

    private void leaveIfIdle(long sinceNanos, CompletableFuture<@Nullable Void> left) {
        boolean isLate = now() - sinceNanos > PATIENCE_NANOS;
        if (isLate || hosts.all().stream().allMatch(GroupHost::isIdle)) {
            hosts.leave();
            left.complete(null);
        }
    }

    private void share(String name, Sharing waits) {
        if (closed) {
            fail(waits, "the node is closing");
        } else if (hosts.of(name) == null && hosts.isFull()) {
            fail(waits, "this node hands out " + GroupHosts.MOST + " shared subscriptions of applications already");
        } else {
            sharing.computeIfAbsent(name, _ -> new ArrayList<>()).add(waits);
            proceed(name);
        }
    }

    private static void fail(Sharing waits, String why) {
        waits.done.completeExceptionally(new IllegalStateException(why));
    }

    private void proceed() {
        long now = now();
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
        List<Sharing> waiting = sharing.get(name);
        if (waiting == null) {
            return;
        }
        GroupHost here = hosts.of(name);
        if (here == null ? isHosted(name) : here.isReady()) {
            sharing.remove(name);
            waiting.forEach(each -> each.done.complete(null));
        } else if (here == null) {
            hostIfWanted(name);
        }
    }

    /** Members of a shared subscription have come or gone, or can be reached in another way. */
    private void check(String name) {
        GroupHost here = hosts.of(name);
        if (here != null) {
            here.changed();
        } else {
            hostIfWanted(name);
        }
    }

    /**
     * Of the nodes that have members the one whose name comes first does it at once, the others when it has not for a
     * while.
     */
    private void hostIfWanted(String name) {
        SharedGroup group = services.subscriptions().applications().find(name);
        if (group == null || !group.hasMemberHere() || isHosted(name)) {
            unhostedSinceNanos.remove(name);
            return;
        }
        long now = now();
        long sinceNanos = unhostedSinceNanos.computeIfAbsent(name, _ -> now);
        boolean isFirst = !services.subscriptions().applications().isOnlineBefore(services.node(), group);
        if ((isFirst || now - sinceNanos > OTHERS_NANOS) && mayHost(name)) {
            hostFor(name, group);
        }
    }

    private void hostFor(String name, SharedGroup group) {
        int most = services.limits().sharedPerClient();
        Receiver member = group.findHere(each -> each.subscriber().isInProcess()
                || hosts.hasRoomFor(each.subscriber().clientId(), most));
        if (member != null) {
            Subscriber first = member.subscriber();
            hosts.host(name, first.isInProcess() ? null : first.clientId(), services);
            return;
        }
        List<Sharing> refused = sharing.remove(name);
        if (refused != null) {
            refused.forEach(each -> fail(each, "the client left too many shared subscriptions within the last minute"));
        }
    }

    private void lookAfter() {
        if (closed) {
            return;
        }
        unhostedSinceNanos.keySet().removeIf(name -> hosts.of(name) != null || isHosted(name));
        hosts.tick(now());
        services.subscriptions().applications().names().forEach(this::check);
        if (++ticks % ORPHANS_EACH_TICKS == 0) {
            services.subscriptions().sharedNames().forEach(this::adopt);
        }
    }

    /** All members have gone while no node was host: a node has to end the session. */
    private void adopt(String name) {
        if (services.subscriptions().sessionOf(name) != null
                && services.subscriptions().applications().find(name) == null
                && services.shards().owns(GroupIdentifier.of(name))
                && hosts.of(name) == null
                && !isHosted(name)
                && mayHost(name)) {
            hosts.host(name, null, services);
        }
    }

    private boolean isHosted(String name) {
        Subscriber session = services.subscriptions().sessionOf(name);
        return session != null && services.subscriptions().isOnline(session);
    }

    private long now() {
        return services.nanos().getAsLong();
    }

    private boolean mayHost(String name) {
        return !closed && hosts.mayHost(name);
    }
}
