package io.tributary.cluster.link;

/**
 * What all connections of a node share.
 *
 * @param links those that are up
 */
record LinkContext(
        LinkIdentity identity,
        LinkConfig config,
        LinkReceiver receiver,
        LinkRecorder recorder,
        OpenLinks links,
        Peers peers,
        HalfOpen halfOpen,
        RefusalLog refusals) {}
