package io.tributary.broker;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.delivery.Endpoint;
import io.tributary.broker.shard.ClientShards;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.Detach;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Ends sessions as a client would that connects with Clean Start and leaves: the log gets the {@code Attach} of a
 * connection that nobody has, and when its owner has answered, the {@code Detach}. What a client does meanwhile is
 * behind that in the log, so it has a new session. Any thread; never blocks.
 */
final class SessionEndings {
    /** How many are under way at once; each is a record that waits in some shard. */
    static final int MOST_AT_ONCE = 100;

    private static final int RECEIVE_MAXIMUM = 1;

    private final String node;
    private final ClientShards shards;
    private final ConnectionRegistry connections;
    private final Duration patience;
    private final AtomicInteger underWay = new AtomicInteger();

    SessionEndings(String node, ClientShards shards, ConnectionRegistry connections) {
        this(node, shards, connections, Duration.ofSeconds(10));
    }

    /**
     * Creates one.
     *
     * @param node this node and its incarnation
     * @param patience how long an owner's answer is waited for
     */
    SessionEndings(String node, ClientShards shards, ConnectionRegistry connections, Duration patience) {
        this.node = node;
        this.shards = shards;
        this.connections = connections;
        this.patience = patience;
    }

    /**
     * Ends the session of a client, if it has one, and takes it from its connection.
     *
     * @return completes when the owner has done that; fails with a {@link RejectedExecutionException} when nothing was
     *     done, and with a {@link TimeoutException} when that is not known: it is done yet once there is an owner
     */
    CompletionStage<@Nullable Void> end(String clientId) {
        if (!shards.mayAttach(clientId) || !shards.isWritable()) {
            return refused("its shard takes nothing at the moment");
        }
        if (underWay.incrementAndGet() > MOST_AT_ONCE) {
            underWay.decrementAndGet();
            return refused("too many sessions are being ended");
        }
        Ending ending = new Ending(clientId, connections.nextNumber());
        ending.begin();
        return ending.done.copy().orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static CompletionStage<@Nullable Void> refused(String why) {
        return CompletableFuture.failedStage(new RejectedExecutionException(why));
    }

    /** It stays until the owner answers, however late: nobody else would detach it. */
    private final class Ending implements Endpoint {
        private final String clientId;
        private final long connection;
        private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        private final AtomicBoolean answered = new AtomicBoolean();
        private volatile long attachOffset = Long.MAX_VALUE;

        private Ending(String clientId, long connection) {
            this.clientId = clientId;
            this.connection = connection;
        }

        /**
         * A device's, also where an application's session ends: no topic has to be there for it. It is no principal's,
         * so that it keeps nobody from the client's next session.
         */
        private void begin() {
            connections.add(connection, this);
            Attach attach = new Attach(
                    clientId, node, connection, true, 0, RECEIVE_MAXIMUM, ClientKind.DEVICE, null, null, true);
            shards.attach(attach, offset -> attachOffset = offset);
        }

        @Override
        public String clientId() {
            return clientId;
        }

        @Override
        public boolean isAttachedUpTo(long offset) {
            return attachOffset <= offset;
        }

        /** What was there before is over. */
        @Override
        public void attached(Attached attached) {
            if (answered.compareAndSet(false, true)) {
                shards.attachAnswered(clientId);
                shards.detach(new Detach(clientId, attached.epoch(), false, 0, 0), this::forget);
                done.complete(null);
            }
        }

        @Override
        public void refused(AttachRefusal reason) {
            if (answered.compareAndSet(false, true)) {
                shards.attachAnswered(clientId);
                forget();
                done.completeExceptionally(new RejectedExecutionException("its owner refuses it: " + reason));
            }
        }

        /** Another connection came behind this one before the owner could answer: the session before is over, too. */
        @Override
        public void takenOver() {
            if (answered.compareAndSet(false, true)) {
                shards.attachAnswered(clientId);
                forget();
                done.complete(null);
            }
        }

        private void forget() {
            connections.remove(connection);
            underWay.decrementAndGet();
        }
    }
}
