package io.tributary.broker.shard;

import io.tributary.persistence.shard.AppendCallback;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The QoS 2 messages that persistent publishers connected here have relayed to their own shards, until the shards'
 * owners say that they forward them. Any thread. Bounded by the receive maximum of each connection.
 *
 * <p>An owner says so once. Where that is lost, because the shard moved or the way to this node broke, what the owner
 * tells of each connection then has the packet identifiers of all that was folded meanwhile. That may be old: a packet
 * identifier in it may be that of an earlier message. So it answers only a message whose offset the owner had folded by
 * then.
 *
 * <p>Decided in docs/decisions/0001-relay-verdict.md.
 */
final class Relays {
    private static final long NOT_LOGGED = Long.MAX_VALUE;
    private static final long NOT_NAMED = -1;

    private final List<Map<Long, Map<Integer, Open>>> byShard = new ArrayList<>();

    /** A message that the owner has not answered. Guarded by the map of its shard. */
    private static final class Open {
        final AppendCallback callback;
        long offset = NOT_LOGGED;
        /** The offset up to which the owner had folded when it named the packet identifier. */
        long namedUpTo = NOT_NAMED;

        Open(AppendCallback callback) {
            this.callback = callback;
        }

        boolean isFolded() {
            return offset != NOT_LOGGED && offset <= namedUpTo;
        }
    }

    Relays(int shards) {
        for (int i = 0; i < shards; i++) {
            byShard.add(new HashMap<>());
        }
    }

    /** Keeps the callback until the owner has spoken; to be told before the relay is appended. */
    void expect(int shard, long epoch, int packetId, AppendCallback callback) {
        Map<Long, Map<Integer, Open>> connections = byShard.get(shard);
        synchronized (connections) {
            connections.computeIfAbsent(epoch, _ -> new HashMap<>()).put(packetId, new Open(callback));
        }
    }

    /**
     * A message is in the log.
     *
     * @param offset less than 0 where Kafka does not know it: then any list of the owner's may have it
     */
    void appended(int shard, long epoch, int packetId, long offset) {
        note(shard, epoch, packetId, open -> open.offset = Math.max(0, offset));
    }

    /** The owner forwards a message. */
    void accepted(int shard, long epoch, int packetId) {
        complete(shard, epoch, packetId, null);
    }

    /** The owner, folded up to an offset, names the packet identifiers of a connection between PUBREC and PUBREL. */
    void named(int shard, long epoch, int[] packetIds, long foldedUpTo) {
        for (int packetId : packetIds) {
            note(shard, epoch, packetId, open -> open.namedUpTo = Math.max(open.namedUpTo, foldedUpTo));
        }
    }

    /** A message is not in the log, and never will be. */
    void failed(int shard, long epoch, int packetId, Throwable failure) {
        complete(shard, epoch, packetId, failure);
    }

    /** A connection has ended: its answers are not waited for any more. */
    void ended(int shard, long epoch) {
        Map<Long, Map<Integer, Open>> connections = byShard.get(shard);
        synchronized (connections) {
            connections.remove(epoch);
        }
    }

    /** Whether no answer is waited for. */
    boolean isEmpty() {
        for (Map<Long, Map<Integer, Open>> connections : byShard) {
            synchronized (connections) {
                if (!connections.isEmpty()) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Changes what is known of a message, and answers it if it is folded by that. */
    private void note(int shard, long epoch, int packetId, Consumer<Open> what) {
        Map<Long, Map<Integer, Open>> connections = byShard.get(shard);
        boolean isFolded;
        synchronized (connections) {
            Map<Integer, Open> ofConnection = connections.get(epoch);
            Open open = ofConnection == null ? null : ofConnection.get(packetId);
            if (open != null) {
                what.accept(open);
            }
            isFolded = open != null && open.isFolded();
        }
        if (isFolded) {
            complete(shard, epoch, packetId, null);
        }
    }

    private void complete(int shard, long epoch, int packetId, @Nullable Throwable failure) {
        Open open = take(shard, epoch, packetId);
        if (open != null) {
            open.callback.onAppended(failure == null ? epoch : -1, failure);
        }
    }

    private @Nullable Open take(int shard, long epoch, int packetId) {
        Map<Long, Map<Integer, Open>> connections = byShard.get(shard);
        synchronized (connections) {
            Map<Integer, Open> ofConnection = connections.get(epoch);
            Open open = ofConnection == null ? null : ofConnection.remove(packetId);
            if (ofConnection != null && ofConnection.isEmpty()) {
                connections.remove(epoch);
            }
            return open;
        }
    }
}
