package io.tributary.broker.subscription;

import io.tributary.broker.subscription.RouteRecord.Member;
import io.tributary.broker.subscription.RouteRecord.Presence;
import io.tributary.broker.subscription.RouteRecord.Route;
import io.tributary.common.event.RecordFormat;
import io.tributary.persistence.replicated.ReplicatedMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What nodes tell each other of their sessions, in a replicated map: to which filters a node has transient sessions,
 * however many, which of its transient sessions are members of shared subscriptions, and which persistent members it
 * has connections of. Only a node itself writes its records; once it is dead they are void, and the first of the live
 * nodes removes them. Any thread; never blocks.
 */
public final class Routes {
    /** There are no other nodes: nothing is told, and nothing costs anything. */
    public static final Routes NONE = new Routes();

    private static final int MOST_RETRIES = 1_000;
    private static final CompletableFuture<@Nullable Void> DONE = CompletableFuture.completedFuture(null);

    private final String node;
    private final RecordFormat format;
    private final @Nullable ReplicatedMap map;
    private final @Nullable OwnRoutes own;

    private Routes() {
        node = "";
        format = RecordFormat.alone();
        map = null;
        own = null;
    }

    /**
     * Creates those of a node of a cluster.
     *
     * @param map keeps the records of all nodes; has no other follower
     * @param node this node and its incarnation, {@code name#number}, without a NUL
     * @param format in which records are written, those of persistent sessions' subscriptions too
     */
    public Routes(ReplicatedMap map, String node, RecordFormat format) {
        this.format = format;
        this.node = node;
        this.map = map;
        own = new OwnRoutes(map);
    }

    /** In which format records are written. */
    RecordFormat format() {
        return format;
    }

    /** Whether there are no other nodes. */
    boolean isNone() {
        return map == null;
    }

    /** The records of all nodes; null where there are no other nodes. */
    @Nullable
    ReplicatedMap map() {
        return map;
    }

    /** This node, as it is named in its records. */
    String node() {
        return node;
    }

    /**
     * Tells of a transient session's subscription. The future completes when all live nodes know of it; when it fails,
     * {@link #retract} is to be called all the same.
     */
    CompletableFuture<@Nullable Void> tell(Subscriber subscriber, SubscriptionRequest request) {
        if (own == null) {
            return DONE;
        }
        RouteRecord record = record(subscriber, request);
        return own.hold(RouteCodec.key(record), RouteCodec.value(record, format.toWrite()));
    }

    /** Tells of other options of a subscription that was told of; completes as {@link #tell} does. */
    CompletableFuture<@Nullable Void> change(Subscriber subscriber, SubscriptionRequest request) {
        if (own == null) {
            return DONE;
        }
        RouteRecord record = record(subscriber, request);
        return own.replace(RouteCodec.key(record), RouteCodec.value(record, format.toWrite()));
    }

    /**
     * Retracts the announcement of a transient session's subscription. The future never fails; it completes when no
     * live node chooses the session for the subscription any more, as far as that works at once.
     */
    CompletableFuture<@Nullable Void> retract(Subscriber subscriber, SubscriptionRequest request) {
        if (own == null) {
            return DONE;
        }
        CompletableFuture<@Nullable Void> retracted = own.release(RouteCodec.key(record(subscriber, request)));
        return request.filter().isShared()
                ? retracted.exceptionally(_ -> null)
                : DONE; // the node matches by itself what others send for a route
    }

    /**
     * Announces that a persistent session with shared subscriptions is connected here; no caller waits for it.
     *
     * @param isStuck whether it acknowledges nothing
     * @param isNew whether this was not told of the session yet, or taken back since
     */
    void tellPresent(Subscriber subscriber, boolean isStuck, boolean isNew) {
        if (own != null) {
            RouteRecord record = presence(subscriber, isStuck);
            String key = RouteCodec.key(record);
            byte[] value = RouteCodec.value(record, format.toWrite());
            CompletableFuture<?> _ = isNew ? own.hold(key, value) : own.replace(key, value);
        }
    }

    /**
     * Takes back {@link #tellPresent}; completes when no live node sees it any more, and fails when one may for now.
     */
    CompletableFuture<@Nullable Void> retractPresent(Subscriber subscriber) {
        return own == null ? DONE : own.release(RouteCodec.key(presence(subscriber, false)));
    }

    /** Repeats writes that failed; about once a second. Each call does a limited amount of work. */
    void retry() {
        if (own != null) {
            own.retry(MOST_RETRIES);
        }
    }

    private RouteRecord record(Subscriber subscriber, SubscriptionRequest request) {
        return request.filter().isShared()
                ? new Member(node, subscriber.clientId(), subscriber.identity(), request)
                : new Route(node, request.filter().filter());
    }

    private RouteRecord presence(Subscriber subscriber, boolean isStuck) {
        return new Presence(node, subscriber.clientId(), subscriber.identity(), isStuck);
    }
}
