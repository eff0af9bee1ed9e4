package io.tributary.broker.group;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.delivery.MemberReply;
import io.tributary.broker.group.GroupRecorder.Drop;
import io.tributary.broker.routing.RouteOutcome;
import io.tributary.broker.subscription.Receiver;
import io.tributary.broker.subscription.SharedGroup;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.subscription.SubscriptionRequest;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.QueueKind;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection of the session that a shared subscription's applications have together: takes its messages in order, hands each
 * to one member that is online and has room, and acknowledges it to the session when the member has. What a member gives back goes
 * to another one, or becomes a dead letter.
 *
 * <pre>
 * ATTACHING  the shard has not answered yet
 * OPEN       the session is this connection's, and messages come
 * CLOSING    nothing is handed out any more, for the session ends or goes to another node
 * OVER       it is another connection's, or nobody's; acknowledgements that are still to come count
 * </pre>
 *
 * <p>Other nodes see that the session has a host from when on it matches on all nodes. Before a host ends a session that has no
 * members it takes that back, everywhere, and looks again: a member that subscribes first shows itself everywhere, and then looks
 * for a host. So one of the two sees the other.
 *
 * <p>Memory is bounded by the session's window. Confined to the thread of {@link ApplicationGroups}, but for
 * {@link #isAttachedUpTo} and {@link #has}.
 */
final class GroupHost {
    private static final Logger LOG = LoggerFactory.getLogger(GroupHost.class);

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long WARN_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long EMPTY_NANOS = TimeUnit.MINUTES.toNanos(1);

    private enum State {
        ATTACHING,
        OPEN,
        CLOSING,
        OVER
    }

    private final String name;
    private final String clientId;
    private final long connection;
    private final GroupServices services;
    private final Executor thread;
    private final boolean sticky;

    private State state = State.ATTACHING;
    /** Whether the session matches on all nodes, and they were told that it is here. */
    private boolean subscribed;

    private boolean subscribing;
    private long takenUpTo;
    private long begunUpTo;
    private long emptySinceNanos;
    private boolean dispatching;
    private long warnedNanos = System.nanoTime() - WARN_NANOS;

    /** What was taken and is not acknowledged. */
    private final TreeMap<Long, InHand> messages = new TreeMap<>();

    /** Those of {@link #messages} that a member is to get. */
    private final TreeSet<Long> waiting = new TreeSet<>();

    private final Map<Subscriber, Member> members = new HashMap<>();
    private final List<Long> settled = new ArrayList<>();

    private volatile long attachOffset = Long.MAX_VALUE;
    private volatile @Nullable Attached attached;

    /** A message. */
    private static final class InHand {
        final Queued queued;
        boolean dup;
        int attempt;
        /** How often a member that may have been sent it has left it. */
        int left;

        @Nullable
        Member member;

        InHand(Queued queued, boolean dup) {
            this.queued = queued;
            this.dup = dup;
        }
    }

    /** A member that has messages, or has just given some back. */
    private static final class Member {
        int messages;
        long bytes;
        long pausedUntilNanos;
        long hadRoomNanos;

        /** @param nowNanos the time of the turn that it gets its first message in, so that it can get more in that turn */
        Member(long nowNanos) {
            pausedUntilNanos = nowNanos;
            hadRoomNanos = nowNanos;
        }
    }

    GroupHost(String name, long connection, GroupServices services, Executor thread) {
        this.name = name;
        this.connection = connection;
        this.services = services;
        this.thread = thread;
        clientId = GroupIdentifier.of(name);
        sticky = services.subscriptions().applications().isSticky();
        emptySinceNanos = System.nanoTime();
    }

    /** Asks for the session. */
    void open() {
        Attach attach = new Attach(
                clientId,
                services.node(),
                connection,
                false,
                ConnectProperties.NEVER_EXPIRES,
                services.limits().windowMessages(),
                QueueKind.TOPIC,
                null);
        services.shards().attach(attach, offset -> attachOffset = offset);
    }

    String name() {
        return name;
    }

    /** Whether the session is there and subscribed. */
    boolean isReady() {
        return state == State.OPEN && subscribed;
    }

    boolean isOver() {
        return state == State.OVER;
    }

    /** Whether the log is known to have the Attach, no later than at the offset; any thread. */
    boolean isAttachedUpTo(long offset) {
        return attachOffset <= offset;
    }

    /** Whether this is the connection of the session with the identity; any thread. */
    boolean has(long session) {
        Attached known = attached;
        return known != null && known.session() == session;
    }

    /** The shard answered; a new owner of the shard says so once more. */
    void attached(Attached answer) {
        if (state == State.ATTACHING) {
            state = State.OPEN;
            attached = answer;
            subscribe(answer);
        } else if (state == State.OVER && attached == null) {
            attached = answer;
            detach(answer, ConnectProperties.NEVER_EXPIRES);
        }
    }

    private void subscribe(Attached session) {
        SubscriptionRequest request =
                new SubscriptionRequest(TopicFilter.parse(name), QoS.AT_LEAST_ONCE, false, true, 0);
        subscribing = true;
        services.subscriptions()
                .subscribe(subscriber(session), session.epoch(), List.of(request))
                .whenComplete((_, failure) -> thread.execute(() -> subscribed(session, failure)));
    }

    /** One that fails is tried again by {@link #tick}. */
    private void subscribed(Attached session, @Nullable Throwable failure) {
        subscribing = false;
        if (failure != null) {
            LOG.warn("{} is not subscribed yet", name, failure);
        } else if (state == State.OPEN) {
            LOG.info("This node hands out the messages of {}", name);
            subscribed = true;
            services.subscriptions().online(subscriber(session));
        }
    }

    /** Another connection has the session. */
    void takenOver() {
        CompletionStage<?> _ = withdraw();
        state = State.OVER;
    }

    /** Tells all nodes that the session is not here any more, if they were told that it is. */
    private CompletionStage<@Nullable Void> withdraw() {
        Attached had = attached;
        if (!subscribed || had == null) {
            return CompletableFuture.completedStage(null);
        }
        subscribed = false;
        return services.subscriptions().offline(subscriber(had));
    }

    /** Hands nothing out any more: the session is about to go to another node. */
    void stopHandingOut() {
        if (state == State.OPEN) {
            state = State.CLOSING;
        }
    }

    /** Whether no member has a message, and none is on its way as a dead letter. */
    boolean isIdle() {
        return waiting.size() == messages.size();
    }

    /** Gives the session up, for another node to take it. */
    void leave() {
        CompletionStage<?> _ = withdraw();
        end(ConnectProperties.NEVER_EXPIRES);
    }

    private void end(long sessionExpirySeconds) {
        tellSettled();
        Attached had = attached;
        if (had != null && state != State.OVER) {
            detach(had, sessionExpirySeconds);
        }
        state = State.OVER;
    }

    private void detach(Attached had, long sessionExpirySeconds) {
        services.shards().detach(new Detach(clientId, had.epoch(), false, sessionExpirySeconds, begunUpTo), () -> {});
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

    /** Members have come or gone. */
    void changed() {
        dispatchSoon();
    }

    /** Once a second: ends the session some time after the last member has left. */
    void tick() {
        long now = System.nanoTime();
        Attached session = attached;
        if (state == State.OPEN && session != null && !subscribed && !subscribing) {
            subscribe(session);
        }
        if (hasMembers()) {
            emptySinceNanos = now;
        } else if (state == State.OPEN && subscribed && now - emptySinceNanos > EMPTY_NANOS) {
            state = State.CLOSING;
            withdraw().whenComplete((_, _) -> thread.execute(this::endIfEmpty));
        }
        members.values().removeIf(member -> member.messages == 0 && now - member.pausedUntilNanos >= 0);
        dispatchSoon();
    }

    private void endIfEmpty() {
        Attached session = attached;
        if (state != State.CLOSING || session == null) {
            return;
        }
        if (hasMembers()) {
            state = State.OPEN;
            subscribe(session);
        } else {
            LOG.info("{} has no members any more: its session ends", name);
            end(0);
        }
    }

    private boolean hasMembers() {
        return services.subscriptions().applications().find(name) != null;
    }

    /** Once for all that has happened before its turn. */
    private void dispatchSoon() {
        if (!dispatching) {
            dispatching = true;
            thread.execute(() -> {
                dispatching = false;
                dispatch();
                tellSettled();
            });
        }
    }

    private void dispatch() {
        SharedGroup group = services.subscriptions().applications().find(name);
        if (group == null || state != State.OPEN) {
            return;
        }
        Choice choice = new Choice(group);
        Iterator<Long> each = waiting.iterator();
        while (each.hasNext()) {
            long sequence = each.next();
            InHand message = Objects.requireNonNull(messages.get(sequence));
            Receiver receiver = choice.of(message.queued);
            if (receiver != null) {
                each.remove();
                hand(sequence, message, receiver, choice.nowNanos);
            } else if (isForNobody(group, message.queued)) {
                each.remove();
                messages.remove(sequence);
                settle(sequence);
                services.recorder().dropped(Drop.NOT_AUTHORIZED);
            } else if (!choice.isAnybodyFree()) {
                return;
            }
        }
    }

    /** Whether no member may have a message, one that is away included. */
    private boolean isForNobody(SharedGroup group, Queued queued) {
        return group.pick(publisher(queued), topic(queued), each -> may(each, queued)) == null;
    }

    private void hand(long sequence, InHand message, Receiver receiver, long nowNanos) {
        Subscriber to = receiver.subscriber();
        Member member = members.computeIfAbsent(to, _ -> new Member(nowNanos));
        member.messages++;
        member.bytes += size(message);
        message.member = member;
        message.attempt++;
        begunUpTo = Math.max(begunUpTo, sequence);
        Queued copy = copy(message.queued, receiver);
        MemberReply reply = new Reply(sequence, message.attempt);
        String node = services.subscriptions().applications().nodeOf(to);
        if (node == null) {
            services.members().deliverShared(to.clientId(), to.identity(), copy, message.dup, reply);
        } else {
            services.nodes().deliverShared(node, to.clientId(), to.identity(), copy, message.dup, reply);
        }
    }

    /** What a member has said of a message. */
    private final class Reply implements MemberReply {
        private final long sequence;
        private final int attempt;

        private Reply(long sequence, int attempt) {
            this.sequence = sequence;
            this.attempt = attempt;
        }

        @Override
        public void done() {
            thread.execute(() -> GroupHost.this.done(sequence));
        }

        @Override
        public void returned(boolean begun) {
            thread.execute(() -> GroupHost.this.returned(sequence, attempt, begun));
        }
    }

    /** Who acknowledged it does not matter: a member that was thought to be gone may have. */
    private void done(long sequence) {
        InHand message = messages.remove(sequence);
        if (message != null) {
            release(message);
            waiting.remove(sequence);
            settle(sequence);
        }
    }

    private void returned(long sequence, int attempt, boolean begun) {
        InHand message = messages.get(sequence);
        Member member = message == null ? null : message.member;
        if (message == null || member == null || message.attempt != attempt) {
            return;
        }
        member.pausedUntilNanos = System.nanoTime() + PAUSE_NANOS;
        release(message);
        if (begun) {
            message.dup = true;
            message.left++;
        }
        Message deadLetter =
                begun && isLeftTooOften(message) ? DeadLetters.of(message.queued, name, message.left) : null;
        if (deadLetter == null) {
            giveAgain(sequence, begun);
        } else {
            putAside(sequence, deadLetter);
        }
    }

    private void putAside(long sequence, Message deadLetter) {
        try {
            services.router()
                    .publishKept(deadLetter, outcome -> thread.execute(() -> published(sequence, deadLetter, outcome)));
        } catch (RuntimeException e) {
            LOG.error("{}: a dead letter could not be published; this is a defect", name, e);
            giveAgain(sequence, true);
        }
    }

    private boolean isLeftTooOften(InHand message) {
        int most = services.limits().deliveries();
        return most > 0 && message.left >= most && !DeadLetters.isOne(message.queued.message());
    }

    private void giveAgain(long sequence, boolean begun) {
        waiting.add(sequence);
        if (begun) {
            services.recorder().redelivered();
        }
        dispatchSoon();
    }

    /** A dead letter that nobody takes is none: members get the message again. */
    private void published(long sequence, Message deadLetter, RouteOutcome outcome) {
        if (!messages.containsKey(sequence)) {
            return; // a member that was thought to be gone has acknowledged it meanwhile
        }
        if (outcome instanceof RouteOutcome.Safe) {
            warn("{}: a message was left unacknowledged too often and is now on {}", name, deadLetter.topic());
            services.recorder().putAside();
            done(sequence);
        } else {
            warn("{}: no persistent session takes {}, so members get the message again", name, deadLetter.topic());
            giveAgain(sequence, true);
        }
    }

    /** Once for all that happens in a while: a member that goes may leave hundreds of messages. */
    private void warn(String format, Object... arguments) {
        long now = System.nanoTime();
        if (now - warnedNanos > WARN_NANOS) {
            warnedNanos = now;
            LOG.warn(format, arguments);
        }
    }

    private static void release(InHand message) {
        if (message.member != null) {
            message.member.messages--;
            message.member.bytes -= size(message);
            message.member = null;
        }
    }

    private void settle(long sequence) {
        settled.add(sequence);
        dispatchSoon();
    }

    private void tellSettled() {
        Attached session = attached;
        if (session != null && !settled.isEmpty()) {
            long[] sequences = settled.stream().mapToLong(Long::longValue).toArray();
            settled.clear();
            services.shards().settle(clientId, session.epoch(), sequences);
        }
    }

    /** One turn's choice of members. */
    private final class Choice {
        private final SharedGroup group;
        private final int mostMessages;
        private final int mostBytes;
        private final long nowNanos = System.nanoTime();

        private Choice(SharedGroup group) {
            this.group = group;
            int online = Math.max(1, group.onlineMembers());
            mostMessages = partOf(services.limits().windowMessages(), online);
            mostBytes = partOf(services.limits().windowBytes(), online);
        }

        /**
         * What one member may have: so much that all but one, and one more that may come, leave a quarter of the window free,
         * for that is when a session's owner reads on.
         */
        private static int partOf(int window, int online) {
            int withOneMore = window / (online + 1);
            int withoutOne = online == 1 ? withOneMore : (window / 4 * 3 - 1) / (online - 1);
            return Math.max(1, Math.min(withOneMore, withoutOne));
        }

        /** The member that gets a message now, or null. */
        @Nullable
        Receiver of(Queued queued) {
            Receiver picked = group.pickOnline(publisher(queued), topic(queued), each -> accepts(each, queued));
            return picked == null || hasRoom(picked) ? picked : null;
        }

        boolean isAnybodyFree() {
            return group.anyOnline(each -> !isPaused(each) && hasRoom(each));
        }

        private boolean accepts(Receiver receiver, Queued queued) {
            return may(receiver, queued)
                    && !isPaused(receiver)
                    && (hasRoom(receiver) || (sticky && !isStuck(receiver)));
        }

        private boolean isPaused(Receiver receiver) {
            Member member = members.get(receiver.subscriber());
            return member != null && nowNanos - member.pausedUntilNanos < 0;
        }

        private boolean hasRoom(Receiver receiver) {
            Member member = members.get(receiver.subscriber());
            if (member != null && (member.messages >= mostMessages || member.bytes >= mostBytes)) {
                return false;
            }
            if (member != null) {
                member.hadRoomNanos = nowNanos;
            }
            return true;
        }

        /** Whether a member has had no room for so long that others get what would be its. */
        private boolean isStuck(Receiver receiver) {
            Member member = members.get(receiver.subscriber());
            return member != null && nowNanos - member.hadRoomNanos > STUCK_NANOS;
        }
    }

    private boolean may(Receiver receiver, Queued queued) {
        return services.mayReceive().test(receiver.subscriber().clientId(), topic(queued));
    }

    private static long size(InHand message) {
        return message.queued.sizeBytes();
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

    private Subscriber subscriber(Attached session) {
        return new Subscriber(clientId, true, session.session(), null, QueueKind.TOPIC);
    }
}
