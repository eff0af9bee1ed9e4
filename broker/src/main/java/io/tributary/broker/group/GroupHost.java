package io.tributary.broker.group;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.Delivery;
import io.tributary.common.event.QueueEntry.Queued;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * The connection of the session that a shared subscription's applications have together: takes its messages in order,
 * hands each to one member that is online and has room, and acknowledges it to the session when the member has. What a
 * member gives back goes to another one, or becomes a dead letter. {@link GroupSession} is its session,
 * {@link MemberDispatch} chooses the members.
 *
 * <p>Memory is bounded by the session's window. Confined to the thread of {@link ApplicationGroups}, but for
 * {@link #isAttachedUpTo} and {@link #has}.
 *
 * <p>Decided in docs/decisions/0011-groups-of-applications.md.
 */
final class GroupHost {
    private final String name;
    private final GroupSession session;
    private final MemberDispatch dispatch;

    GroupHost(String name, long connection, GroupServices services, Executor thread) {
        this.name = name;
        session = new GroupSession(name, connection, services, thread);
        dispatch = new MemberDispatch(name, services, session, new DeadLetters(name, services, thread), thread);
    }

    /** Asks for the session. */
    void open() {
        session.open();
    }

    String name() {
        return name;
    }

    /** Whether the session is there and subscribed. */
    boolean isReady() {
        return session.isReady();
    }

    /** Whether any client, connected or not, is a member. */
    boolean hasMembers() {
        return session.hasMembers();
    }

    boolean isOver() {
        return session.isOver();
    }

    /** Whether the log is known to have the Attach, no later than at the offset; any thread. */
    boolean isAttachedUpTo(long offset) {
        return session.isAttachedUpTo(offset);
    }

    /** Whether this is the connection of the session with the identity; any thread. */
    boolean has(long identity) {
        return session.has(identity);
    }

    /** The shard answered; a new owner of the shard says so once more. */
    void attached(Attached answer) {
        session.attached(answer);
    }

    /** Hands nothing out any more: the session is about to go to another node. */
    void stopHandingOut() {
        session.close();
    }

    /** Whether no member has a message, and none is on its way as a dead letter. */
    boolean isIdle() {
        return dispatch.isIdle();
    }

    /** Gives the session up, for another node to take it. */
    void leave() {
        session.leave();
    }

    /** Takes messages of the session. */
    void deliver(List<Delivery> deliveries) {
        dispatch.deliver(deliveries);
    }

    /** Takes a message of QoS 0. */
    void qos0(Queued queued) {
        dispatch.qos0(queued);
    }

    /** Members have come or gone. */
    void changed() {
        session.membersChanged();
        dispatch.dispatchSoon();
    }

    /** Once a second: ends the session some time after the last member has left. */
    void tick() {
        session.tick();
        dispatch.tick();
    }
}
