package io.tributary.broker.subscription;

import io.tributary.broker.subscription.MemberList.Member;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A shared subscription, {@code $share/name/filter}: its members, of which one gets each message. Members change under
 * the lock of {@link SharedGroups}, each in the same time however many there are; choosing takes no lock but a short
 * one after a change.
 */
public final class SharedGroup {
    private static final Receiver[] NOBODY = new Receiver[0];

    private final String name;
    private final MemberChoice choice;
    private final boolean localFirst;
    private final Map<Subscriber, Member> members = new ConcurrentHashMap<>();
    private final MemberList here = new MemberList();
    private final MemberList elsewhere = new MemberList();
    private final MemberList stuck = new MemberList();
    private final MemberList offline = new MemberList();
    private volatile boolean hasOnline;
    /**
     * All members that are online, wherever, without those that are stuck; null when they have changed since they were
     * put together.
     */
    private volatile Receiver @Nullable [] online;
    /** How often members have changed: raised last, when the lists show it. */
    private volatile int changes;

    SharedGroup(String name, MemberChoice choice, boolean localFirst) {
        this.name = name;
        this.choice = choice;
        this.localFirst = localFirst;
    }

    /** The shared subscription as clients write it: {@code $share/name/filter}. */
    public String name() {
        return name;
    }

    /**
     * Chooses the member that gets a message. One that is stuck is chosen only when no other that is online can be, and
     * one that is offline only when no other can be at all; the message then waits for it.
     *
     * @param publisher who published it
     * @param accepts whether a member may have it
     * @return the member, or null when there is none that may have it
     */
    public @Nullable Receiver pick(String publisher, String topic, Predicate<Receiver> accepts) {
        int before = changes;
        Receiver picked = pickOnline(publisher, topic, accepts);
        if (picked == null) {
            picked = pickFrom(read(offline), publisher, topic, accepts);
        }
        // A member that has come, gone or been stuck meanwhile may have been in none of the lists when each was read.
        return picked != null || changes == before ? picked : pickFrom(everybody(), publisher, topic, accepts);
    }

    /**
     * Whether no member may have a message, offline members included. Not so when there is no member left: the message
     * is for whoever joins next.
     */
    public boolean isForNobody(Predicate<Receiver> accepts) {
        for (Member member : members.values()) {
            if (accepts.test(member.receiver())) {
                return false;
            }
        }
        Receiver[] all = everybody(); // at one moment, unlike those just seen
        return all.length > 0 && Arrays.stream(all).noneMatch(accepts);
    }

    /** Chooses as {@link #pick} does, but only a member that is online. */
    public @Nullable Receiver pickOnline(String publisher, String topic, Predicate<Receiver> accepts) {
        Receiver picked = pickFree(publisher, topic, accepts);
        return picked != null ? picked : pickFrom(read(stuck), publisher, topic, accepts);
    }

    private @Nullable Receiver pickFree(String publisher, String topic, Predicate<Receiver> accepts) {
        if (!localFirst) {
            return pickFrom(readOnline(), publisher, topic, accepts);
        }
        Receiver picked = pickHere(publisher, topic, accepts);
        return picked != null ? picked : pickFrom(read(elsewhere), publisher, topic, accepts);
    }

    /** Chooses as {@link #pick} does, but only a member that is connected to this node and not stuck. */
    public @Nullable Receiver pickHere(String publisher, String topic, Predicate<Receiver> accepts) {
        return pickFrom(read(here), publisher, topic, accepts);
    }

    /** Another number than before when members have changed, or how they can be reached. */
    public int changes() {
        return changes;
    }

    /** Whether a member is online, be it stuck. */
    public boolean hasOnlineMember() {
        return hasOnline;
    }

    /** Whether a member is connected to this node and not stuck. */
    public synchronized boolean hasMemberHere() {
        return !here.isEmpty();
    }

    /** A member that is connected to this node, not stuck, and such a one; null when there is none. */
    public @Nullable Receiver findHere(Predicate<Receiver> which) {
        for (Receiver member : read(here)) {
            if (which.test(member)) {
                return member;
            }
        }
        return null;
    }

