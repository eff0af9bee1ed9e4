package io.tributary.broker.subscription;

import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.TenantNames;
import io.tributary.common.time.LineAMinute;
import io.tributary.common.topic.TopicFilter;
import io.tributary.common.topic.TopicLevels;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * About how much memory the subscriptions take that a node knows, against a limit: all that its index shows, and those
 * that are being made here. Any thread.
 *
 * <p>Only new subscriptions of clients of this node are refused. What the index shows counts in any case: other nodes
 * have granted it, or this one under another limit.
 */
final class SubscriptionBudget {
    private static final Logger LOG = LoggerFactory.getLogger(SubscriptionBudget.class);

    // Bytes beside texts and levels; docs/decisions/0019-a-million-sessions.md has what was measured.
    private static final int EXACT_BYTES = 144;
    private static final int TREE_BYTES = 160;
    /** The shared subscription itself is in it, which may have no other member. */
    private static final int SHARED_BYTES = 1000;

    private static final int ROUTE_BYTES = 240;
    /** Of a session that is not persistent: it is in objects, and other nodes are told of it. */
    private static final int TRANSIENT_BYTES = 200;

    private static final int LEVEL_BYTES = 80;
    /** A filter is in the record of its session, and in a table or a tree. */
    private static final int TEXTS = 2;

    private final long most;
    private final LineAMinute lines;
    private volatile LongSupplier levels = () -> 0;
    private long used; // without levels

    /** @param most how many bytes there are */
    SubscriptionBudget(long most, LongSupplier nanoTime) {
        this.most = most;
        lines = new LineAMinute(nanoTime);
    }

    /** Sets where it is read how many levels the trees of the index have. */
    void countLevels(LongSupplier ofIndex) {
        levels = ofIndex;
    }

    /**
     * The index shows subscriptions with a filter, or fewer than before.
     *
     * @param change how many more
     */
    void add(Subscriber subscriber, TopicFilter filter, int change) {
        take(change * cost(subscriber, filter));
    }

    /** The same of routes to other nodes. */
    void addRoute(String filter, int change) {
        take(change * (ROUTE_BYTES + TEXTS * (long) filter.length()));
    }

    /** The room for new subscriptions that a change of a session makes; {@link Reservation#end} follows. */
    Reservation reservation(Subscriber subscriber) {
        return new Reservation(subscriber);
    }

    synchronized long used() {
        return used + LEVEL_BYTES * levels.getAsLong();
    }

    private synchronized void take(long bytes) {
        used += bytes;
    }

    private void refused(String clientId) {
        String others = lines.happened();
        if (others != null) {
            LOG.warn(
                    "a subscription of {} is refused{}: all subscriptions together take {} of {} bytes of memory,"
                            + " and new ones have no room (tributary.subscriptions.max-size)",
                    GroupIdentifier.display(clientId),
                    others,
                    used(),
                    most);
        }
    }

    /** About how many bytes a subscription takes beside the levels of its filter, which it may share with others. */
    static long cost(Subscriber subscriber, TopicFilter filter) {
        long texts = subscriber.clientId().length() + TEXTS * (long) filter.sizeBytes();
        return texts + (subscriber.persistent() ? 0 : TRANSIENT_BYTES) + bytes(filter);
    }

    private static int bytes(TopicFilter filter) {
        if (filter.isShared()) {
            return SHARED_BYTES;
        }
        return filter.hasWildcard() ? TREE_BYTES : EXACT_BYTES;
    }

    /** The most that it takes: all levels are its own. */
    private static long most(Subscriber subscriber, TopicFilter filter) {
        boolean isInTree = filter.isShared() || filter.hasWildcard();
        long levels = isInTree ? TopicLevels.count(filter.filter()) : 0;
        return cost(subscriber, filter) + LEVEL_BYTES * levels;
    }

    /** The embedding application, the broker, and applications that share a session do not look whether they were. */
    private static boolean isRefusable(Subscriber subscriber) {
        String clientId = subscriber.clientId();
        return !subscriber.isInProcess() && !TenantNames.isBrokers(clientId) && !GroupIdentifier.isGroup(clientId);
    }

    /** The room that new subscriptions of one session have until the index shows them, or they are not made. */
    final class Reservation {
        private final Subscriber subscriber;
        private long bytes; // guarded by the budget

        private Reservation(Subscriber subscriber) {
            this.subscriber = subscriber;
        }

        /** Takes room for a subscription, or tells that there is none. */
        boolean admit(TopicFilter filter) {
            if (!reserve(most(subscriber, filter))) {
                refused(subscriber.clientId());
                return false;
            }
            return true;
        }

        private boolean reserve(long more) {
            synchronized (SubscriptionBudget.this) {
                if (isRefusable(subscriber) && used() + more > most) {
                    return false;
                }
                used += more;
                bytes += more;
                return true;
            }
        }

        /** Gives the room back: what was made counts as the index shows it. */
        void end() {
            synchronized (SubscriptionBudget.this) {
                used -= bytes;
                bytes = 0;
            }
        }
    }
}
