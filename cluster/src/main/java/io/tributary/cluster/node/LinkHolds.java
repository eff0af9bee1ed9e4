package io.tributary.cluster.node;

import io.tributary.cluster.link.Link;
import io.tributary.cluster.node.NodeMessage.HoldPublisher;
import io.tributary.cluster.node.NodeMessage.PublishersWait;
import io.tributary.cluster.node.NodeMessage.RoomAgain;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.thread.RoomQueue;
import io.tributary.persistence.limit.ByteBudget;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Has publishers at one end of a link wait for clients at the other end:
 *
 * <pre>
 * publishers are to wait for clients of a node -&gt; PublishersWait: the other node has little on its way at a time
 * message 7 is for a client that has no room   -&gt; HoldPublisher(7, 1): whoever published 7 waits
 * message 9, too, of another publisher         -&gt; HoldPublisher(9, 1)
 * the client has room                          -&gt; RoomAgain(1): both publish again
 * </pre>
 *
 * <p>Before {@link PublishersWait} came over a link, messages of QoS 0 are not answered, and nothing is counted. When a
 * link breaks, nobody waits any more.
 */
final class LinkHolds {
    /**
     * Bytes of messages on their way over a link, at most. Beyond that each publisher may send one message more, each
     * time that half is answered.
     */
    static final long MOST_BYTES = 512 * 1024;

    /** The same in messages. */
    static final int MOST_MESSAGES = 1_024;

    /** What a message counts at least, for both limits to be one. */
    private static final long LEAST_COST = MOST_BYTES / MOST_MESSAGES;

    /** What a message that waits for a client counts besides its bytes. */
    private static final long MESSAGE_COST = 64;

    private final Link link;
    private final boolean publishersWait;
    private final RecordFormat format;

    // Of publishers of this node.
    private final ByteBudget budget = new ByteBudget(MOST_BYTES);
    private final RoomQueue onItsWay = new RoomQueue(budget::onRoom);
    private volatile boolean isAsked;
    /** Confined to the link's event loop. */
    private final Map<Long, Room> roomsThere = new HashMap<>();

    // Of clients of this node. Guarded by this, also while sending: RoomAgain must not overtake HoldPublisher.
    private final Map<RoomQueue, Long> roomsHere = new HashMap<>();
    private final Queue<Long> unsentRooms = new ArrayDeque<>();
    private long lastRoom;
    private boolean isAnnounced;

    /** The room of a client of the other node. */
    private record Room(CompletableFuture<Void> isThere, RoomQueue publishers) {}

    /** @param publishersWait whether publishers are to wait for clients of this node */
    LinkHolds(Link link, boolean publishersWait, RecordFormat format) {
        this.link = link;
        this.publishersWait = publishersWait;
        this.format = format;
    }

    /** Whether publishers of this node are to wait for clients of the other one; any thread. */
    boolean isAsked() {
        return isAsked;
    }

    /**
     * A message is about to be sent; any thread.
     *
     * @param publisher told what to wait for, if too much is on its way
     * @return what is to be {@link #release released} when it is answered, or given up
     */
    long count(long bytes, Consumer<RoomQueue> publisher) {
        long cost = Math.max(LEAST_COST, bytes + MESSAGE_COST);
        if (budget.tryAcquire(cost)) {
            return cost;
        }
        publisher.accept(onItsWay);
        return 0;
    }

    /** Takes back what {@link #count} counted; any thread. */
    void release(long cost) {
        budget.release(cost);
    }

    /** Publishers of this node are to wait for clients of the other one. */
    void ask() {
        isAsked = true;
    }

    /**
     * The publisher of a message is to wait for a client of the other node; on the link's event loop.
     *
     * @param room the other node's number for the client's room
     */
    void hold(long room, Consumer<RoomQueue> publisher) {
        publisher.accept(roomsThere.computeIfAbsent(room, _ -> room()).publishers);
    }

    /** A client of the other node has room again; on the link's event loop. */
    void roomAgain(long number) {
        Room room = roomsThere.remove(number);
        if (room != null) {
            room.isThere.complete(null);
        }
    }

    /** The link is gone; on its event loop. */
    void close() {
        roomsThere.values().forEach(room -> room.isThere.complete(null));
        roomsThere.clear();
    }

    /**
     * A client of this node has no room; on the link's event loop.
     *
     * @param id the message that the other node sent for it
     */
    void hasNoRoom(long id, RoomQueue room) {
        if (!allNodesRead()) {
            return;
        }
        Long before;
        long number;
        synchronized (this) {
            before = roomsHere.get(room);
            number = before == null ? ++lastRoom : before;
            if (!send(new HoldPublisher(id, number))) {
                return; // the link is full or gone: the publisher does not wait
            }
            roomsHere.put(room, number);
        }
        if (before == null) {
            room.await(() -> hasRoom(room, number));
        }
    }

    private synchronized void hasRoom(RoomQueue room, long number) {
        roomsHere.remove(room);
        unsentRooms.add(number);
        sendPending();
    }

    /** Sends what the link has not taken so far; any thread. */
    synchronized void sendPending() {
        if (publishersWait && !isAnnounced && allNodesRead()) {
            isAnnounced = send(new PublishersWait());
        }
        while (!unsentRooms.isEmpty() && send(new RoomAgain(unsentRooms.peek()))) {
            unsentRooms.remove();
        }
    }

    private boolean allNodesRead() {
        return format.toWrite() >= RecordFormat.PUBLISHER_HOLDS;
    }

    private boolean send(NodeMessage message) {
        return link.send(FrameBuilder.frameOf(message, format));
    }

    private static Room room() {
        CompletableFuture<Void> isThere = new CompletableFuture<>();
        return new Room(isThere, new RoomQueue(action -> {
            CompletableFuture<Void> _ = isThere.thenRun(action);
        }));
    }
}
