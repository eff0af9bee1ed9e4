package io.tributary.broker.connection;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.loop.LoopMailbox;
import io.tributary.broker.shard.ClientShards;
import io.tributary.common.event.ShardEvent;

/**
 * A connection's wish for its session, from the {@code Attach} to the owner's answer. It outlives a connection that
 * ends meanwhile, so that the session can be detached when the answer comes; it is small, and keeps nothing of the
 * connection. Ends with {@link #answered}, once, which {@link #detach} calls, too.
 */
final class Attaching {
    private final String clientId;
    private final LoopMailbox loop;
    private final ClientShards shards;

    /** The offset of the {@code Attach} in the log; the largest number until the offset is known. */
    private volatile long offset = Long.MAX_VALUE;

    // How the connection ended; set before other threads can find this object.
    private boolean publishWill;
    private long sessionExpirySeconds;

    Attaching(String clientId, LoopMailbox loop, ClientShards shards) {
        this.clientId = clientId;
        this.loop = loop;
        this.shards = shards;
    }

    String clientId() {
        return clientId;
    }

    /** The {@code Attach} is in the log; any thread. */
    void appended(long at) {
        offset = at;
    }

    /** Whether the log is known to have the {@code Attach}, no later than at the offset; any thread. */
    boolean isAppendedUpTo(long upTo) {
        return offset <= upTo;
    }

    /** The connection ended before the answer. */
    void ended(boolean withWill, long expirySeconds) {
        publishWill = withWill;
        sessionExpirySeconds = expirySeconds;
    }

    /** The owner has answered, or its answer is not waited for any more. */
    void answered() {
        shards.attachAnswered(clientId);
    }

    /** The owner has answered, and there is no connection any more: the session is detached. */
    void detach(Attached attached) {
        answered();
        ShardEvent.Detach detach =
                new ShardEvent.Detach(clientId, attached.epoch(), publishWill, sessionExpirySeconds, 0);
        loop.post(() -> shards.detach(detach, () -> {}));
    }
}
