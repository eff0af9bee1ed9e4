package io.tributary.cluster.node;

import io.tributary.cluster.link.Link;
import io.tributary.cluster.node.NodeMessage.HoldPublisher;
import io.tributary.cluster.node.NodeMessage.HoldsPublishers;
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
 * a node has clients for which publishers wait -&gt; HoldsPublishers: the other node has little on its way at a time
 * message 7 is for a client that has no room   -&gt; HoldPublisher(7, 1): whoever published 7 waits
 * message 9, too, of another publisher         -&gt; HoldPublisher(9, 1)
 * the client has room                          -&gt; RoomAgain(1): both publish again
 * </pre>
 *
 * <p>Over a link of which no {@link HoldsPublishers} came nobody waits, and messages of QoS 0 are not answered. When a
 * link breaks, nobody waits any more.
 */
final class LinkHolds {
    /** How much may be on its way when no more than one message of each publisher is to follow. */
    static final long MOST_BYTES = 1024 * 1024;

    private final Link link;
    private final boolean holdsPublishers;
    private final RecordFormat format;

    // Of publishers of this node.
    private final ByteBudget budget = new ByteBudget(MOST_BYTES);
    private final RoomQueue onItsWay = new RoomQueue(budget::onRoom);
    private volatile boolean isAsked;
    /** Confined to the link's event loop. */
    private final Map<Long, Room> roomsThere = new HashMap<>();

    // Of clients of this node; guarded by this: RoomAgain must not overtake HoldPublisher.
    private final Map<RoomQueue, Long> roomsHere = new HashMap<>();
    private final Queue<Long> unsent = new ArrayDeque<>();
    private long lastRoom;
    private boolean isSaid;

    /** The room of a client of the other node. */
    private record Room(CompletableFuture<Void> isThere, RoomQueue publishers) {}

    /** @param holdsPublishers whether publishers are to wait for clients of this node */
    LinkHolds(Link link, boolean holdsPublishers, RecordFormat format) {
        this.link = link;
        this.holdsPublishers = holdsPublishers;
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
     * @return how many bytes are to be {@link #release released} when it is answered, or given up
     */
    long count(long bytes, Consumer<RoomQueue> publisher) {
        if (budget.tryAcquire(bytes)) {
            return bytes;
        }
        publisher.accept(onItsWay);
        return 0;
    }

    /** Takes back what {@link #count} counted; any thread. */
    void release(long bytes) {
        budget.release(bytes);
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
        Long before;
        long number;
        synchronized (this) {
            before = roomsHere.get(room);
            number = before == null ? ++lastRoom : before;
            if (!send(new HoldPublisher(id, number))) {
                return;
            }
            roomsHere.put(room, number);
        }
        if (before == null) {
            room.await(() -> hasRoom(room, number));
        }
    }

    private synchronized void hasRoom(RoomQueue room, long number) {
        roomsHere.remove(room);
        unsent.add(number);
        sayUnsaid();
    }

    /** Says what is still to be said to the other node, for which there was no room on the link, say; any thread. */
    synchronized void sayUnsaid() {
        if (holdsPublishers && !isSaid && format.toWrite() >= RecordFormat.PUBLISHER_HOLDS) {
            isSaid = send(new HoldsPublishers());
        }
        while (!unsent.isEmpty() && send(new RoomAgain(unsent.peek()))) {
            unsent.remove();
        }
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
