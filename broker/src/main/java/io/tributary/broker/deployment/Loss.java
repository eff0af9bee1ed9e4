package io.tributary.broker.deployment;

/**
 * The reason why a node must not go on serving clients.
 *
 * @param why in words
 * @param canLeave whether it can still tell the others and hand its shards over; otherwise they find out by themselves,
 *     or have
 */
public record Loss(String why, boolean canLeave) {}
