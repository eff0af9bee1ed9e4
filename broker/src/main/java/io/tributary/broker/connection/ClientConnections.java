package io.tributary.broker.connection;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.delivery.Endpoint;
import io.tributary.broker.loop.LoopMailbox;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.common.event.ClientKind;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of clients that are connected to this node. They come into the {@link ConnectionRegistry} and leave it
 * here. Any thread; never blocks.
 *
 * <p>Memory is bounded: there is one entry a connection, from its {@code Attach} until it is detached, a small one once
 * the connection is gone; how many wait for an answer is limited as {@code Shards.mayAttach} says, and what lies in the
 * mailboxes as {@link LoopMailbox} says.
 */
public final class ClientConnections {
    private final ConnectionRegistry connections;
    private final AtomicInteger open = new AtomicInteger();
    /** The latest connection of each client. */
    private final ConcurrentMap<String, ClientConnection> latestByClient = new ConcurrentHashMap<>();

    /** Creates it, with no session. */
    public ClientConnections(ConnectionRegistry connections) {
        this.connections = connections;
    }

    /** How many connections that are open have, or wait for, a session. */
    public int size() {
        return open.get();
    }

    /**
     * How many messages are in flight towards a session; -1 when it is not connected to this node.
     *
     * @param subscriber the session as its subscriptions name it
     */
    public int inFlight(Subscriber subscriber) {
        return (int) flow(subscriber);
    }

    /** What {@link Endpoint#flow} says of a session; -1 when it is not connected to this node. */
    public long flow(Subscriber subscriber) {
        Endpoint endpoint = subscriber.persistent()
                ? connections.persistent(subscriber.clientId())
                : connections.get(subscriber.identity());
        return endpoint == null ? -1 : endpoint.flow();
    }

    /** A number for a new connection. */
    long nextConnection() {
        return connections.nextNumber();
    }

    /**
     * Makes a session known that is about to be attached.
     *
     * @return the session of the client's connection before this one, if that has not ended, or null
     */
    @Nullable
    ClientConnection add(long connection, ClientConnection session) {
        connections.add(connection, session.inbox());
        open.incrementAndGet();
        return latestByClient.put(session.clientId(), session);
    }

    /** Makes a persistent session known by its client identifier. */
    void addPersistent(ClientConnection session) {
        connections.addPersistent(session.inbox());
    }

    /** The answer came to a connection that has ended. */
    void attached(long connection, Attached attached) {
        connections.attached(connection, attached);
    }

    /** Keeps of a session that ended before it was attached only what the answer needs. */
    void endBeforeAttached(long connection, ClientConnection session, Attaching attaching) {
        connections.add(connection, new Ended(connection, attaching));
        ended(session);
    }

    /** Forgets a connection and its session; that of a newer connection of the same client stays. */
    void remove(long connection, ClientConnection session) {
        switch (connections.remove(connection)) {
            case null -> {}
            case Ended gone -> gone.attaching.answered();
            case Endpoint _ -> ended(session);
        }
    }

    private void ended(ClientConnection session) {
        open.decrementAndGet();
        latestByClient.remove(session.clientId(), session);
    }

    /** A connection that ended before it was attached; the owner's answer, of whatever kind, is the last of it. */
    private final class Ended implements Endpoint {
        private final long connection;
        private final Attaching attaching;

        private Ended(long connection, Attaching attaching) {
            this.connection = connection;
            this.attaching = attaching;
        }

        @Override
        public String clientId() {
            return attaching.clientId();
        }

        @Override
        public boolean isAttachedUpTo(long offset) {
            return attaching.isAppendedUpTo(offset);
        }

        @Override
        public void attached(Attached attached) {
            if (connections.remove(connection, this)) {
                attaching.detach(attached);
            }
        }

        @Override
        public void refused(ClientKind existing) {
            takenOver();
        }

        @Override
        public void takenOver() {
            if (connections.remove(connection, this)) {
                attaching.answered();
            }
        }
    }
}
