package io.tributary.broker.deployment;

import org.jspecify.annotations.Nullable;

/**
 * A node's view of the records that back-ends produce.
 *
 * @param partitions the partitions that this node reads
 * @param lag the records of these that are not safe for subscribers yet
 * @param problem why they cannot be read or published at the moment, in words, or null
 */
public record IngestStatus(
        int partitions, long lag, @Nullable String problem) {}
