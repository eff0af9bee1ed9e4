package io.tributary.broker.subscription;

import io.tributary.persistence.replicated.ReplicatedMap;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's records in the map of routes, each with the number of its holders: written
 * when the first comes, removed when the last goes. Any thread; never blocks.
 *
 * <p>Writes of one key leave in the order of the calls. One that fails is known as unsettled, and tried again by
 * {@link #retry}; when too many are, no new record is accepted.
 */
final class OwnRoutes {
    static final int MOST_UNSETTLED = 100_000;

    private static final Logger LOG = LoggerFactory.getLogger(OwnRoutes.class);
    private static final CompletableFuture<@Nullable Void> DONE = CompletableFuture.completedFuture(null);

    private final ReplicatedMap map;
    private final ConcurrentMap<String, HeldRoute> held = new ConcurrentHashMap<>();
    private final Set<String> unsettled = ConcurrentHashMap.newKeySet();

    OwnRoutes(ReplicatedMap map) {
        this.map = map;
    }

    /**
     * Counts one more holder of the record. The future completes when the record is durable and visible on all live
     * nodes, whichever holder had it written; it fails when that did not work, and the record is to be released then,
     * too.
     */
    CompletableFuture<@Nullable Void> hold(String key, byte[] value) {
        return held.compute(key, (_, known) -> hold(key, known, value)).written;
    }

    /** Changes the value of a record that has a holder; completes as {@link #hold} does. */
    CompletableFuture<@Nullable Void> replace(String key, byte[] value) {
        HeldRoute changed = held.computeIfPresent(
                key, (_, known) -> known.isWritten(value) ? known : new HeldRoute(known.count, value, put(key, value)));
        return changed == null ? DONE : changed.written;
    }

    /**
     * Counts one holder of the record less; does nothing when there is none. The future completes when no live node
     * sees the record any more, or at once when others hold it; it fails when a node may see it still, which is tried
     * again.
     */
    CompletableFuture<@Nullable Void> release(String key) {
        Removal removal = new Removal();
        held.computeIfPresent(key, (_, known) -> {
            if (known.count > 1) {
                return new HeldRoute(known.count - 1, known.value, known.written);
            }
            removal.done = remove(key);
            return null;
        });
        return removal.done;
    }

    /** Tries again what has failed, at most so many records. */
    void retry(int most) {
        Iterator<String> keys = unsettled.iterator();
        for (int i = 0; i < most && keys.hasNext(); i++) {
            String key = keys.next();
            keys.remove();
            held.compute(key, (_, known) -> retry(key, known));
        }
    }

    private HeldRoute hold(String key, @Nullable HeldRoute known, byte[] value) {
        if (known != null && known.isWritten(value)) {
            return new HeldRoute(known.count + 1, value, known.written);
        }
        int count = known == null ? 1 : known.count + 1;
        return unsettled.size() < MOST_UNSETTLED
                ? new HeldRoute(count, value, put(key, value))
                : new HeldRoute(
                        count,
                        value,
                        CompletableFuture.failedFuture(
                                new RejectedExecutionException("too many routes wait to be removed")));
    }

    private @Nullable HeldRoute retry(String key, @Nullable HeldRoute known) {
        if (known == null) {
            CompletableFuture<?> _ = remove(key);
            return null;
        }
        return known.written.isCompletedExceptionally()
                ? new HeldRoute(known.count, known.value, put(key, known.value))
                : known;
    }

    private CompletableFuture<@Nullable Void> put(String key, byte[] value) {
        CompletableFuture<@Nullable Void> written = map.put(key, value).toCompletableFuture();
        CompletableFuture<?> _ = written.whenComplete((_, failure) -> noteFailure(key, failure));
        return written;
    }

    private CompletableFuture<@Nullable Void> remove(String key) {
        CompletableFuture<@Nullable Void> removed = map.remove(key).toCompletableFuture();
        return removed.whenComplete((_, failure) -> noteFailure(key, failure));
    }

    private void noteFailure(String key, @Nullable Throwable failure) {
        if (failure != null) {
            LOG.debug("a route is not written", failure);
            unsettled.add(key);
        }
    }

    /** A record that has holders, and its last write. */
    private static final class HeldRoute {
        final int count;
        final byte[] value;
        final CompletableFuture<@Nullable Void> written;

        HeldRoute(int count, byte[] value, CompletableFuture<@Nullable Void> written) {
            this.count = count;
            this.value = value;
            this.written = written;
        }

        /** Whether the value is written, or on its way. */
        boolean isWritten(byte[] other) {
            return Arrays.equals(value, other) && !written.isCompletedExceptionally();
        }
    }

    /** What a removal, if there is one, completes. */
    private static final class Removal {
        CompletableFuture<@Nullable Void> done = DONE;
    }
}
