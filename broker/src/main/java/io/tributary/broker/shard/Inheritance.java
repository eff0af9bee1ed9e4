package io.tributary.broker.shard;

import io.tributary.common.event.SentUpTo;
import java.util.Set;

/**
 * What is known of the queue that a session leaves to the client's next one.
 *
 * @param settled entries that the client acknowledged though the queue still has them
 * @param maybeSentUpTo what the client may have been sent
 * @param awaitedEpoch the epoch of the connection whose node tells what else the client has acknowledged, and then
 *     {@link Shards#allSettled}; {@link #NOTHING_AWAITED} when there is nothing to wait for
 */
record Inheritance(Set<Long> settled, SentUpTo maybeSentUpTo, long awaitedEpoch) {
    static final long NOTHING_AWAITED = -1;
}
