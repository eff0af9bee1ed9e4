package io.tributary.broker.group;

import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.delivery.MemberReply;
import io.tributary.broker.group.GroupRecorder.Drop;
import io.tributary.broker.subscription.Receiver;
import io.tributary.broker.subscription.SharedGroup;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.mqtt.Message;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Hands the messages of a shared subscription's session to its members: each, in order, to a member that is online, may
 * receive the message and has room, and to another member when the first gives it back. A message that is done with is
 * settled in the session.
 *
 * <p>Memory is bounded by the session's window. Confined to the thread of {@link ApplicationGroups}.
 */
final class MemberDispatch {
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** The rules of what members may have can change without a word. */
    private static final long ASK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** So often it is asked in one turn whether a member may have a message: other groups wait meanwhile. */
    private static final int MOST_QUESTIONS = 10_000;

    private final String name;
    private final GroupServices services;
    private final GroupSession session;
    private final DeadLetters deadLetters;
    private final Executor thread;
    private final boolean sticky;

    private long takenUpTo;
    private boolean dispatching;
    /** What all members have. */
    private int handedMessages;

    private long handedBytes;

    /** Messages that were taken from the session and are not acknowledged. */
    private final TreeMap<Long, InHand> messages = new TreeMap<>();

    /** Those of {@link #messages} that a member is to get. */
    private final TreeSet<Long> waiting = new TreeSet<>();

    private final Map<Subscriber, Member> members = new HashMap<>();

    /** Topics of which nobody online may have messages, as of {@link #askedNanos}. */
    private final Set<String> refused = new HashSet<>();

    private @Nullable SharedGroup askedGroup;
    private int askedChanges;
    private long askedNanos;
    /** The message with which the next turn goes on, when the last one asked too much. */
    private long goOnAt = Long.MIN_VALUE;
    /** Members for which a message waits that a turn before has passed by: what is behind it is not for them before. */
    private final Set<Subscriber> passedBy = new HashSet<>();
    /** Whether a member has got room since the turn that began with the first message. */
    private boolean hasMadeRoom;

    /** A message. */
    private static final class InHand {
        final Queued queued;
        boolean dup;
        int attempt;
        /** How often a member that may have been sent it has left it. */
        int left;

        @Nullable
        Member member;

        /** The last member that has left it and may have been sent it, as far as is known. */
        @Nullable
        Subscriber leftBy;

        InHand(Queued queued, boolean dup) {
            this.queued = queued;
            this.dup = dup;
        }
    }

    /** A member that has messages, or has just given some back. */
    private static final class Member {
        final Subscriber subscriber;
        int messages;
        long bytes;
        long pausedUntilNanos;
        long hadRoomNanos;

        /**
         * @param nowNanos the time of the turn that it gets its first message in, so that it can get more in that turn
         */
        Member(Subscriber subscriber, long nowNanos) {
            this.subscriber = subscriber;
            pausedUntilNanos = nowNanos;
            hadRoomNanos = nowNanos;
        }
    }

    MemberDispatch(
            String name, GroupServices services, GroupSession session, DeadLetters deadLetters, Executor thread) {
        this.name = name;
        this.services = services;
        this.session = session;
        this.deadLetters = deadLetters;
        this.thread = thread;
        sticky = services.subscriptions().applications().isSticky();
        askedNanos = now();
    }

    /** Whether no member has a message, and none is on its way as a dead letter. */
    boolean isIdle() {
        return waiting.size() == messages.size();
    }

    /** Takes messages of the session; of those that are acknowledged already the new owner does not know. */
    void deliver(List<Delivery> deliveries) {
        for (Delivery delivery : deliveries) {
            long sequence = delivery.sequence();
            if (sequence > takenUpTo && delivery.entry() instanceof Queued queued) {
                takenUpTo = sequence;
                messages.put(sequence, new InHand(queued, delivery.dup()));
                waiting.add(sequence);
            } else if (!messages.containsKey(sequence)) {
                settle(sequence);
            }
        }
        dispatchSoon();
    }

