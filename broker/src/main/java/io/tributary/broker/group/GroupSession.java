package io.tributary.broker.group;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.subscription.SubscriptionRequest;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.Principal;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session that a shared subscription's applications have together, as its host has it.
 *
 * <pre>
 * ATTACHING  the shard has not answered yet
 * OPEN       the session is this connection's, and messages come
 * CLOSING    nothing is handed out any more, for the session ends or goes to another node
 * OVER       it is another connection's, or nobody's; acknowledgements that are still to come count
 * </pre>
 *
 * <p>Other nodes see that the session has a host from when on it matches on all nodes. Before a host ends a session
 * that has no members it takes that back, everywhere, and looks again: a member that subscribes first shows itself
 * everywhere, and then looks for a host. So one of the two sees the other.
 *
 * <p>Confined to the thread of {@link ApplicationGroups}, but for {@link #isAttachedUpTo} and {@link #has}.
 */
final class GroupSession {
    private static final Logger LOG = LoggerFactory.getLogger(GroupSession.class);
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

    private State state = State.ATTACHING;
    /** Whether the session matches on all nodes, and they were told that it is here. */
    private boolean subscribed;

    private boolean subscribing;
    private long maybeSentUpTo;
    private long emptySinceNanos;
    private final List<Long> settled = new ArrayList<>();

    private volatile long attachOffset = Long.MAX_VALUE;
    private volatile @Nullable Attached attached;

    GroupSession(String name, long connection, GroupServices services, Executor thread) {
        this.name = name;
        this.connection = connection;
        this.services = services;
        this.thread = thread;
        clientId = GroupIdentifier.of(name);
        emptySinceNanos = services.nanos().getAsLong();
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
                ClientKind.APPLICATION,
                null,
                Principal.ANONYMOUS,
                false);
        services.shards().attach(attach, offset -> attachOffset = offset);
    }

    /** Whether the session is there and subscribed. */
    boolean isReady() {
        return state == State.OPEN && subscribed;
    }

    /** Whether its messages are to be handed out. */
    boolean isOpen() {
        return state == State.OPEN;
    }

    boolean isOver() {
        return state == State.OVER;
    }

    /** Whether the log is known to have the Attach, no later than at the offset; any thread. */
    boolean isAttachedUpTo(long offset) {
        return attachOffset <= offset;
    }

    /** Whether this is the connection of the session with the identity; any thread. */
    boolean has(long identity) {
        Attached known = attached;
        return known != null && known.session() == identity;
    }

    /** The shard answered; a new owner of the shard says so once more. */
    void attached(Attached answer) {
        if (state == State.ATTACHING) {
            state = State.OPEN;
            attached = answer;
            attachOffset = answer.epoch(); // now it is known in any case
            subscribe(answer);
        } else if (state == State.OVER && attached == null) {
            attached = answer;
            detach(answer, ConnectProperties.NEVER_EXPIRES);
        }
    }

    private void subscribe(Attached session) {
        SubscriptionRequest request =
                new SubscriptionRequest(TopicFilter.parseStored(name), QoS.AT_LEAST_ONCE, false, true, 0);
        subscribing = true;
        services.subscriptions()
                .subscribe(subscriber(session), session.epoch(), List.of(request))
                .whenComplete((_, failure) -> thread.execute(() -> subscribed(session, failure)));
    }

    /** One that fails is tried again by {@link #tick}. */
    private void subscribed(Attached session, @Nullable Throwable failure) {
        subscribing = false;
        if (failure != null) {
            LOG.warn("{} is not subscribed yet", TenantNames.display(name), failure);
        } else if (state == State.OPEN) {
            LOG.info("This node hands out the messages of {}", TenantNames.display(name));
            subscribed = true;
            services.subscriptions().online(subscriber(session));
        }
    }

    /** Tells all nodes that the session is not here any more, if they were told that it is. */
    private CompletionStage<@Nullable Void> retract() {
        Attached had = attached;
        if (!subscribed || had == null) {
            return CompletableFuture.completedStage(null);
        }
        subscribed = false;
        return services.subscriptions().offline(subscriber(had));
    }

    /** Has nothing handed out any more; {@link #leave} follows. */
    void close() {
        if (state == State.OPEN) {
            state = State.CLOSING;
        }
    }

    /** Gives the session up, for another node to take it. */
    void leave() {
        CompletionStage<?> _ = retract();
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
        services.shards()
                .detach(new Detach(clientId, had.epoch(), false, sessionExpirySeconds, maybeSentUpTo), () -> {});
    }

    /** Members have come or gone: one that was there counts even if it left before anybody looked. */
    void membersChanged() {
        emptySinceNanos = services.nanos().getAsLong();
    }

    /** Once a second: ends the session some time after the last member has left. */
    void tick() {
        Attached session = attached;
        if (state == State.OPEN && session != null && !subscribed && !subscribing) {
            subscribe(session);
        }
        if (state == State.OPEN && subscribed && !isWanted()) {
            state = State.CLOSING;
            retract().whenComplete((_, failure) -> thread.execute(() -> endIfEmpty(failure == null)));
        }
    }

    /**
     * Goes on when nobody is to take the session for hosted.
     *
     * @param isRetracted whether all nodes know; else a member that subscribes elsewhere may count on the session, and
     *     {@link #tick} tries again
     */
    private void endIfEmpty(boolean isRetracted) {
        Attached session = attached;
        if (state != State.CLOSING || session == null) {
            return;
        }
        if (!isRetracted || isWanted()) {
            state = State.OPEN;
            subscribe(session);
        } else {
            LOG.info("{} has no members any more: its session ends", TenantNames.display(name));
            end(0);
        }
    }

    /** Whether there are members, or were a short while ago. */
    private boolean isWanted() {
        long now = services.nanos().getAsLong();
        if (hasMembers()) {
            emptySinceNanos = now;
        }
        return now - emptySinceNanos <= EMPTY_NANOS;
    }

    /** Whether any client, connected or not, is a member. */
    boolean hasMembers() {
        return services.subscriptions().applications().find(name) != null;
    }

    /** A member is about to be handed the message with this sequence number. */
    void begin(long sequence) {
        maybeSentUpTo = Math.max(maybeSentUpTo, sequence);
    }

    /** A message is done with; the owner hears of it with the next {@link #tellSettled}. */
    void settle(long sequence) {
        settled.add(sequence);
    }

    /** Acknowledges all that is done with. */
    void tellSettled() {
        Attached session = attached;
        if (session != null && !settled.isEmpty()) {
            long[] sequences = settled.stream().mapToLong(Long::longValue).toArray();
            settled.clear();
            services.shards().settle(clientId, session.epoch(), sequences);
        }
    }

    private Subscriber subscriber(Attached session) {
        return new Subscriber(clientId, true, session.session(), null, ClientKind.APPLICATION, null);
    }
}
