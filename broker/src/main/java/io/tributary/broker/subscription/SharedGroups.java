package io.tributary.broker.subscription;

import io.tributary.common.topic.TopicFilter;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * All shared subscriptions, and which of their members are online, here or on other nodes. Finding takes no lock;
 * changes take a short one.
 */
public final class SharedGroups {
    private final SharedChoice choice;
    private final ToIntFunction<Subscriber> inFlight;
    private final Routes routes;
    private final SubscriptionTrie<String, SharedGroup> trie = new SubscriptionTrie<>();
    private final ConcurrentMap<String, SharedGroup> byName = new ConcurrentHashMap<>();

    private volatile Consumer<String> watcher = _ -> {};

    // Guarded by this.
    private final Map<Subscriber, Set<SharedGroup>> memberships = new HashMap<>();
    private final Map<Subscriber, Connections> connections = new HashMap<>();
    private final Set<Subscriber> membersHere = new HashSet<>();
    private final Set<Subscriber> stuckHere = new HashSet<>();

    // On the thread that looks.
    private Map<Subscriber, MemberProgress> looked = new HashMap<>();

    /**
     * Creates them, with no member yet.
     *
     * @param inFlight how many unacknowledged messages a session has, negative when it is not connected to this node;
     *     any thread, must not block; asked only by {@link SharedStrategy#LEAST_IN_FLIGHT}
     * @param routes how other nodes are told which persistent members are connected here
     */
    SharedGroups(SharedChoice choice, ToIntFunction<Subscriber> inFlight, Routes routes) {
        this.choice = choice;
        this.inFlight = inFlight;
        this.routes = routes;
    }

    /**
     * Sets the listener that is told of each shared subscription whose members have changed, or how they can be
     * reached; under a lock, so not to be blocked, and not to call back.
     */
    public void watch(Consumer<String> newWatcher) {
        watcher = newWatcher;
    }

    /** Whether one member alone gets all messages of a topic or publisher as long as it is there. */
    public boolean isSticky() {
        return switch (choice.strategy()) {
            case STICKY_BY_PUBLISHER, HASH_OF_TOPIC -> true;
            case ROUND_ROBIN, LEAST_IN_FLIGHT -> false;
        };
    }

    /** The names of all shared subscriptions that have members. */
    public Set<String> names() {
        return byName.keySet();
    }

    /** Whether a persistent session is connected, to this node or another. */
    public synchronized boolean isOnline(Subscriber subscriber) {
        return reach(subscriber) != Reach.OFFLINE;
    }

    /**
     * Whether one of the members is connected to another node whose name is before the given one in alphabetical order.
     */
    public synchronized boolean isOnlineBefore(String node, SharedGroup group) {
        return group.anyOnline(member -> {
            String elsewhere = nodeOf(member.subscriber());
            return elsewhere != null && elsewhere.compareTo(node) < 0;
        });
    }

    /** The first, by name, of the other nodes with a connection of a session; null when it is here, or nowhere. */
    public synchronized @Nullable String nodeOf(Subscriber subscriber) {
        Connections known = connections.get(subscriber);
        return known == null || known.reach() != Reach.ELSEWHERE ? null : Collections.min(known.elsewhere);
    }

    /**
     * Looks which members that are connected here are stuck: they have messages in flight and acknowledge none. Others
     * get their share meanwhile, unless the strategy binds a publisher or a topic to one member. About once a second,
     * by one thread.
     *
     * @param flowOf what a session has in flight in the lower half, and had before in the upper one; negative when it
     *     is not connected to this node
     */
    void look(ToLongFunction<Subscriber> flowOf) {
        if (isSticky()) {
            return;
        }
        Map<Subscriber, MemberProgress> looking = new HashMap<>();
        for (Subscriber member : membersHere()) {
            long flow = flowOf.applyAsLong(member);
            if (flow >= 0) {
                MemberProgress progress = looked.getOrDefault(member, new MemberProgress());
                looking.put(member, progress);
                setStuck(member, progress.look(flow));
            }
        }
        looked = looking;
    }

