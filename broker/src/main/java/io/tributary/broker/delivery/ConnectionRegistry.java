package io.tributary.broker.delivery;

import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.thread.RoomQueue;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.jctools.maps.NonBlockingHashMapLong;
import org.jspecify.annotations.Nullable;

/**
 * The connections of this node, as owners of shards, the router, hosts of groups and other nodes deliver to them. A
 * connection is named by a number, which is in its {@code Attach} and in what is told over links; only the {@link
 * Endpoint} under a number knows what kind it is and which thread it belongs to. A message for a connection that is
 * gone is dropped. Any thread; never blocks; calls from one thread for one connection keep their order.
 */
public final class ConnectionRegistry {
    private final AtomicLong numbers = new AtomicLong();
    private final NonBlockingHashMapLong<Endpoint> byNumber = new NonBlockingHashMapLong<>();
    /** Endpoints that have persistent sessions, by client identifier. */
    private final ConcurrentMap<String, Endpoint> persistent = new ConcurrentHashMap<>();

    /** Creates an empty registry. */
    public ConnectionRegistry() {}

    /** A number above zero for a new connection, which no other connection of this node ever had. */
    public long nextNumber() {
        return numbers.incrementAndGet();
    }

    /** Makes a connection known; an earlier endpoint under the number is forgotten. */
    public void add(long number, Endpoint endpoint) {
        byNumber.put(number, endpoint);
    }

    /**
     * Makes the connection of a persistent session known by its client identifier, unless a later connection of the
     * client is: on another event loop, that one may have come first.
     */
    public void addPersistent(Endpoint endpoint) {
        persistent.merge(
                endpoint.clientId(), endpoint, (known, added) -> added.epoch() < known.epoch() ? known : added);
    }

    /** Forgets the endpoint under a number, and returns it; null when there is none. */
    public @Nullable Endpoint remove(long number) {
        Endpoint gone = byNumber.remove(number);
        if (gone != null) {
            removePersistent(gone);
        }
        return gone;
    }

    /** Forgets a connection if it stands under the number; tells whether it did. */
    public boolean remove(long number, Endpoint endpoint) {
        return byNumber.remove(number, endpoint);
    }

    /** Knows a connection by its number only; a newer one of the same client stays. */
    public void removePersistent(Endpoint endpoint) {
        persistent.remove(endpoint.clientId(), endpoint);
    }

    /** The endpoint under a number. */
    public @Nullable Endpoint get(long number) {
        return byNumber.get(number);
    }

    /** The connection of a client's persistent session. */
    public @Nullable Endpoint persistent(String clientId) {
        return persistent.get(clientId);
    }

    /** {@link Endpoint#attached}. */
    public void attached(long number, Attached attached) {
        Endpoint endpoint = byNumber.get(number);
        if (endpoint != null) {
            endpoint.attached(attached);
        }
    }

    /** {@link Endpoint#refused}. */
    public void refused(long number, AttachRefusal reason) {
        Endpoint endpoint = byNumber.get(number);
        if (endpoint != null) {
            endpoint.refused(reason);
        }
    }

    /** {@link Endpoint#takenOver}. */
    public void takenOver(long number) {
        Endpoint endpoint = byNumber.get(number);
        if (endpoint != null) {
            endpoint.takenOver();
        }
    }

    /**
     * Of the connections of some clients only these have their session: the others are to be closed as with
     * {@link #takenOver}, for what told them so may be lost.
     *
     * @param clients picks the clients by their identifiers
     * @param connections picks the connections that have the session
     * @param upTo the offset up to which the shard's log was folded; connections whose {@code Attach} is behind it, or
     *     of unknown offset, are left alone
     */
    public void onlyTheseAttached(Predicate<String> clients, LongPredicate connections, long upTo) {
        LongStream.Builder others = LongStream.builder();
        byNumber.forEach((number, endpoint) -> {
            boolean isMeant = endpoint.isAttachedUpTo(upTo) && clients.test(endpoint.clientId());
            if (isMeant && !connections.test(number)) {
                others.add(number);
            }
        });
        others.build().sorted().forEach(this::takenOver);
    }

    /** {@link Endpoint#deliver}. */
    public void deliver(long number, List<Delivery> deliveries) {
        Endpoint endpoint = byNumber.get(number);
        if (endpoint != null) {
            endpoint.deliver(deliveries);
        }
    }

    /** {@link Endpoint#receivedLogged}. */
    public void receivedLogged(long number, long[] sequences) {
        Endpoint endpoint = byNumber.get(number);
        if (endpoint != null) {
            endpoint.receivedLogged(sequences);
        }
    }

    /** Hands a message to a transient session. */
    public void deliverTransient(long number, Queued message) {
        deliverTransient(number, message, null);
    }

    /**
     * Hands a message to a transient session.
     *
     * @param publisher told what the publisher is to wait for before it publishes more; null when it never waits
     */
    public void deliverTransient(long number, Queued message, @Nullable Consumer<RoomQueue> publisher) {
        Endpoint endpoint = byNumber.get(number);
        if (endpoint != null) {
            offer(endpoint, message, publisher);
        }
    }

    private static void offer(Endpoint endpoint, Queued message, @Nullable Consumer<RoomQueue> publisher) {
        RoomQueue room = endpoint.offer(message);
        if (room != null && publisher != null) {
            publisher.accept(room);
        }
    }

    /**
     * Hands a message to a transient session, as a member of a shared subscription that another node chose, or this one
     * a while ago. A session that began since under the same number gets nothing, unless it is the same client's.
     *
     * @param publisher told what the publisher is to wait for before it publishes more; null when it never waits
     */
    public void deliverToMember(String clientId, long number, Queued message, @Nullable Consumer<RoomQueue> publisher) {
        Endpoint endpoint = byNumber.get(number);
        if (endpoint != null && endpoint.clientId().equals(clientId)) {
            offer(endpoint, message, publisher);
        }
    }

    /**
     * Hands a message of QoS 0 to the connection of a persistent session, if it has one on this node.
     *
     * @param session the identity of the session; another session of the client gets nothing
     * @return whether the session is connected here
     */
    public boolean deliverQos0(String clientId, long session, Queued message) {
        return deliverQos0(clientId, session, message, null);
    }

    /**
     * Hands a message of QoS 0 to the connection of a persistent session, if it has one on this node.
     *
     * @param publisher told what the publisher is to wait for before it publishes more; null when it never waits
     * @return whether the session is connected here
     */
    public boolean deliverQos0(String clientId, long session, Queued message, @Nullable Consumer<RoomQueue> publisher) {
        Endpoint endpoint = persistent.get(clientId);
        if (endpoint == null || !endpoint.has(session)) {
            return false;
        }
        offer(endpoint, message, publisher);
        return true;
    }

    /**
     * Hands a message to the connection of a persistent session, as a member of a shared subscription of applications.
     *
     * @param session the identity of the session; another session of the client gets nothing
     * @param message as the member shall get it, with QoS 0 or 1
     * @param dup whether any member may have been sent it before
     * @param reply told what became of it, at once when the session is not connected here
     */
    public void deliverShared(String clientId, long session, Queued message, boolean dup, MemberReply reply) {
        Endpoint endpoint = persistent.get(clientId);
        if (endpoint != null && endpoint.has(session)) {
            endpoint.share(message, dup, reply);
        } else {
            reply.returned(false);
        }
    }
}
