package io.tributary.broker.guard;

import io.tributary.broker.loop.TokenBucket;
import java.util.Map;

/** Connect rates of many. Any thread. */
final class RateTable<K> {
    private final ConnectRate rate;
    private final Map<K, TokenBucket> buckets; // guarded by this

    RateTable(ConnectRate rate, int most) {
        this.rate = rate;
        buckets = new BoundedTable<>(most);
    }

    /** Whether it may connect once more. */
    boolean tryTake(K who, long nowNanos) {
        if (rate.perSecond() == 0) {
            return true;
        }
        synchronized (this) {
            return buckets.computeIfAbsent(who, _ -> new TokenBucket(rate.perSecond(), rate.burst(), nowNanos))
                    .tryTake(nowNanos);
        }
    }

    synchronized int size() {
        return buckets.size();
    }
}
