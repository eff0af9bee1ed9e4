package io.tributary.broker.shard;

import io.tributary.broker.delivery.MemberReply;
import io.tributary.broker.shard.SimHosts.Host;
import io.tributary.common.mqtt.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * What happened to a group in a history, as its members and publishers see it. Judges as it goes.
 *
 * <p>The group lives from when a first member was told that it is one until a minute after the last one has left; a
 * member that comes then begins the group's next life.
 */
final class GroupLedger {
    static final long EMPTY_MILLIS = 60_000;

    private final SimGroups world;
    private final List<Promise> promises;
    private final Map<Integer, Published> published = new TreeMap<>();
    private final List<Hold> holds = new ArrayList<>();
    private final Map<Attempts, Integer> left = new HashMap<>();
    private final Set<String> members = new HashSet<>();
    private int life;
    private long leftMillis = Long.MIN_VALUE / 2;

    /** What is known of one message. */
    static final class Published {
        final int id;
        /** The life of the group that it was published in; 0 when there was no group. */
        final int life;

        boolean isAcknowledged;
        /** Whether a member has acknowledged it, or it is a dead letter that somebody keeps. */
        boolean isDone;

        Published(int id, int life) {
            this.id = id;
            this.life = life;
        }
    }

    /** A message that a member has been handed and neither acknowledged nor given back. */
    static final class Hold {
        final int id;
        final SimMember.Connection member;
        final Host host;
        /** Whether the host cannot know that the member has it, for the link between them broke. */
        boolean isForgotten;

        Hold(int id, SimMember.Connection member, Host host) {
            this.id = id;
            this.member = member;
            this.host = host;
        }
    }

    /** What a host has tried with a message. */
    private record Attempts(Host host, int id) {}

    /** Something that is promised, and watched while a history goes on. */
    interface Promise {
        /** A host hands a message to a member. */
        default void handed(SimGroups world, Hold hold) {}

        /** A host leaves, for another one to go on. */
        default void leaves(SimGroups world, Host host) {}

        /** A host publishes a message as a dead letter that members have left so often. */
        default void putAside(Host host, int id, int left, int mostDeliveries) {}

        /** Somebody keeps a dead letter. */
        default void kept(Host host, int id) {}

        /** The host that has the session by this connection ends it. */
        default void ends(SimGroups world, long epoch) {}

        /** A second is over. */
        default void second(SimGroups world) {}

        /** Everything is delivered, and members are there. */
        default void settled(SimGroups world) {}

        /** All members have left, and the group has ended. */
        default void ended(SimGroups world) {}
    }

    GroupLedger(SimGroups world, List<Promise> promises) {
        this.world = world;
        this.promises = promises;
    }

    /** A member was told that it is one. */
    void joined(String member) {
        if (!lives()) {
            life++;
        }
        members.add(member);
    }

    /** A member does not want to be one any more. */
    void left(String member) {
        if (members.remove(member)) {
            leftMillis = world.clock.nowMillis();
        }
    }

    /** Whether there are members, or were less than a minute ago. */
    boolean lives() {
        return !members.isEmpty() || world.clock.nowMillis() - leftMillis <= EMPTY_MILLIS;
    }

    /** When the group may end, for it has no members; otherwise a moment that is past. */
    long endsMillis() {
        return members.isEmpty() ? leftMillis + EMPTY_MILLIS : 0;
    }

    void published(Message message) {
        int id = Ledger.idOf(message);
        published.put(id, new Published(id, lives() ? life : 0));
    }

    void acknowledged(Message message) {
        of(message).isAcknowledged = true;
    }

    private Published of(Message message) {
        return Objects.requireNonNull(published.get(Ledger.idOf(message)));
    }

    /** What publishers were acknowledged in the group's present life, and is not done with. */
    List<Integer> missing() {
        return published.values().stream()
                .filter(one -> one.isAcknowledged && !one.isDone && one.life == life && life > 0)
                .map(one -> one.id)
                .toList();
    }

    /** Who has which message, as far as processes are alive and connections open. */
    List<Hold> holds() {
        holds.removeIf(hold -> hold.member.at.isDead());
        return holds;
    }

    void handed(SimMember.Connection member, Host host, Message message) {
        Hold hold = new Hold(Ledger.idOf(message), member, host);
        promises.forEach(promise -> promise.handed(world, hold));
        holds.add(hold);
    }

    void givenBack(SimMember.Connection member, Message message) {
        holds.removeIf(hold -> hold.member == member && hold.id == Ledger.idOf(message));
    }

    void done(SimMember.Connection member, Message message) {
        givenBack(member, message);
        of(message).isDone = true;
    }

    /** The link between two processes broke. */
    void cut(String one, String other) {
        for (Hold hold : holds) {
            String host = hold.host.front();
            String member = hold.member.at.front.name();
            hold.isForgotten |=
                    (host.equals(one) && member.equals(other)) || (host.equals(other) && member.equals(one));
        }
    }

    /** A reply that counts how often members that may have been sent a message have left it to its host. */
    MemberReply counting(Host host, Message message, MemberReply reply) {
        return new MemberReply() {
            @Override
            public void done() {
                reply.done();
            }

            @Override
            public void returned(boolean maybeSent) {
                left.merge(new Attempts(host, Ledger.idOf(message)), maybeSent ? 1 : 0, Integer::sum);
                reply.returned(maybeSent);
            }
        };
    }

    void leaves(Host host) {
        promises.forEach(promise -> promise.leaves(world, host));
    }

    void putAside(Host host, Message message) {
        int id = Ledger.idOf(message);
        int times = left.entrySet().stream() // a host that has lost the session may be the one that does it
                .filter(each ->
                        each.getKey().id == id && each.getKey().host.front().equals(host.front()))
                .mapToInt(Map.Entry::getValue)
                .max()
                .orElse(0);
        promises.forEach(promise -> promise.putAside(host, id, times, world.limits.deliveries()));
    }

    void kept(Host host, Message message) {
        of(message).isDone = true;
        promises.forEach(promise -> promise.kept(host, Ledger.idOf(message)));
    }

    void ends(long epoch) {
        promises.forEach(promise -> promise.ends(world, epoch));
    }

    void second() {
        promises.forEach(promise -> promise.second(world));
    }

    void settled() {
        promises.forEach(promise -> promise.settled(world));
    }

    void ended() {
        promises.forEach(promise -> promise.ended(world));
    }
}
