package io.tributary.broker.subscription;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some members of a shared subscription, in no order. Adding and removing take the same time however many there are.
 * Changes are made under the group's lock; a choice reads a copy, which is made at the first choice after a change.
 */
final class MemberList {
    // Guarded by the group.
    private final List<Member> members = new ArrayList<>();
    private final List<Receiver> receivers = new ArrayList<>();

    private volatile Receiver @Nullable [] copy;

    /** A member of the group, and where in which list it is. */
    static final class Member {
        private volatile Receiver receiver;
        private MemberList list;
        private int index;
        /** Which of the group's changes it was that brought it online. */
        private volatile int cameAt;

        Member(Receiver receiver, MemberList list) {
            this.receiver = receiver;
            this.list = list;
            list.add(this);
        }

        Receiver receiver() {
            return receiver;
        }

        void replace(Receiver newReceiver) {
            receiver = newReceiver;
            list.receivers.set(index, newReceiver);
            list.copy = null;
        }

        void moveTo(MemberList other) {
            if (other != list) {
                list.remove(this);
                list = other;
                other.add(this);
            }
        }

        void remove() {
            list.remove(this);
        }

        boolean isIn(MemberList one) {
            return list == one;
        }

        int cameAt() {
            return cameAt;
        }

        void comeAt(int change) {
            cameAt = change;
        }
    }

    boolean isEmpty() {
        return members.isEmpty();
    }

    /** The members as they were copied last; null when they have changed since. Any thread. */
    Receiver @Nullable [] copied() {
        return copy;
    }

    /** The members, copied now if they have changed since. Not to be written to. */
    Receiver[] copy() {
        Receiver[] known = copy;
        if (known == null) {
            known = receivers.toArray(Receiver[]::new);
            copy = known;
        }
        return known;
    }

    private void add(Member member) {
        member.index = members.size();
        members.add(member);
        receivers.add(member.receiver);
        copy = null;
    }

    /** The last one takes the place. */
    private void remove(Member member) {
        Member last = members.removeLast();
        Receiver lastReceiver = receivers.removeLast();
        if (last != member) {
            members.set(member.index, last);
            receivers.set(member.index, lastReceiver);
            last.index = member.index;
        }
        copy = null;
    }
}
