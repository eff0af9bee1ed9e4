package io.tributary.perf.client;

import org.jspecify.annotations.Nullable;

/**
 * The publishers whose window opens when their messages have come, or were answered: those that send QoS 0 in a closed
 * loop, for which there is no acknowledgement, and those of requests. Filled before the run, then only read.
 */
final class Credits {
    private final @Nullable Publisher[] publishers;

    Credits(int sources) {
        publishers = new @Nullable Publisher[sources];
    }

    /** Tells this publisher of deliveries of the source. */
    void register(int source, Publisher publisher) {
        publishers[source] = publisher;
    }

    /** A message of the source has come to a client of this process. From any event loop. */
    void delivered(int source) {
        Publisher publisher = publishers[source];
        if (publisher != null) {
            publisher.delivered();
        }
    }
}