    private synchronized List<Subscriber> membersHere() {
        return List.copyOf(membersHere);
    }

    /** To be called when a subscriber has become a member or is none any more, or has come or gone. */
    private void noteHere(Subscriber subscriber) {
        if (memberships.containsKey(subscriber) && reach(subscriber) == Reach.HERE) {
            membersHere.add(subscriber);
        } else {
            membersHere.remove(subscriber);
        }
    }

    private synchronized void setStuck(Subscriber member, boolean isStuck) {
        if (membersHere.contains(member) && (isStuck ? stuckHere.add(member) : stuckHere.remove(member))) {
            CompletableFuture<?> _ = changed(member);
        }
    }

    /** Adds a member to the group of the filter or replaces its subscription; tells whether it is new. */
    synchronized boolean join(TopicFilter filter, Receiver member) {
        Subscriber subscriber = member.subscriber();
        SharedGroup group = byName.computeIfAbsent(
                filter.toString(),
                name -> new SharedGroup(name, new MemberChoice(choice.strategy(), inFlight), choice.localFirst()));
        boolean isNew = group.put(member, reachAsMember(subscriber));
        memberships.computeIfAbsent(subscriber, _ -> HashSet.newHashSet(1)).add(group);
        noteHere(subscriber);
        trie.put(filter.filter(), group.name(), group);
        CompletableFuture<?> _ = tellOrRetract(subscriber);
        watcher.accept(group.name());
        return isNew;
    }

    /** Removes a member from the group of the filter; tells whether it was one. The group goes with its last member. */
    synchronized boolean leave(TopicFilter filter, Subscriber subscriber) {
        SharedGroup group = byName.get(filter.toString());
        if (group == null || !group.remove(subscriber)) {
            return false;
        }
        memberships.computeIfPresent(subscriber, (member, groups) -> {
            groups.remove(group);
            return groups.isEmpty() ? null : groups;
        });
        noteHere(subscriber);
        if (!memberships.containsKey(subscriber)) {
            stuckHere.remove(subscriber);
        }
        if (group.isEmpty()) {
            trie.remove(filter.filter(), group.name());
            byName.remove(group.name());
        }
        CompletableFuture<?> _ = tellOrRetract(subscriber);
        watcher.accept(group.name());
        return true;
    }

    /** Counts a connection of a persistent session: during a takeover there may be two for a moment. */
    synchronized void online(Subscriber subscriber) {
        connections.computeIfAbsent(subscriber, _ -> new Connections()).here++;
        CompletableFuture<?> _ = changed(subscriber);
    }

    /**
     * Counts a connection of a persistent session as gone; completes when other nodes have been told, if they have to
     * be, and fails when that did not work yet.
     */
    synchronized CompletableFuture<@Nullable Void> offline(Subscriber subscriber) {
        Connections known = connections.get(subscriber);
        if (known == null || known.here == 0) {
            return CompletableFuture.completedFuture(null);
        }
        known.here--;
        stuckHere.remove(subscriber); // the connection that is left, if any, is looked at anew
        return changed(subscriber);
    }

    /**
     * A persistent session is connected to another node.
     *
     * @param isStuck whether it acknowledges nothing there
     */
    synchronized void online(Subscriber subscriber, String node, boolean isStuck) {
        connections.computeIfAbsent(subscriber, _ -> new Connections()).add(node, isStuck);
        CompletableFuture<?> _ = changed(subscriber);
    }

    /** A persistent session is not connected to another node any more. */
    synchronized void offline(Subscriber subscriber, String node) {
        Connections known = connections.get(subscriber);
        if (known != null) {
            known.remove(node);
            CompletableFuture<?> _ = changed(subscriber);
        }
    }

