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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
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
    /** How many are waited for at once. Those that nobody waits for any more are bounded by what a shard lets wait. */
    static final int MOST_AT_ONCE = 100;

    private static final int RECEIVE_MAXIMUM = 1;

    private final String node;
    private final ClientShards shards;
    private final ConnectionRegistry connections;
    private final Duration patience;
    private final AtomicInteger waitedFor = new AtomicInteger();
    private final ConcurrentMap<String, Ending> underWay = new ConcurrentHashMap<>();

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

    /** Why no session of the client can be ended at the moment; null where it can. */
    @Nullable
    String problem(String clientId) {
        if (!shards.mayAttach(clientId) || !shards.isWritable()) {
            return "its shard takes nothing at the moment";
        }
        return waitedFor.get() >= MOST_AT_ONCE ? "too many sessions are being ended" : null;
    }

    /**
     * Ends the session of a client, if it has one, and takes it from its connection. Where that is under way already,
     * it is not begun once more.
     *
     * @return completes when the owner has done that; fails with a {@link RejectedExecutionException} when nothing was
     *     done, and with a {@link TimeoutException} when that is not known: it is done yet once there is an owner
     */
    CompletionStage<@Nullable Void> end(String clientId) {
        String problem = problem(clientId);
        if (problem != null) {
            return CompletableFuture.failedStage(new RejectedExecutionException(problem));
        }
        Ending ending = new Ending(clientId, connections.nextNumber());
        Ending known = underWay.putIfAbsent(clientId, ending);
        if (known == null) {
            ending.begin();
        }
        waitedFor.incrementAndGet();
        return (known == null ? ending : known)
                .done
                .copy()
                .orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((_, _) -> waitedFor.decrementAndGet());
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
            if (isFirstAnswer()) {
                shards.detach(new Detach(clientId, attached.epoch(), false, 0, 0), this::forget);
                done.complete(null);
            }
        }

        @Override
        public void refused(AttachRefusal reason) {
            if (isFirstAnswer()) {
                forget();
                done.completeExceptionally(new RejectedExecutionException("its owner refuses it: " + reason));
            }
        }

        /** Another connection came behind this one before the owner could answer, or the log has lost this one. */
        @Override
        public void takenOver() {
            if (isFirstAnswer()) {
                forget();
                done.completeExceptionally(new TimeoutException());
            }
        }

        /** Whoever asks from now on may mean a session that has begun since. */
        private boolean isFirstAnswer() {
            boolean isFirst = answered.compareAndSet(false, true);
            if (isFirst) {
                underWay.remove(clientId, this);
                shards.attachAnswered(clientId);
            }
            return isFirst;
        }

        private void forget() {
            connections.remove(connection);
        }
    }
}