    /**
     * Whether a member was offline, or none, at some time since the group had so many {@link #changes}.
     *
     * @param then no more than the group has had
     */
    public boolean hasComeSince(Subscriber subscriber, int then) {
        Member member = members.get(subscriber);
        return member == null || member.cameAt() - then > 0;
    }

    /** How many members are online, here or elsewhere, and not stuck. */
    public int onlineMembers() {
        return readOnline().length;
    }

    /** Whether any member that is online, here or elsewhere, and not stuck is such a one. */
    public boolean anyOnline(Predicate<Receiver> which) {
        for (Receiver member : readOnline()) {
            if (which.test(member)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a persistent session with the client identifier and identity is a member. */
    public boolean hasPersistentMember(String clientId, long identity) {
        return members.containsKey(new Subscriber(clientId, true, identity));
    }

    /**
     * Whether a transient session of this node, which another node has chosen without knowing its client, may have what
     * is published on a topic. What has just left may: nobody is there to get it.
     */
    public boolean mayReceive(String clientId, long connection, String topic) {
        Member member = members.get(new Subscriber(clientId, false, connection));
        return member == null || member.receiver().mayReceive(topic);
    }

    private @Nullable Receiver pickFrom(
            Receiver[] candidates, String publisher, String topic, Predicate<Receiver> accepts) {
        if (candidates.length == 0) {
            return null;
        }
        int first = choice.choose(candidates, publisher, topic);
        for (int i = 0; i < candidates.length; i++) {
            Receiver candidate = candidates[(first + i) % candidates.length];
            if (accepts.test(candidate)) {
                return candidate;
            }
        }
        return null;
    }

    /** Adds a member or replaces its subscription; tells whether it is new. */
    synchronized boolean put(Receiver receiver, Reach reach) {
        Member known = members.get(receiver.subscriber());
        if (known != null) {
            known.replace(receiver);
            moveTo(reach, known);
        } else {
            Member added = new Member(receiver, list(reach));
            added.comeAt(changes + 1);
            members.put(receiver.subscriber(), added);
        }
        changed();
        return known == null;
    }

    /** Removes a member; tells whether it was one. */
    synchronized boolean remove(Subscriber subscriber) {
        Member member = members.remove(subscriber);
        if (member != null) {
            member.remove();
            changed();
        }
        return member != null;
    }

    /** Notes how a member can be reached from now on. */
    synchronized void setReach(Subscriber subscriber, Reach reach) {
        Member member = members.get(subscriber);
        if (member != null) {
            moveTo(reach, member);
            changed();
        }
    }

    private synchronized void moveTo(Reach reach, Member member) {
        if (member.isIn(offline)) {
            member.comeAt(changes + 1);
        }
        member.moveTo(list(reach));
    }

    boolean isEmpty() {
        return members.isEmpty();
    }

    private synchronized void changed() {
        online = null;
        hasOnline = !here.isEmpty() || !elsewhere.isEmpty() || !stuck.isEmpty();
        changes++;
    }

    private MemberList list(Reach reach) {
        return switch (reach) {
            case HERE -> here;
            case ELSEWHERE -> elsewhere;
            case STUCK -> stuck;
            case OFFLINE -> offline;
        };
    }

    private synchronized Receiver[] everybody() {
        return members.values().stream().map(Member::receiver).toArray(Receiver[]::new);
    }

    private Receiver[] read(MemberList list) {
        Receiver[] copied = list.copied();
        if (copied != null) {
            return copied;
        }
        synchronized (this) {
            return list.copy();
        }
    }

    private Receiver[] readOnline() {
        if (!hasOnline) {
            return NOBODY;
        }
        Receiver[] all = online;
        return all != null ? all : putTogether();
    }

    private synchronized Receiver[] putTogether() {
        Receiver[] near = here.copy();
        Receiver[] far = elsewhere.copy();
        Receiver[] all = near;
        if (near.length == 0) {
            all = far;
        } else if (far.length > 0) {
            all = Arrays.copyOf(near, near.length + far.length);
            System.arraycopy(far, 0, all, near.length, far.length);
        }
        online = all;
        return all;
    }
}
