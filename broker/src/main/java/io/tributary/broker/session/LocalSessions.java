package io.tributary.broker.session;

import io.netty.util.concurrent.EventExecutor;
import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.delivery.DeliveryTarget;
import io.tributary.broker.delivery.MemberReply;
import io.tributary.broker.delivery.MemberTarget;
import io.tributary.broker.delivery.SessionTarget;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.QueueEntry.Queued;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.jctools.maps.NonBlockingHashMapLong;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of this node's connections, for those who deliver to them: finds the session and crosses to its event
 * loop. Any thread; never blocks.
 *
 * <p>Memory is bounded: there is one entry a connection, from its {@code Attach} until it is detached, a small one once the
 * connection is gone; how many wait for an answer is limited as {@code Shards.mayAttach} says, and what lies in the mailboxes as
 * {@link LoopMailbox} says.
 */
public final class LocalSessions implements SessionTarget, DeliveryTarget, MemberTarget {
    private final AtomicLong connections = new AtomicLong();
    private final NonBlockingHashMapLong<Session> byConnection = new NonBlockingHashMapLong<>();

    /** Those that ended before they were attached. */
    private final NonBlockingHashMapLong<Attaching> ended = new NonBlockingHashMapLong<>();
    /** The latest connection of each client. */
    private final ConcurrentMap<String, Session> latestByClient = new ConcurrentHashMap<>();

    private final ConcurrentMap<String, Session> persistentByClient = new ConcurrentHashMap<>();
    private final ConcurrentMap<EventExecutor, LoopMailbox> mailboxes = new ConcurrentHashMap<>();

    /** Creates an empty registry. */
    public LocalSessions() {}

    /** The one mailbox of an event loop. */
    public LoopMailbox mailbox(EventExecutor loop) {
        return mailboxes.computeIfAbsent(loop, LoopMailbox::new);
    }

    /** How many connections that are open have, or wait for, a session. */
    public int size() {
        return byConnection.size();
    }

    /**
     * How many messages are in flight towards a session; -1 when it is not connected to this node.
     *
     * @param subscriber the session as its subscriptions name it
     */
    public int inFlight(Subscriber subscriber) {
        Session session = sessionOf(subscriber);
        return session == null ? -1 : session.inFlight();
    }

    /**
     * The same in the lower half; in the upper one how many messages were in flight before, which begins again at 2^31. -1 when the
     * session is not connected to this node.
     */
    public long flow(Subscriber subscriber) {
        Session session = sessionOf(subscriber);
        return session == null ? -1 : session.flow();
    }

    private @Nullable Session sessionOf(Subscriber subscriber) {
        return subscriber.persistent()
                ? persistentByClient.get(subscriber.clientId())
                : byConnection.get(subscriber.identity());
    }

    @Override
    public void attached(long connection, Attached attached) {
        Session session = byConnection.get(connection);
        if (session != null) {
            session.post(() -> session.attached(attached));
            return;
        }
        Attaching gone = ended.remove(connection);
        if (gone != null) {
            gone.detach(attached);
        }
    }

    @Override
    public void refused(long connection, ClientKind existing) {
        Session session = byConnection.get(connection);
        if (session != null) {
            session.post(() -> session.refused(existing));
        } else {
            forgetEnded(connection);
        }
    }

    @Override
    public void takenOver(long connection) {
        Session session = byConnection.get(connection);
        if (session != null) {
            session.post(session::takenOver);
        } else {
            forgetEnded(connection);
        }
    }

    @Override
    public void onlyTheseAttached(Predicate<String> clients, LongPredicate connections, long upTo) {
        byConnection.forEach((connection, session) -> {
            boolean isMeant = session.isAttachedUpTo(upTo) && clients.test(session.clientId());
            if (isMeant && !connections.test(connection)) {
                session.post(session::takenOver);
            }
        });
        ended.forEach((connection, gone) -> {
            boolean isMeant = gone.isAppendedUpTo(upTo) && clients.test(gone.clientId());
            if (isMeant && !connections.test(connection)) {
                forgetEnded(connection);
            }
        });
    }

    @Override
    public void deliver(long connection, List<Delivery> deliveries) {
        Session session = byConnection.get(connection);
        if (session != null) {
            session.post(() -> session.deliver(deliveries));
        }
    }

    @Override
    public void received(long connection, long[] sequences) {
        Session session = byConnection.get(connection);
        if (session != null) {
            session.post(() -> session.received(sequences));
        }
    }

    @Override
    public void deliverTransient(long connection, Queued message) {
        Session session = byConnection.get(connection);
        if (session != null) {
            session.offer(message);
        }
    }

    @Override
    public void deliverToMember(String clientId, long connection, Queued message) {
        Session session = byConnection.get(connection);
        if (session != null && session.clientId().equals(clientId)) {
            session.offer(message);
        }
    }

    @Override
    public boolean deliverQos0(String clientId, long session, Queued message) {
        Session connected = persistentByClient.get(clientId);
        if (connected == null || !connected.is(session)) {
            return false;
        }
        connected.offer(message);
        return true;
    }

    @Override
    public void deliverShared(String clientId, long session, Queued message, boolean dup, MemberReply reply) {
        Session connected = persistentByClient.get(clientId);
        if (connected != null && connected.is(session)) {
            connected.share(message, dup, reply);
        } else {
            reply.returned(false);
        }
    }

    /** A number for a new connection, which no other connection of this node ever had. */
    long nextConnection() {
        return connections.incrementAndGet();
    }

    /**
     * Makes a session known that is about to be attached.
     *
     * @return the session of the client's connection before this one, if that has not ended, or null
     */
    @Nullable
    Session add(long connection, String clientId, Session session) {
        byConnection.put(connection, session);
        return latestByClient.put(clientId, session);
    }

    /** Keeps of a session that ended before it was attached only what the answer needs. */
    void endBeforeAttached(long connection, Attaching attaching) {
        ended.put(connection, attaching); // first: the answer finds the one or the other
        Session session = byConnection.remove(connection);
        if (session != null) {
            latestByClient.remove(attaching.clientId(), session);
        }
    }

    /** Makes a persistent session known by its client identifier. */
    void addPersistent(String clientId, Session session) {
        persistentByClient.put(clientId, session);
    }

    /** Forgets a connection's session; that of a newer connection of the same client stays. */
    void remove(long connection, String clientId) {
        Session session = byConnection.remove(connection);
        if (session != null) {
            persistentByClient.remove(clientId, session);
            latestByClient.remove(clientId, session);
        }
        forgetEnded(connection);
    }

    private void forgetEnded(long connection) {
        Attaching gone = ended.remove(connection);
        if (gone != null) {
            gone.answered();
        }
    }
}
