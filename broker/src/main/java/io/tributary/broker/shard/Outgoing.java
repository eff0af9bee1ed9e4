package io.tributary.broker.shard;

import io.tributary.broker.delivery.Delivery;
import io.tributary.common.event.QueueEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The window of one persistent session's connection: what was handed to it and is not settled yet. Confined to the thread
 * of the driver.
 */
final class Outgoing {
    final ClientState client;
    final long epoch;
    final long connection;
    private final int windowMessages;
    private final int windowBytes;
    /** Entries that are settled or moved though the queue still has them. */
    final Set<Long> withheld;
    /** Messages from this sequence number on were never handed to a connection by this owner, so they carry no DUP. */
    private final long firstNew;
    /** Messages up to this sequence number may have been sent before this connection began. */
    private final long resendUpTo;

    /** The lowest sequence number that was not looked at yet. */
    long next;

    /** Whether a page of the queue is being read from the store. */
    boolean reading;

    private final Map<Long, Integer> handed = new HashMap<>();
    private long handedBytes;
    private List<Delivery> batch = new ArrayList<>();

    Outgoing(ClientState client, ShardConfig config, Set<Long> withheld, long firstNew) {
        this.client = client;
        epoch = client.epoch;
        connection = client.connection;
        windowMessages = config.windowMessages();
        windowBytes = config.windowBytes();
        this.withheld = withheld;
        this.firstNew = firstNew;
        resendUpTo = client.resendUpTo;
        next = client.queuedMessages == 0 ? client.lastSequence + 1 : 1;
    }

    boolean hasRoom() {
        return handed.size() < windowMessages && handedBytes < windowBytes;
    }

    /** How many more entries fit, at least one. */
    int roomForMessages() {
        return Math.max(1, windowMessages - handed.size());
    }

    boolean mayHaveBeenSent(long sequence) {
        return sequence <= resendUpTo && sequence < firstNew;
    }

    /** The lowest sequence number that no connection has seen, as far as this owner knows. */
    long firstUnseen() {
        return Math.max(next, Math.min(firstNew, resendUpTo + 1));
    }

    void hand(long sequence, QueueEntry entry) {
        int size = entry instanceof QueueEntry.Queued(var message, _, _, _, _) ? message.sizeBytes() : 0;
        handed.put(sequence, size);
        handedBytes += size;
        batch.add(new Delivery(sequence, entry, mayHaveBeenSent(sequence)));
    }

    /** Takes an entry out of the window; null when it is not there. */
    @Nullable
    Integer settle(long sequence) {
        Integer size = handed.remove(sequence);
        handedBytes -= size == null ? 0 : size;
        return size;
    }

    /** Notes that only PUBREL is owed for an entry any more; returns the size of its message, null when it is not there. */
    @Nullable
    Integer receive(long sequence) {
        Integer size = handed.replace(sequence, 0);
        handedBytes -= size == null ? 0 : size;
        return size;
    }

    /** Takes what was handed since the last call. */
    List<Delivery> takeBatch() {
        List<Delivery> taken = batch;
        batch = taken.isEmpty() ? taken : new ArrayList<>();
        return taken;
    }
}