    /** Takes a message of QoS 0. */
    void qos0(Queued queued) {
        SharedGroup group = services.subscriptions().applications().find(name);
        Receiver member =
                group == null ? null : group.pickOnline(publisher(queued), topic(queued), each -> may(each, queued));
        if (member == null || !deliverQos0(member.subscriber(), copy(queued, member))) {
            services.recorder().dropped(Drop.OFFLINE);
        }
    }

    private boolean deliverQos0(Subscriber to, Queued copy) {
        return services.connections().deliverQos0(to.clientId(), to.identity(), copy)
                || services.nodes().deliverQos0(to.clientId(), to.identity(), copy);
    }

    /** Once a second: tries messages again for which no member had room. */
    void tick() {
        long now = now();
        members.values().removeIf(member -> member.messages == 0 && now - member.pausedUntilNanos >= 0);
        dispatchSoon();
    }

    /** Hands out what there is, once for all that has happened before its turn. */
    void dispatchSoon() {
        if (!dispatching) {
            dispatching = true;
            thread.execute(() -> {
                dispatching = false;
                dispatch();
                session.tellSettled();
            });
        }
    }

    private void dispatch() {
        SharedGroup group = services.subscriptions().applications().find(name);
        if (group == null || !session.isOpen()) {
            return;
        }
        boolean isFirst = goOnAt == Long.MIN_VALUE || group != askedGroup;
        if (isFirst) {
            begin(group);
        }
        handOut(new Choice(group));
        boolean mayBePassedBy = (!isFirst && hasMadeRoom) || haveMembersChanged(group);
        if (goOnAt == Long.MIN_VALUE && mayBePassedBy) {
            dispatchSoon();
        }
    }

    /** Members may have come that may have what others may not. */
    private void begin(SharedGroup group) {
        goOnAt = Long.MIN_VALUE;
        passedBy.clear();
        hasMadeRoom = false;
        long now = now();
        if (haveMembersChanged(group) || now - askedNanos >= ASK_AGAIN_NANOS) {
            askedGroup = group;
            askedChanges = group.changes();
            askedNanos = now;
            refused.clear();
        }
    }

    /** A group whose last member has gone is another one when the next member comes. */
    private boolean haveMembersChanged(SharedGroup group) {
        return group != askedGroup || group.changes() != askedChanges;
    }

    private void handOut(Choice choice) {
        Iterator<Long> each = waiting.tailSet(goOnAt).iterator();
        goOnAt = Long.MIN_VALUE;
        while (each.hasNext()) {
            long sequence = each.next();
            InHand message = Objects.requireNonNull(messages.get(sequence));
            if (refused.contains(topic(message.queued))) {
                continue;
            }
            if (choice.questions >= MOST_QUESTIONS) {
                goOnAt = sequence;
                dispatchSoon();
                return;
            }
            Receiver receiver = choice.of(message.queued);
            if (receiver != null) {
                each.remove();
                hand(sequence, message, receiver, choice.nowNanos);
            } else if (choice.isForNobody(message.queued)) {
                each.remove();
                messages.remove(sequence);
                settle(sequence);
                services.recorder().dropped(Drop.NOT_AUTHORIZED);
            } else if (!choice.isAnybodyFree()) {
                return;
            } else if (!choice.somebodyMay) {
                refused.add(topic(message.queued));
            }
        }
    }

    private void hand(long sequence, InHand message, Receiver receiver, long nowNanos) {
        Subscriber to = receiver.subscriber();
        if (isTooLateFor(to, message)) {
            messages.remove(sequence);
            settle(sequence);
            services.recorder().dropped(Drop.EXPIRED);
            return;
        }
        Member member = members.computeIfAbsent(to, _ -> new Member(to, nowNanos));
        count(member, 1, size(message));
        message.member = member;
        message.attempt++;
        session.begin(sequence);
        Queued copy = copy(message.queued, receiver);
        MemberReply reply = new Reply(sequence, message.attempt);
        String node = services.subscriptions().applications().nodeOf(to);
        if (node == null) {
            services.connections().deliverShared(to.clientId(), to.identity(), copy, message.dup, reply);
        } else {
            services.nodes().deliverShared(node, to.clientId(), to.identity(), copy, message.dup, reply);
        }
    }

