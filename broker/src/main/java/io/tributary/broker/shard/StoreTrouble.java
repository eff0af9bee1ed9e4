package io.tributary.broker.shard;

import java.time.Duration;

/**
 * A failure of the store for shards of this node, which try again each second.
 *
 * @param shards how many shards
 * @param duration how long it has been so
 * @param failure the newest failure, in words
 */
public record StoreTrouble(int shards, Duration duration, String failure) {}
