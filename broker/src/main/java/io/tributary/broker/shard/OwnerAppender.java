package io.tributary.broker.shard;

import io.tributary.common.event.ShardEvent;

/** Puts records of a shard's owner into the shard's log. */
@FunctionalInterface
interface OwnerAppender {
    /**
     * Appends a record. When that fails the shard is claimed again, and whatever the owner has in memory is gone.
     *
     * @param durable run on the thread of the driver when the record is durable and the owner still the same
     */
    void append(ShardEvent record, Runnable durable);
}
