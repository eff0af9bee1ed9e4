package io.tributary.broker.subscription;

import io.tributary.common.topic.TopicFilter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** All shared subscriptions, and which of their members are online. Finding takes no lock; changes take a short one. */
public final class SharedGroups {
    private final SharedStrategy strategy;
    private final ToIntFunction<Subscriber> inFlight;
    private final SubscriptionTrie<String, SharedGroup> trie = new SubscriptionTrie<>();
    private final ConcurrentMap<String, SharedGroup> byName = new ConcurrentHashMap<>();

    // Guarded by this.
    private final Map<Subscriber, Set<SharedGroup>> memberships = new HashMap<>();
    private final Map<Subscriber, Integer> connections = new HashMap<>();

    /**
     * Creates them, with no member yet.
     *
     * @param inFlight how many unacknowledged messages a session has; any thread, must not block; asked only by
     *     {@link SharedStrategy#LEAST_IN_FLIGHT}
     */
    public SharedGroups(SharedStrategy strategy, ToIntFunction<Subscriber> inFlight) {
        this.strategy = strategy;
        this.inFlight = inFlight;
    }

    /** Adds a member to the group of the filter or replaces its subscription; tells whether it is new. */
    synchronized boolean join(TopicFilter filter, Receiver member) {
        SharedGroup group = byName.computeIfAbsent(
                filter.toString(), name -> new SharedGroup(name, new MemberChoice(strategy, inFlight)));
        boolean isNew = group.put(member, isOnline(member.subscriber()));
        memberships
                .computeIfAbsent(member.subscriber(), subscriber -> HashSet.newHashSet(1))
                .add(group);
        trie.put(filter.filter(), group.name(), group);
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
        if (group.isEmpty()) {
            trie.remove(filter.filter(), group.name());
            byName.remove(group.name());
        }
        return true;
    }

    /** Counts a connection of a persistent session: during a takeover there may be two for a moment. */
    synchronized void online(Subscriber subscriber) {
        if (connections.merge(subscriber, 1, Integer::sum) == 1) {
            setOnline(subscriber, true);
        }
    }

    /** Counts a connection of a persistent session as gone. */
    synchronized void offline(Subscriber subscriber) {
        boolean wasOnline = connections.containsKey(subscriber);
        connections.computeIfPresent(subscriber, (session, count) -> count == 1 ? null : count - 1);
        if (wasOnline && !connections.containsKey(subscriber)) {
            setOnline(subscriber, false);
        }
    }

    /** Forgets the connections of a session that is over. */
    synchronized void forget(Subscriber subscriber) {
        if (connections.remove(subscriber) != null) {
            setOnline(subscriber, false);
        }
    }

    /** The groups whose filter matches a topic. */
    List<SharedGroup> match(String topic) {
        return trie.match(topic).stream()
                .flatMap(groups -> groups.values().stream())
                .toList();
    }

    /** The group that clients write in the given way, or null. */
    @Nullable
    SharedGroup find(String name) {
        return byName.get(name);
    }

    private boolean isOnline(Subscriber subscriber) {
        return !subscriber.persistent() || connections.containsKey(subscriber);
    }

    private void setOnline(Subscriber subscriber, boolean online) {
        for (SharedGroup group : memberships.getOrDefault(subscriber, Set.of())) {
            group.setOnline(subscriber, online);
        }
    }
}
