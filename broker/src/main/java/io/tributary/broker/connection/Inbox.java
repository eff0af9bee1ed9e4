package io.tributary.broker.connection;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.delivery.Endpoint;
import io.tributary.broker.delivery.MemberReply;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.mqtt.Message;
import io.tributary.common.thread.RoomQueue;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The way of other threads into a connection: each call becomes an action on the connection's event loop. Messages that
 * the event loop has not taken yet are counted where they are handed over, so that a loop that falls behind does not
 * pile up memory. Any thread.
 */
final class Inbox implements Endpoint {
    /** The memory that a waiting action takes besides its message. */
    private static final int LETTER_BYTES = 96;

    private final ClientConnection connection;
    private final ConnectionContext context;
    private final @Nullable PublisherHold hold;
    private final long maxBytes;
    private final AtomicLong bytes = new AtomicLong();
    private volatile boolean isSentAway;

    /** @param hold counts what waits here; null where no publisher waits for the client */
    Inbox(ClientConnection connection, ConnectionContext context, @Nullable PublisherHold hold) {
        this.connection = connection;
        this.context = context;
        this.hold = hold;
        maxBytes = context.limits().outbound().queueBytes();
    }

    @Override
    public String clientId() {
        return connection.clientId();
    }

    @Override
    public void attached(Attached attached) {
        post(() -> connection.attached(attached));
    }

    @Override
    public void refused(AttachRefusal reason) {
        post(() -> connection.refused(reason));
    }

    @Override
    public void takenOver() {
        post(connection::takenOver);
    }

    @Override
    public boolean isAttachedUpTo(long offset) {
        return connection.isAttachedUpTo(offset);
    }

    @Override
    public long epoch() {
        return connection.epoch();
    }

    @Override
    public boolean has(long identity) {
        return connection.has(identity);
    }

    @Override
    public void deliver(List<Delivery> deliveries) {
        post(() -> connection.deliver(deliveries));
    }

    @Override
    public void receivedLogged(long[] sequences) {
        post(() -> connection.receivedLogged(sequences));
    }

    @Override
    public @Nullable RoomQueue offer(Queued message) {
        if (!enter(message.message())) {
            context.services().recorder().dropped(DropReason.QUEUE_FULL);
            return hold == null ? null : hold.room();
        }
        if (hold == null) {
            post(() -> take(message));
            return null;
        }
        long size = OutboundQueue.size(message);
        RoomQueue room = hold.add(size);
        post(() -> {
            hold.remove(size); // it counts once more where it waits next
            take(message);
        });
        return room;
    }

    private void take(Queued message) {
        leave(message.message());
        connection.offer(message);
    }

    @Override
    public void share(Queued message, boolean dup, MemberReply reply) {
        post(() -> connection.share(message, dup, reply));
    }

    @Override
    public long flow() {
        return context.flow().getAcquire();
    }

    /**
     * Sends the client away; one thread at a time.
     *
     * @return false when that was done before
     */
    boolean sendAway(Farewell how) {
        if (isSentAway) {
            return false;
        }
        isSentAway = true;
        post(() -> connection.sendAway(how));
        return true;
    }

    /** Has the event loop run the action. */
    void post(Runnable action) {
        context.post(action);
    }

    /** Takes room for a message if there is some; an empty inbox takes every message. */
    private boolean enter(Message message) {
        long size = sizeOf(message);
        long before = bytes.getAndAdd(size);
        if (before > 0 && before + size > maxBytes) {
            bytes.addAndGet(-size);
            return false;
        }
        return true;
    }

    private void leave(Message message) {
        bytes.addAndGet(-sizeOf(message));
    }

    private static long sizeOf(Message message) {
        return message.memoryBytes() + LETTER_BYTES;
    }
}