    /** Forgets the connections of a session that is over. */
    synchronized void forget(Subscriber subscriber) {
        Connections known = connections.get(subscriber);
        if (known != null) {
            known.here = 0;
            known.elsewhere = Set.of();
            known.stuckElsewhere = Set.of();
            stuckHere.remove(subscriber);
            CompletableFuture<?> _ = changed(subscriber);
        }
    }

    /** How many levels the tree of their filters has. */
    long levels() {
        return trie.levels();
    }

    /** The groups whose filter matches a topic. */
    List<SharedGroup> match(String topic) {
        return trie.match(topic).stream()
                .flatMap(groups -> groups.values().stream())
                .toList();
    }

    /** The group that clients write in the given way, or null. */
    public @Nullable SharedGroup find(String name) {
        return byName.get(name);
    }

    private CompletableFuture<@Nullable Void> changed(Subscriber subscriber) {
        noteHere(subscriber);
        CompletableFuture<@Nullable Void> told = tellOrRetract(subscriber);
        for (SharedGroup group : memberships.getOrDefault(subscriber, Set.of())) {
            group.setReach(subscriber, reachAsMember(subscriber));
            watcher.accept(group.name());
        }
        Connections known = connections.get(subscriber);
        if (known != null && known.reach() == Reach.OFFLINE) {
            connections.remove(subscriber);
        }
        return told;
    }

    private Reach reach(Subscriber subscriber) {
        if (!subscriber.persistent()) {
            return subscriber.node() == null ? Reach.HERE : Reach.ELSEWHERE;
        }
        Connections known = connections.get(subscriber);
        return known == null ? Reach.OFFLINE : known.reach();
    }

    private Reach reachAsMember(Subscriber subscriber) {
        Reach reach = reach(subscriber);
        Connections known = connections.get(subscriber);
        boolean isStuck = reach == Reach.HERE
                ? stuckHere.contains(subscriber)
                : reach == Reach.ELSEWHERE && known != null && known.stuckElsewhere.containsAll(known.elsewhere);
        return isStuck ? Reach.STUCK : reach;
    }

    /** Other nodes are to know of each persistent member that is connected here, as long as it is both. */
    private CompletableFuture<@Nullable Void> tellOrRetract(Subscriber subscriber) {
        CompletableFuture<@Nullable Void> retracted = CompletableFuture.completedFuture(null);
        Connections known = connections.get(subscriber);
        if (known == null) {
            return retracted;
        }
        boolean tell = known.here > 0 && memberships.containsKey(subscriber);
        boolean isStuck = stuckHere.contains(subscriber);
        if (tell && (!known.told || known.toldStuck != isStuck)) {
            routes.tellPresent(subscriber, isStuck, !known.told);
            known.toldStuck = isStuck;
        } else if (!tell && known.told) {
            retracted = routes.retractPresent(subscriber);
        }
        known.told = tell;
        return retracted;
    }

    /** The connections of one persistent session. */
    private static final class Connections {
        private int here;
        private boolean told;
        private boolean toldStuck;
        private Set<String> elsewhere = Set.of();
        private Set<String> stuckElsewhere = Set.of();

        void add(String node, boolean isStuck) {
            elsewhere = with(elsewhere, node);
            stuckElsewhere = isStuck ? with(stuckElsewhere, node) : without(stuckElsewhere, node);
        }

        void remove(String node) {
            elsewhere = without(elsewhere, node);
            stuckElsewhere = without(stuckElsewhere, node);
        }

        private static Set<String> with(Set<String> nodes, String node) {
            Set<String> more = new HashSet<>(nodes);
            more.add(node);
            return Set.copyOf(more);
        }

        private static Set<String> without(Set<String> nodes, String node) {
            Set<String> fewer = new HashSet<>(nodes);
            fewer.remove(node);
            return Set.copyOf(fewer);
        }

        Reach reach() {
            if (here > 0) {
                return Reach.HERE;
            }
            return elsewhere.isEmpty() ? Reach.OFFLINE : Reach.ELSEWHERE;
        }
    }
}
