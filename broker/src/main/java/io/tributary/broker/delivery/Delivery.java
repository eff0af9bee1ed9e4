package io.tributary.broker.delivery;

import io.tributary.common.event.QueueEntry;

/**
 * One entry of a persistent session's queue, on its way to the connection.
 *
 * @param sequence its sequence number, from which the packet identifier follows
 * @param entry the message, or only the PUBREL that is still owed
 * @param dup whether it may have been sent before
 */
public record Delivery(long sequence, QueueEntry entry, boolean dup) {}
