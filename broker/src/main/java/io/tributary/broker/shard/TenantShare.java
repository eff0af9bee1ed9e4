package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.Tally;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the sessions of one tenant hold in one shard of this node. The shard's thread writes it, any thread reads it.
 */
public final class TenantShare implements Tally {
    private final String tenant;
    private final Runnable onEmpty;
    private final AtomicLong persistentSessions = new AtomicLong();
    private final AtomicLong queuedBytes = new AtomicLong();
    private volatile long mostQueuedBytes = Long.MAX_VALUE;
    private long sessions; // on the shard's thread

    TenantShare(String tenant, Runnable onEmpty) {
        this.tenant = tenant;
        this.onEmpty = onEmpty;
    }

    /** The tenant's name. */
    public String tenant() {
        return tenant;
    }

    /** How many sessions outlive their connection. */
    public long persistentSessions() {
        return persistentSessions.get();
    }

    /** The size of all queues, in bytes; what was acknowledged or dropped counts until that is logged. */
    public long queuedBytes() {
        return queuedBytes.get();
    }

    /** Sets how many bytes may be queued here, until that is set again. */
    public void mostQueuedBytes(long most) {
        mostQueuedBytes = most;
    }

    @Override
    public void add(int moreSessions, int morePersistent, long moreBytes) {
        sessions += moreSessions;
        if (morePersistent != 0) {
            persistentSessions.lazySet(persistentSessions.get() + morePersistent);
        }
        if (moreBytes != 0) {
            queuedBytes.lazySet(queuedBytes.get() + moreBytes);
        }
        if (sessions == 0) {
            onEmpty.run();
        }
    }

    @Override
    public boolean isFull() {
        return queuedBytes.get() > mostQueuedBytes;
    }
}
