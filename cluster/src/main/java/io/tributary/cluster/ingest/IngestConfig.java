package io.tributary.cluster.ingest;

import io.tributary.persistence.ingest.IngestOptions;

/**
 * Which records of back-ends are published, and how.
 *
 * @param publisher who publishes what they produce, to the authorizer and for statistics: as a client identifier, not
 *     empty
 * @param source where the records are
 */
public record IngestConfig(String publisher, IngestOptions source) {

    /** The publisher's name unless another one is configured. */
    public static final String DEFAULT_PUBLISHER = "ingest";

    public IngestConfig {
        if (publisher.isEmpty()) {
            throw new IllegalArgumentException("publisher: must not be empty");
        }
    }
}