    /**
     * Whether a message has expired that only others may have been sent [MQTT-3.3.2-5]. The one that may have been gets
     * it all the same; so does everybody, where the host before knew who it was.
     */
    private boolean isTooLateFor(Subscriber to, InHand message) {
        Message sent = message.queued.message();
        return message.leftBy != null
                && !message.leftBy.equals(to)
                && sent.expiresAtMillis() != Message.NEVER
                && sent.isExpiredAt(services.clock().millis());
    }

    /** A member's reply about a message. */
    private final class Reply implements MemberReply {
        private final long sequence;
        private final int attempt;

        private Reply(long sequence, int attempt) {
            this.sequence = sequence;
            this.attempt = attempt;
        }

        @Override
        public void done() {
            thread.execute(() -> MemberDispatch.this.done(sequence));
        }

        @Override
        public void returned(boolean maybeSent) {
            thread.execute(() -> MemberDispatch.this.returned(sequence, attempt, maybeSent));
        }
    }

    /** An acknowledgement counts from any member: a member that was thought to be gone may have sent it. */
    private void done(long sequence) {
        InHand message = messages.remove(sequence);
        if (message != null) {
            release(message);
            waiting.remove(sequence);
            settle(sequence);
        }
    }

    private void returned(long sequence, int attempt, boolean maybeSent) {
        InHand message = messages.get(sequence);
        Member member = message == null ? null : message.member;
        if (message == null || member == null || message.attempt != attempt) {
            return;
        }
        member.pausedUntilNanos = now() + PAUSE_NANOS;
        release(message);
        if (maybeSent) {
            message.dup = true;
            message.left++;
            message.leftBy = member.subscriber;
        }
        Message deadLetter = maybeSent ? deadLetters.of(message.queued, message.left) : null;
        if (deadLetter == null) {
            giveAgain(sequence, maybeSent);
        } else {
            putAside(sequence, deadLetter);
        }
    }

    private void putAside(long sequence, Message deadLetter) {
        boolean isTaken = deadLetters.publish(deadLetter, isKept -> published(sequence, deadLetter, isKept));
        if (!isTaken) {
            giveAgain(sequence, true);
        }
    }

    private void giveAgain(long sequence, boolean maybeSent) {
        waiting.add(sequence);
        if (maybeSent) {
            services.recorder().redelivered();
        }
        dispatchSoon();
    }

    /** A dead letter that no subscriber takes is none: members get the message again. */
    private void published(long sequence, Message deadLetter, boolean isKept) {
        if (!messages.containsKey(sequence)) {
            return; // a member that was thought to be gone has acknowledged it meanwhile
        }
        deadLetters.report(deadLetter, isKept);
        if (isKept) {
            done(sequence);
        } else {
            giveAgain(sequence, true);
        }
    }

    private void release(InHand message) {
        if (message.member != null) {
            hasMadeRoom = true;
            count(message.member, -1, -size(message));
            message.member = null;
        }
    }

    private void count(Member member, int messages, long bytes) {
        member.messages += messages;
        member.bytes += bytes;
        handedMessages += messages;
        handedBytes += bytes;
    }

    private void settle(long sequence) {
        session.settle(sequence);
        dispatchSoon();
    }

    private long now() {
        return services.nanos().getAsLong();
    }

    /** One turn's choice of members. */
    private final class Choice {
        private final SharedGroup group;
        private final int mostMessages;
        private final int mostBytes;
        private final long nowNanos = now();
        /** How often it was asked whether a member may have a message. */
        private int questions;
        /** Whether a member that is online may have the message that was asked for last. */
        private boolean somebodyMay;

