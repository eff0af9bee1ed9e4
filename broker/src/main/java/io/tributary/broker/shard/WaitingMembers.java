package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.SessionState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Sessions that are offline and have messages of shared subscriptions, until another member comes online. Costs time
 * with the number of shared subscriptions, not of sessions. Confined to the thread of the driver.
 */
final class WaitingMembers {
    private static final int MOST_AT_ONCE = 100;
    private static final long SHORTEST_DELAY_MILLIS = 1000;
    private static final long LONGEST_DELAY_MILLIS = 64_000;

    private final Map<String, Group> groups = new HashMap<>();
    private final Map<SessionState, Set<Group>> byClient = new HashMap<>();
    private final Set<SessionState> unknown = new LinkedHashSet<>();

    /** The sessions that have messages of one shared subscription. */
    private static final class Group {
        final String name;
        final Set<SessionState> clients = new LinkedHashSet<>();
        long delayMillis = SHORTEST_DELAY_MILLIS;
        long notBeforeMillis;

        Group(String name) {
            this.name = name;
        }
    }

    /** Adds a session whose waiting messages are not known; its turn comes soon. */
    void addUnknown(SessionState client) {
        unknown.add(client);
    }

    /** Adds a session that has a message of a shared subscription. */
    void add(SessionState client, String name) {
        Group group = groups.computeIfAbsent(name, Group::new);
        if (group.clients.add(client)) {
            byClient.computeIfAbsent(client, _ -> new HashSet<>()).add(group);
        }
    }

    /**
     * Adds a session whose messages of a shared subscription found no member: if a member is online, it may not have
     * them.
     */
    void addInVain(SessionState client, String name, long nowMillis) {
        add(client, name);
        Group group = groups.get(name);
        if (group != null) {
            group.notBeforeMillis = nowMillis + group.delayMillis;
            group.delayMillis = Math.min(2 * group.delayMillis, LONGEST_DELAY_MILLIS);
        }
    }

    /** A message of a shared subscription found a member. */
    void moved(String name) {
        Group group = groups.get(name);
        if (group != null) {
            group.notBeforeMillis = 0;
            group.delayMillis = SHORTEST_DELAY_MILLIS;
        }
    }

    /** Forgets a session. */
    void remove(SessionState client) {
        unknown.remove(client);
        Set<Group> of = byClient.remove(client);
        if (of != null) {
            for (Group group : of) {
                group.clients.remove(client);
                if (group.clients.isEmpty()) {
                    groups.remove(group.name);
                }
            }
        }
    }

    /** Some sessions whose turn it is; they stay until they are removed. */
    List<SessionState> ready(long nowMillis, Predicate<String> hasOnlineMember) {
        Set<SessionState> ready = new LinkedHashSet<>();
        take(unknown, ready);
        for (Group group : groups.values()) {
            if (ready.size() < MOST_AT_ONCE && nowMillis >= group.notBeforeMillis && hasOnlineMember.test(group.name)) {
                take(group.clients, ready);
            }
        }
        return new ArrayList<>(ready);
    }

    private static void take(Set<SessionState> from, Set<SessionState> ready) {
        Iterator<SessionState> next = from.iterator();
        while (ready.size() < MOST_AT_ONCE && next.hasNext()) {
            ready.add(next.next());
        }
    }
}
