package io.tributary.broker.subscription;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A shared subscription, {@code $share/name/filter}: its members, of which one gets each message. Choosing takes no lock;
 * members change under the lock of {@link SharedGroups}.
 */
public final class SharedGroup {
    private final String name;
    private final MemberChoice choice;
    private volatile Members members = new Members(List.of(), List.of());

    SharedGroup(String name, MemberChoice choice) {
        this.name = name;
        this.choice = choice;
    }

    /** The shared subscription as clients write it: {@code $share/name/filter}. */
    public String name() {
        return name;
    }

    /**
     * Chooses the member that gets a message. One that is offline is chosen only when no other can be; the message then
     * waits for it.
     *
     * @param publisher who published it
     * @param accepts whether a member may have it
     * @return the member, or null when there is none that may have it
     */
    public @Nullable Receiver pick(String publisher, String topic, Predicate<Receiver> accepts) {
        Members now = members;
        Receiver picked = pickFrom(now.online, publisher, topic, accepts);
        return picked != null ? picked : pickFrom(now.offline, publisher, topic, accepts);
    }

    /** Chooses as {@link #pick} does, but only a member that is online. */
    public @Nullable Receiver pickOnline(String publisher, String topic, Predicate<Receiver> accepts) {
        return pickFrom(members.online, publisher, topic, accepts);
    }

    /** Whether a member is online. */
    public boolean hasOnlineMember() {
        return !members.online.isEmpty();
    }

    /** Whether a persistent session with the client identifier and identity is a member. */
    public boolean hasPersistentMember(String clientId, long identity) {
        Subscriber subscriber = new Subscriber(clientId, true, identity);
        Members now = members;
        return find(now.online, subscriber) != null || find(now.offline, subscriber) != null;
    }

    private @Nullable Receiver pickFrom(
            List<Receiver> candidates, String publisher, String topic, Predicate<Receiver> accepts) {
        if (candidates.isEmpty()) {
            return null;
        }
        int first = choice.choose(candidates, publisher, topic);
        for (int i = 0; i < candidates.size(); i++) {
            Receiver candidate = candidates.get((first + i) % candidates.size());
            if (accepts.test(candidate)) {
                return candidate;
            }
        }
        return null;
    }

    /** Adds a member or replaces its subscription; tells whether it is new. */
    boolean put(Receiver member, boolean online) {
        Members before = members;
        members = before.without(member.subscriber()).with(member, online);
        return members.size() > before.size();
    }

    /** Removes a member; tells whether it was one. */
    boolean remove(Subscriber subscriber) {
        Members before = members;
        members = before.without(subscriber);
        return members.size() < before.size();
    }

    /** Notes that a member has a connection now, or has none. */
    void setOnline(Subscriber subscriber, boolean online) {
        Receiver member = find(online ? members.offline : members.online, subscriber);
        if (member != null) {
            members = members.without(subscriber).with(member, online);
        }
    }

    boolean isEmpty() {
        return members.size() == 0;
    }

    private static @Nullable Receiver find(List<Receiver> list, Subscriber subscriber) {
        for (Receiver receiver : list) {
            if (receiver.subscriber().equals(subscriber)) {
                return receiver;
            }
        }
        return null;
    }

    /** The members at one time; immutable. */
    private record Members(List<Receiver> online, List<Receiver> offline) {

        int size() {
            return online.size() + offline.size();
        }

        Members with(Receiver member, boolean isOnline) {
            return isOnline
                    ? new Members(append(online, member), offline)
                    : new Members(online, append(offline, member));
        }

        Members without(Subscriber subscriber) {
            return new Members(remove(online, subscriber), remove(offline, subscriber));
        }

        private static List<Receiver> append(List<Receiver> list, Receiver member) {
            List<Receiver> longer = new ArrayList<>(list.size() + 1);
            longer.addAll(list);
            longer.add(member);
            return List.copyOf(longer);
        }

        private static List<Receiver> remove(List<Receiver> list, Subscriber subscriber) {
            Receiver member = find(list, subscriber);
            if (member == null) {
                return list;
            }
            List<Receiver> shorter = new ArrayList<>(list);
            shorter.remove(member);
            return List.copyOf(shorter);
        }
    }
}
