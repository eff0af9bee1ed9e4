package io.tributary.broker.shard;

import io.tributary.common.event.ShardEvent.Settled;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Which sessions of a shard have something that is to be logged. Confined to the thread of the driver. */
final class ToBeLogged {
    private final Set<SessionDelivery> sessions = new LinkedHashSet<>();
    private long messages;
    private boolean isUrgent;

    /** Something of a session is to be logged: a message, for the most part. */
    void add(SessionDelivery delivery) {
        sessions.add(delivery);
        messages++;
    }

    /** Something is to be logged that is not put off: a PUBREC, or where a session begins in its topic. */
    void urgent() {
        isUrgent = true;
    }

    /** The session is over. */
    void forget(SessionDelivery delivery) {
        sessions.remove(delivery);
    }

    boolean isEmpty() {
        return sessions.isEmpty();
    }

    /** About how many messages are settled and to be logged. */
    long messages() {
        return messages;
    }

    /** Whether something is to be logged that is not put off. */
    boolean isUrgent() {
        return isUrgent;
    }

    /**
     * Takes everything, in records of bounded size.
     *
     * @param roomBytes how many bytes a record may have besides a packet
     */
    List<Settled> take(long ownerEpoch, int roomBytes) {
        SettledRecords records = new SettledRecords(ownerEpoch, roomBytes);
        for (SessionDelivery each : sessions) {
            each.takeSettled(records);
        }
        sessions.clear();
        messages = 0;
        isUrgent = false;
        return records.all();
    }
}