        private Choice(SharedGroup group) {
            this.group = group;
            int online = Math.max(1, group.onlineMembers());
            mostMessages = partOf(services.limits().windowMessages(), online);
            mostBytes = partOf(services.limits().windowBytes(), online);
        }

        /**
         * What one member may have: so much that all but one, and one more that may come, leave a quarter of the window
         * free, for that is when a session's owner reads on.
         */
        private static int partOf(int window, int online) {
            int withOneMore = window / (online + 1);
            int withoutOne = online == 1 ? withOneMore : (window / 4 * 3 - 1) / (online - 1);
            return Math.max(1, Math.min(withOneMore, withoutOne));
        }

        /** The member that gets a message now, or null. */
        @Nullable
        Receiver of(Queued queued) {
            somebodyMay = false;
            Receiver picked = group.pickOnline(publisher(queued), topic(queued), each -> accepts(each, queued));
            return picked == null || hasRoom(picked) ? picked : null;
        }

        boolean isForNobody(Queued queued) {
            return group.isForNobody(member -> asked(member, queued));
        }

        boolean isAnybodyFree() {
            return group.anyOnline(each -> !isPaused(each) && hasRoom(each));
        }

        private boolean accepts(Receiver receiver, Queued queued) {
            if (!asked(receiver, queued)) {
                return false;
            }
            somebodyMay = true;
            boolean isPaused = isPaused(receiver);
            if (!isPaused && hasRoom(receiver)) {
                return true;
            }
            passedBy.add(receiver.subscriber());
            return sticky && !isPaused && !isStuck(receiver);
        }

        private boolean asked(Receiver receiver, Queued queued) {
            questions++;
            return may(receiver, queued);
        }

        private boolean isPaused(Receiver receiver) {
            Member member = members.get(receiver.subscriber());
            return member != null && nowNanos - member.pausedUntilNanos < 0;
        }

        private boolean hasRoom(Receiver receiver) {
            if (passedBy.contains(receiver.subscriber()) || hasComeSinceBegin(receiver)) {
                return false;
            }
            Member member = members.get(receiver.subscriber());
            if (member != null && hasItsPart(member)) {
                return false;
            }
            if (member != null) {
                member.hadRoomNanos = nowNanos;
            }
            return true;
        }

        /** What the turns since the first one have looked at may be for it: it is to have that first. */
        private boolean hasComeSinceBegin(Receiver receiver) {
            return group.changes() != askedChanges && group.hasComeSince(receiver.subscriber(), askedChanges);
        }

        /**
         * Whether a member has its part, or half of what the others leave of three quarters of the window: however many
         * come one after the other and acknowledge nothing, the rest goes to those that do.
         */
        private boolean hasItsPart(Member member) {
            int window = services.limits().windowMessages();
            long bytes = services.limits().windowBytes();
            return member.messages >= mostMessages
                    || member.bytes >= mostBytes
                    || member.messages >= Math.max(1, (window / 4 * 3 - handedMessages + member.messages) / 2)
                    || member.bytes >= Math.max(1, (bytes / 4 * 3 - handedBytes + member.bytes) / 2);
        }

        /** Whether a member has had no room for so long that others get what would be its. */
        private boolean isStuck(Receiver receiver) {
            Member member = members.get(receiver.subscriber());
            return member != null && nowNanos - member.hadRoomNanos > STUCK_NANOS;
        }
    }

    private static boolean may(Receiver receiver, Queued queued) {
        return receiver.mayReceive(topic(queued));
    }

    private static long size(InHand message) {
        return message.queued.memoryBytes();
    }

    private Queued copy(Queued queued, Receiver receiver) {
        return new Queued(
                queued.message(),
                queued.qos().min(receiver.grant().qos()),
                queued.retain() && receiver.grant().retainAsPublished(),
                receiver.grant().subscriptionIds(),
                name);
    }

    private static String publisher(Queued queued) {
        return queued.message().publisher();
    }

    private static String topic(Queued queued) {
        return queued.message().topic();
    }
}
