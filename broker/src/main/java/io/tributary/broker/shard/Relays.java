package io.tributary.broker.shard;

import io.tributary.persistence.shard.AppendCallback;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The QoS 2 messages that persistent publishers connected here have relayed to their own shards, until the shards'
 * owners say that they forward them. Any thread. Bounded by the receive maximum of each connection.
 *
 * <p>An owner says so once. Where that is lost, because the shard moved or the way to this node broke, what the owner
 * tells of each connection then has the packet identifiers of all that was folded meanwhile.
 *
 * <p>Decided in docs/decisions/0001-relay-verdict.md.
 */
final class Relays {
    private final List<Map<Long, Map<Integer, AppendCallback>>> byShard = new ArrayList<>();

    Relays(int shards) {
        for (int i = 0; i < shards; i++) {
            byShard.add(new HashMap<>());
        }
    }

    /** Keeps the callback until the owner has spoken; to be told before the relay is appended. */
    void expect(int shard, long epoch, int packetId, AppendCallback callback) {
        Map<Long, Map<Integer, AppendCallback>> connections = byShard.get(shard);
        synchronized (connections) {
            connections.computeIfAbsent(epoch, _ -> new HashMap<>()).put(packetId, callback);
        }
    }

    /** The owner forwards a message. */
    void accepted(int shard, long epoch, int packetId) {
        complete(shard, epoch, packetId, null);
    }

    /** The owner has everything of a connection that is between PUBREC and PUBREL. */
    void accepted(int shard, long epoch, int[] packetIds) {
        for (int packetId : packetIds) {
            complete(shard, epoch, packetId, null);
        }
    }

    /** A message is not in the log, and never will be. */
    void failed(int shard, long epoch, int packetId, Throwable failure) {
        complete(shard, epoch, packetId, failure);
    }

    /** A connection has ended: its answers are not waited for any more. */
    void ended(int shard, long epoch) {
        Map<Long, Map<Integer, AppendCallback>> connections = byShard.get(shard);
        synchronized (connections) {
            connections.remove(epoch);
        }
    }

    /** Whether no answer is waited for. */
    boolean isEmpty() {
        for (Map<Long, Map<Integer, AppendCallback>> connections : byShard) {
            synchronized (connections) {
                if (!connections.isEmpty()) {
                    return false;
                }
            }
        }
        return true;
    }

    private void complete(int shard, long epoch, int packetId, @Nullable Throwable failure) {
        AppendCallback callback = take(shard, epoch, packetId);
        if (callback != null) {
            callback.onAppended(failure == null ? epoch : -1, failure);
        }
    }

    private @Nullable AppendCallback take(int shard, long epoch, int packetId) {
        Map<Long, Map<Integer, AppendCallback>> connections = byShard.get(shard);
        synchronized (connections) {
            Map<Integer, AppendCallback> open = connections.get(epoch);
            AppendCallback callback = open == null ? null : open.remove(packetId);
            if (open != null && open.isEmpty()) {
                connections.remove(epoch);
            }
            return callback;
        }
    }
}
