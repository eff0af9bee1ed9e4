package io.tributary.broker.connection;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.delivery.Endpoint;
import io.tributary.broker.loop.LoopMailbox;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.mqtt.ReasonCode;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The connections of clients to this node, from the moment that each asks for its session. They enter and leave the
 * {@link ConnectionRegistry} here. Any thread; never blocks.
 *
 * <p>Memory is bounded: there is one entry a connection, from its {@code Attach} until its session is detached; the
 * entry is small once the connection is gone. {@code Shards.mayAttach} limits how many connections wait for an answer,
 * {@link LoopMailbox} how much lies in the mailboxes.
 */
public final class ClientConnections {
    private final ConnectionRegistry connections;
    /** All that have come so far as to ask for their session, and have not ended. */
    private final Set<ClientConnection> all = ConcurrentHashMap.newKeySet();

    /**
     * The latest connection of each client. One of another principal comes in only when it has the session: most do not
     * get it, and the one before must not notice.
     */
    private final ConcurrentMap<String, ClientConnection> latestByClient = new ConcurrentHashMap<>();

    /** Creates an empty registry of clients' connections. */
    public ClientConnections(ConnectionRegistry connections) {
        this.connections = connections;
    }

    /** How many open connections have, or wait for, a session. */
    public int size() {
        return all.size();
    }

    /**
     * How many messages are in flight towards a session's client; -1 when the client is not connected to this node.
     *
     * @param subscriber the session as its subscriptions name it
     */
    public int inFlight(Subscriber subscriber) {
        return (int) flow(subscriber);
    }

    /** {@link Endpoint#flow} of a session's connection; -1 when its client is not connected to this node. */
    public long flow(Subscriber subscriber) {
        Endpoint endpoint = subscriber.persistent()
                ? connections.persistent(subscriber.clientId())
                : connections.get(subscriber.identity());
        return endpoint == null ? -1 : endpoint.flow();
    }

    /**
     * Ends the connections of clients that may not be connected any more: those that are there, and those that wait for
     * their session.
     */
    public void expel(Predicate<ClientInfo> which, ReasonCode reason) {
        for (ClientConnection connection : all) {
            ClientInfo client = connection.client();
            if (client == null || which.test(client)) {
                connection.inbox().post(() -> connection.expel(which, reason));
            }
        }
    }

    /**
     * Sends clients away, whichever; one thread at a time.
     *
     * @param most how many at most
     * @return how many were told now, and were not before
     */
    public int sendAway(int most, Farewell how) {
        int told = 0;
        Iterator<ClientConnection> each = all.iterator();
        while (told < most && each.hasNext()) {
            if (each.next().inbox().sendAway(how)) {
                told++;
            }
        }
        return told;
    }

    /** A small action for each connection, which has its subscriptions judged by the rules that hold; any thread. */
    public Iterator<Runnable> looks() {
        return all.stream().<Runnable>map(connection -> connection::lookAgain).iterator();
    }

    /**
     * Has a session's connection give up what rules do not allow any more.
     *
     * @return false when the session has none here
     */
    public boolean review(Subscriber session) {
        ClientConnection connection = latestByClient.get(session.clientId());
        if (connection == null || !connection.has(session.identity())) {
            return false;
        }
        connection.review();
        return true;
    }

    /** A number for a new connection. */
    long nextConnection() {
        return connections.nextNumber();
    }

    /**
     * Adds a connection that is about to ask for its session.
     *
     * @param takesAnyones whether it gets the session though it is another principal's
     * @return the client's earlier connection, which this one follows, if it has not ended; or null
     */
    @Nullable
    ClientConnection add(long number, ClientConnection connection, boolean takesAnyones) {
        connections.add(number, connection.inbox());
        all.add(connection);
        String clientId = connection.clientId();
        ClientConnection before = latestByClient.putIfAbsent(clientId, connection);
        while (before != null && (takesAnyones || connection.principal().isSameAs(before.principal()))) {
            if (latestByClient.replace(clientId, before, connection)) {
                return before;
            }
            before = latestByClient.putIfAbsent(clientId, connection);
        }
        return null;
    }

    /** A connection has its session: if it is not the latest of its client yet, another principal's was. */
    void attached(ClientConnection connection) {
        latestByClient.compute(
                connection.clientId(),
                (_, latest) ->
                        latest != null && latest.principal().isSameAs(connection.principal()) ? latest : connection);
    }

    /** Lets a connection with a persistent session be found by its client identifier. */
    void addPersistent(ClientConnection connection) {
        connections.addPersistent(connection.inbox());
    }

    /** The answer came to a connection that has ended. */
    void attached(long number, Attached attached) {
        connections.attached(number, attached);
    }

    /** Replaces a connection that ended before its session was attached by the little that the owner's answer needs. */
    void endBeforeAttached(long number, ClientConnection connection, Attaching attaching) {
        connections.add(number, new Ended(number, attaching));
        ended(connection);
    }

    /** Forgets a connection; a newer connection of the same client stays. */
    void remove(long number, ClientConnection connection) {
        switch (connections.remove(number)) {
            case null -> {}
            case Ended gone -> gone.attaching.answered();
            case Endpoint _ -> ended(connection);
        }
    }

    private void ended(ClientConnection connection) {
        all.remove(connection);
        latestByClient.remove(connection.clientId(), connection);
    }

    /**
     * A connection that ended before its session was attached; the entry goes with the owner's answer, of whatever
     * kind.
     */
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
        public void refused(AttachRefusal reason) {
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
