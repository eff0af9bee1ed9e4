package io.tributary.broker.subscription;

import io.tributary.broker.subscription.RouteRecord.Member;
import io.tributary.broker.subscription.RouteRecord.Presence;
import io.tributary.broker.subscription.RouteRecord.Route;
import io.tributary.common.event.RecordFormat;
import io.tributary.persistence.replicated.ReplicatedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What nodes tell each other of their sessions, in a replicated map: to which filters a node has transient sessions, however
 * many, which of its transient sessions are members of shared subscriptions, and which persistent members it has connections of.
 * Only a node itself writes its records; once it is dead they are void, and the first of the live nodes removes them. Any thread; never
 * blocks.
 */
public final class Routes {
    /** There are no other nodes: nothing is told, and nothing costs anything. */
    public static final Routes NONE = new Routes();

    private static final int MOST_A_SWEEP = 1_000;
    private static final CompletableFuture<@Nullable Void> DONE = CompletableFuture.completedFuture(null);

    private final String node;
    private final RecordFormat format;
    private final @Nullable ReplicatedMap map;
    private final @Nullable OwnRoutes own;
    private volatile @Nullable RemoteRoutes remote;

    private Routes() {
        node = "";
        format = RecordFormat.alone();
        map = null;
        own = null;
    }

    /**
     * Creates those of a node of a cluster.
     *
     * @param map keeps the records of all nodes; nobody else follows it
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

    /** Shows in the index what other nodes tell; completes when all is read that was told before the call. */
    CompletionStage<@Nullable Void> start(SubscriptionIndex index) {
        if (map == null) {
            return DONE;
        }
        RemoteRoutes shown = new RemoteRoutes(map, node, index, format);
        remote = shown;
        return map.follow(shown);
    }

    /**
     * Tells of a transient session's subscription. The future completes when all live nodes know of it; when it fails,
     * {@link #withdraw} is to be called all the same.
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
     * Takes back what was told of a transient session's subscription. The future never fails; it completes when no live node
     * chooses the session for the subscription any more, as far as that works at once.
     */
    CompletableFuture<@Nullable Void> withdraw(Subscriber subscriber, SubscriptionRequest request) {
        if (own == null) {
            return DONE;
        }
        CompletableFuture<@Nullable Void> withdrawn = own.release(RouteCodec.key(record(subscriber, request)));
        return request.filter().isShared()
                ? withdrawn
                : DONE; // the node matches by itself what others send for a route
    }

    /**
     * Tells that a persistent session with shared subscriptions is connected here; nobody waits for that.
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

    /** Takes back {@link #tellPresent}; completes when no live node sees it any more, as far as that works at once. */
    CompletableFuture<@Nullable Void> withdrawPresent(Subscriber subscriber) {
        return own == null ? DONE : own.release(RouteCodec.key(presence(subscriber, false)));
    }

    /** Makes void at once all that a dead node has told. */
    public void gone(String deadNode) {
        RemoteRoutes shown = remote;
        if (shown != null) {
            shown.gone(deadNode);
        }
    }

    /**
     * Makes void what dead nodes have told since {@link #gone}, tries again what could not be written, and removes what dead
     * nodes have left in the map. To be called about once a second, by one thread; each call does a limited amount of work.
     *
     * @param isDead whether a node, {@code name#number}, is known to be dead for good; must be false for one that is only not
     *     known yet: its routes may be seen here before it is
     * @param isFirst whether this node has to remove what dead nodes have left
     */
    public void sweep(Predicate<String> isDead, boolean isFirst) {
        RemoteRoutes shown = remote;
        if (own != null && shown != null) {
            own.retry(MOST_A_SWEEP);
            shown.sweep(isDead, isFirst ? MOST_A_SWEEP : 0);
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
